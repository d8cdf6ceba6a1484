/** Checks the pages of the documentation that are read as text: links, figures and limits, and what must be mentioned. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { CallError } from "../../src/testing/result.ts";
import { isUpstream } from "../support/node/upstream.ts";
import { BLOCKS, blocksOf, notRun, PAGES, ROOT } from "./blocks.ts";

const read = (path: string) => readFileSync(resolve(ROOT, path), "utf8");
/** The text of a page without its blocks and code. */
const proseOf = (page: string) => read(page).replaceAll(/^ *```[\s\S]*?^ *```/gm, "");

/** The fragment by which GitHub links a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
const anchorsOf = (page: string) => [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => anchorOf(text));

it("finds the pages", () => {
  expect(PAGES).toEqual(expect.arrayContaining(["AGENTS.md", "docs/tools.md"]));
  expect(PAGES).toContain(".agents/skills/add-a-tool/SKILL.md");
  expect(BLOCKS.length).toBeGreaterThan(30);
});

describe("links", () => {
  it.each(PAGES)("%s leads to pages and headings that exist", (page) => {
    const broken = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
      // "../../actions" is on the website of the repository.
      if (/^[a-z]+:|^\.\.\/\.\.\/actions\//.test(link)) return [];
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
      const isThere = existsSync(resolve(ROOT, target));
      const isOwners = target === "README.md" && !isUpstream;
      return isThere && (isOwners || anchor === undefined || anchorsOf(target).includes(anchor)) ? [] : link;
    });
    expect(broken).toEqual([]);
  });

  it.skipIf(!isUpstream)("lead from the README to every page", () => {
    const linked = [...read("README.md").matchAll(/\]\(([^)#]+)/g)].map(([, link]) => link);
    expect(linked).toEqual(expect.arrayContaining(globSync("docs/*.md", { cwd: ROOT })));
  });

  it("in src name pages that exist", () => {
    const named = globSync("src/**/*.ts", { cwd: ROOT }).flatMap((file) => {
      const text = file.startsWith("src/generated") ? "" : read(file);
      return [...text.matchAll(/\bdocs\/[\w-]+\.md/g)].map(([page]) => page);
    });
    expect(named.filter((page) => !PAGES.includes(page))).toEqual([]);
  });
});

describe.skipIf(!isUpstream)("the README", () => {
  const readme = read("README.md");

  it("can be read in two minutes", () => {
    const isRead = (line: string) => !/^\[[\w-]+\]: /.test(line);
    expect(readme.split("\n").filter(isRead).length).toBeLessThanOrEqual(120);
  });

  it("gives the tool that start.node.test.ts adds", () => {
    expect(readme).toContain(`\`\`\`ts\n${read("test/fixtures/samples/hello/greet.ts")}\`\`\``);
  });

  it("gives the version, which the changelog has", () => {
    const { version } = JSON.parse(read("package.json"));
    expect(readme).toContain(`Version ${version}`);
    expect(read("CHANGELOG.md")).toMatch(new RegExp(`^## ${version} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, "m"));
  });

  it("gives the commands that CI runs", () => {
    expect(readme).toContain("npm install && npm start");
    expect(readme).toContain("npm install && npm test");
    expect(read(".ci/run")).toContain("npm install && npm test");
  });
});

it("docs/own-routes.md gives the worker.ts that extend.node.test.ts runs", () => {
  // Only the project of the fixture has no generated type for its binding.
  const run = read("test/fixtures/workers/documented.ts");
  const documented = run.replace(/\/\*\* Bindings[\s\S]*?\n}\n\n/, "").replace("<Env>", "");
  expect(read("docs/own-routes.md")).toContain(`\`\`\`ts\n${documented}\`\`\``);
});

it("docs/testing.md lists all reasons why a call has no result", () => {
  const reasons: Record<CallError["reason"], true> = {
    failed: true,
    invalid: true,
    timed_out: true,
    cancelled: true,
    requirements: true,
    scope: true,
    busy: true,
    capability: true,
    conflict: true,
    running: true,
    not_kept: true,
    unavailable: true,
  };
  const [, table = ""] = /^### Reasons\n([\s\S]*?)\n##/m.exec(read("docs/testing.md")) ?? [];
  const cells = table.split("\n").flatMap((row) => row.match(/^\| (`.*?) \|/)?.[1] ?? []);
  const listed = cells.join().matchAll(/`(\w+)`/g);
  expect(Array.from(listed, ([, name]) => name).filter((name) => name !== "reason")).toEqual(Object.keys(reasons));
});

describe("docs give the limits that the source has", () => {
  const limit = (path: string, name: string) =>
    Number(new RegExp(`const ${name} = ([\\d_]+);`).exec(read(path))?.[1]?.replaceAll("_", ""));
  const words = (page: string) => read(page).replaceAll(/\s+/g, " ");

  it("events.md and access.md", () => {
    const shortest = /const MIN_TTL_MS = 60_000;/;
    expect(read("src/features/outbox/object/subscriptions.ts")).toMatch(shortest);
    expect(words("docs/events.md")).toContain("at least 60,000");
    const verified = limit("src/features/tokens/jwt.ts", "CACHE_MS") / 60_000;
    const fresh = limit("src/features/tokens/jwks.ts", "FRESH_MS") / 60_000;
    expect(words("docs/access.md")).toContain(`keys are fetched again after ${fresh} minutes`);
    expect(words("docs/access.md")).toContain(`remembered for ${verified} minutes`);
  });

  it("once.md", () => {
    const once = words("docs/once.md");
    expect(limit("src/stores/object-idempotency.ts", "AWAKE_MS")).toBe(1_000);
    const pause = limit("src/stores/object-idempotency.ts", "MAX_PAUSE_MS") / 1_000;
    expect(pause).toBe(5);
    expect(once).toContain(
      "in the first second of the wait, it gets the result at once, and later within five seconds",
    );
    expect(once).toContain(`up to ${limit("src/stores/claims-object.ts", "MAX_SMALL") / 1_024} KB`);
    expect(once).toContain(`once an object has ${limit("src/stores/claims-object.ts", "FULL_BYTES") / 1e6} MB`);
  });

  it("limits.md", () => {
    const limits = words("docs/limits.md");
    const secret = limit("src/protocols/oxp/read.ts", "MAX_SECRET").toLocaleString("en");
    expect(limits).toContain(`a token in \`authorization\` | ${secret} characters`);
    const inFull = limit("src/core/model/schema.ts", "MAX_VALUES_IN_FULL").toLocaleString("en");
    expect(limits).toContain(`all listed | ${inFull} values`);
    const most = limit("src/core/model/schema.ts", "MAX_VALUES").toLocaleString("en");
    expect(limits).toContain(`async schemas only) | ${most} values`);
    const depth = limit("src/core/lib/json.ts", "MAX_INPUT_DEPTH");
    expect(limits).toContain(`nested up to ${depth} levels deep`);
    const messages = limit("src/protocols/mcp/legacy/batch.ts", "MAX_MESSAGES");
    expect(limits).toContain(`A JSON-RPC batch has up to ${messages} messages`);
    const waiting = limit("src/protocols/mcp/legacy/batch.ts", "MAX_WAITING");
    expect(waiting).toBe(4);
    expect(limits).toContain("Up to four of its calls run");
    const name = limit("src/features/files/names.ts", "MAX_NAME");
    const type = limit("src/features/files/names.ts", "MAX_TYPE");
    expect(limits).toContain(`a name of up to ${name} characters, and a media type of up to ${type}`);
  });
});

describe("the skill", () => {
  const page = ".agents/skills/add-a-tool/SKILL.md";

  it("has the front matter of the Agent Skills specification: the folder's name, and when to use it", () => {
    const [, name, description = ""] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(read(page)) ?? [];
    expect(name).toBe("add-a-tool");
    expect(description).toContain("Use when");
    expect(description.length).toBeLessThanOrEqual(1024);
  });

  it("is also where Claude Code looks for it", () => {
    expect(read(page.replace(".agents", ".claude"))).toBe(read(page));
  });
});

describe("blocksOf", () => {
  const BLOCK = "```ts\nconst a = 1;\n```\n";
  const first = (markdown: string) => blocksOf("page.md", markdown)[0];

  it("takes the file from the text before a block, or from its first line", () => {
    expect(first(`Save this as \`tools/a/b.ts\`:\n\n${BLOCK}`)?.path).toBe("tools/a/b.ts");
    expect(first("```ts\n// tools/a/c.ts\n```\n")?.path).toBe("tools/a/c.ts");
    expect(first(`See \`tools/a/b.ts\`.\n\n## Next\n\n${BLOCK}`)?.path).toBeUndefined();
  });

  it("takes the reason from the comment directly before a block", () => {
    const reason = (text: string) => notRun(first(text) as never);
    expect(reason(`<!-- not run: needs\nan account -->\n${BLOCK}`)).toBe("needs\nan account");
    expect(reason(`<!-- not run: elsewhere -->\n\nText.\n\n${BLOCK}`)).toBeUndefined();
  });

  it("removes the indentation of a block in a list", () => {
    expect(first("1. Write:\n\n   ```sh\n   npm test\n     more\n   ```\n")?.text).toBe("npm test\n  more\n");
  });

  it("refuses a block without an end", () => {
    expect(() => first("```ts\nconst a = 1;\n")).toThrow("page.md:1");
  });
});
