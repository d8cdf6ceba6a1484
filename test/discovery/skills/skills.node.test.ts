/**
 * Skills in tools/: each mistake ends the build with a message that names the file, the line and the fix; what is right
 * is in the catalogue; and without skills the catalogue has no byte for them.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFork, start, until } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { mayStart } from "../../support/node/processes.ts";
import { project, tool } from "../../support/node/project.ts";
import { isSlow } from "../../support/tier.ts";

// npm start.
mayStart(1);

const OF = (name: string, more = "") => `---\nname: ${name}\ndescription: About it.\n${more}---\n\nText.\n`;

/** A path in tools/ of a fork that is right, its text, and the message about it: where, what, how to fix it. */
const MISTAKES: readonly (readonly [string, string, string, string, string])[] = [
  [
    "kit/skills/a1/SKILL.md",
    "# A1\n",
    "a1/SKILL.md:1",
    "it does not begin with frontmatter",
    "---\n           name: a1",
  ],
  ["kit/skills/a2/SKILL.md", "---\nname: a2\n", "a2/SKILL.md:1", "its frontmatter has no end", 'write "---"'],
  ["kit/skills/a3/SKILL.md", "---\nname: a3\ndescription: a: b\n---\n", "a3/SKILL.md:3", "not valid YAML", "quotes"],
  ["kit/skills/a4/SKILL.md", "---\n- a4\n---\n", "a4/SKILL.md:2", "its frontmatter is not a list of", "name: a4"],
  ["kit/skills/a5/SKILL.md", "---\ndescription: D\n---\n", "a5/SKILL.md:1", "it has no name", "name: a5"],
  ["kit/skills/a6/SKILL.md", OF("b6"), "a6/SKILL.md:2", 'its name is "b6", and that of its folder "a6"', "name: a6"],
  ["kit/skills/a7/SKILL.md", "---\nname: a7\n---\n", "a7/SKILL.md:1", "it has no description", "description: "],
  [
    "kit/skills/a8/SKILL.md",
    `---\nname: a8\ndescription: ${"d".repeat(1025)}\n---\n`,
    "a8/SKILL.md:3",
    "1025 characters",
    "shorten it",
  ],
  ["kit/skills/a9/SKILL.md", OF("a9", "license: 2\n"), "a9/SKILL.md:4", 'its "license" is not a text', "quotes"],
  [
    "kit/skills/b1/SKILL.md",
    OF("b1", "metadata:\n  a: b\n  version: 1.10\n"),
    "b1/SKILL.md:6",
    '"version"',
    'version: "1.1',
  ],
  ["kit/skills/b2/SKILL.md", OF("b2", "metadata: no\n"), "b2/SKILL.md:4", '"metadata" is not a list', 'author: "'],
  [
    "kit/skills/b3/SKILL.md",
    OF("b3", 'metadata:\n  io.modelcontextprotocol/x: "1"\n'),
    ...(["b3/SKILL.md:5", "reserved", "another name"] as const),
  ],
  ["kit/skills/b4/SKILL.md", OF("b4", "since: 2026-01-01\n"), "b4/SKILL.md:4", 'hosts read its "since"', "quotes"],
  [
    "kit/skills/b5/SKILL.md",
    OF("b5", `compatibility: ${"c".repeat(501)}\n`),
    "b5/SKILL.md:4",
    "501 characters",
    "shorten it",
  ],
  ["kit/skills/b6/SKILL.md", OF("b6", "x: .nan\n"), "b6/SKILL.md:4", '"x" cannot be written as JSON', "quotes"],
  ["kit/skills/b7/SKILL.md", "\0\uFFFD---", "b7/SKILL.md:1", "it does not begin with frontmatter", "name: b7"],
  [
    "kit/skills/b8/SKILL.md",
    OF("b8", "license: *MIT\n"),
    "b8/SKILL.md:4",
    "refers to a value elsewhere: *MIT",
    "quote",
  ],
  ["kit/skills/b9/SKILL.md", OF("b9", "a: &a [*a]\n"), "b9/SKILL.md:4", "refers to a value elsewhere: *a", "quote"],
  [
    "kit/skills/c0/SKILL.md",
    OF("c0", "metadata:\n  a: b\n  since: 2026-01-01\n"),
    ...(["c0/SKILL.md:6", 'hosts read its "metadata" differently', "in quotes"] as const),
  ],
  // In the folder of a skill.
  [
    "other/skills/c7/assets/c8/SKILL.md",
    "# For another purpose\n",
    ...([
      "c8/SKILL.md:1",
      "it does not begin with",
      'or start the name of its folder with "_" if it is not a skill',
    ] as const),
  ],
  // Once only: the name in its file is that of the folder that it is to have.
  [
    "kit/skills/Invoice_Check/SKILL.md",
    OF("invoice-check"),
    "Invoice_Check",
    "not the name of",
    "skills/invoice-check",
  ],
  ["SKILL.md", OF("tools"), "tools/SKILL.md", "a skill belongs to a toolkit", "move it to tools/<toolkit>/SKILL.md"],
  ["vat/references/types.md", "Types.", "vat/references", "there is no SKILL.md", "write tools/vat/SKILL.md"],
  ["vat/skill/check/SKILL.md", OF("check"), "vat/skill", "only skills/ is searched", "rename it to tools/vat/skills"],
  ["twin/skill/SKILL.md", OF("twin"), "twin/skill", "skills are not read", "move what is in it to tools/twin/"],
  ["twin/lone/SKILL.md", OF("lone"), "twin/lone", "skills are not read", "move it to tools/twin/skills/lone"],
  ["kit/skills/C1/SKILL.md", OF("C1"), "skills/C1", '"C1" is not the name of a skill', "skills/c1"],
  ["kit/skills/c--2/SKILL.md", OF("c--2"), "skills/c--2", "is not the name of a skill", "skills/c-2"],
  ["kit/skills/c3/skill.md", OF("c3"), "c3/skill.md", "only SKILL.md is read", "rename it to SKILL.md"],
  ["kit/skills/c4/notes.md", "Notes.", "skills/c4", "it has no SKILL.md", "kit/skills/c4/SKILL.md"],
  ["kit/skills/c5.md", OF("c5"), "skills/c5.md", "a skill is a folder", "move it to tools/kit/skills/c5/SKILL.md"],
  ["kit/skills/c6/SKILL.md", OF("c6", "c6: 1\nc6: 2\n"), "c6/SKILL.md:5", "not valid YAML", "what the message names"],
  ["twin/skills/c7/SKILL.md", OF("c7"), "other/skills/c7/SKILL.md", "so is tools/twin/skills/c7", "rename"],
  ["Bad_Kit/SKILL.md", OF("Bad_Kit"), "tools/Bad_Kit", "is not a toolkit name", "bad-kit"],
  ["kit/skill.md", OF("kit"), "kit/skill.md", "only SKILL.md is read", "rename it to SKILL.md"],
  ["kit/same.resource.ts", resource("skill://other/SKILL.md"), "kit/same.resource.ts", "so is", "another uri"],
];

function resource(uri: string): string {
  return `import { defineResource } from "#tool";
export default defineResource({ uri: ${JSON.stringify(uri)}, description: "R", read: () => "" });`;
}

it("every mistake is named with its file, its line and its fix, all in one run", async () => {
  const right = { "kit/add.ts": tool(), "other/SKILL.md": OF("other"), "other/skills/c7/SKILL.md": OF("c7") };
  const { write, discover, tools } = project({ ...right, "twin/add.ts": tool() });
  write(Object.fromEntries(MISTAKES.map(([path, text]) => [path, text])));
  // Text in UTF-16, as Windows may save it.
  mkdirSync(join(tools, "kit/skills/d1"));
  writeFileSync(join(tools, "kit/skills/d1/SKILL.md"), Buffer.from(`\uFEFF${OF("d1")}`, "utf16le"));
  write({ "kit/skills/d2/SKILL.md": OF("d2") });
  symlinkSync(join(tools, "kit/add.ts"), join(tools, "kit/skills/d2/link.md"));
  write({ "kit/skills/d3/SKILL.md": OF("d3") });
  for (let count = 0; count < 512; count++) write({ [`kit/skills/d3/assets/${count}.txt`]: "" });
  write({ "kit/skills/d4/SKILL.md": OF("d4"), "kit/skills/d4/big.txt": "x".repeat(16 * 2 ** 20) });
  // In a comment, the first of these ends the line.
  write({ "kit/skills/d5/SKILL.md": OF("d5"), "kit/skills/d5/a\u2028\u001b.md": "" });
  const { code, stderr } = await discover();
  expect(code).toBe(1);
  const messages = stderr.split(/\n(?=tools\/)/);
  const more = [
    ["", "", "d1/SKILL.md", "it is not UTF-8", "save it as UTF-8"],
    ["", "", "d2/link.md", "it is a symbolic link", "copy the file"],
    ["", "", "d3/SKILL.md", "its folder has 513 files", "512"],
    ["", "", "d4/SKILL.md", "16777", "16 MiB"],
    ["", "", "d5/a\\u{2028}\\u{1b}.md", "characters that cannot be shown", "rename it"],
  ] as const;
  for (const [, , file, problem, fix] of [...MISTAKES, ...more]) {
    const message = messages.find((one) => one.split("\n", 1)[0]?.endsWith(file));
    expect(message, `${file}\n${stderr}`).toContain("problem: ");
    expect(message).toContain(problem);
    expect(message?.split("\n  fix: ")[1], message).toContain(fix);
  }
  expect(messages).toHaveLength(MISTAKES.length + more.length + 1);
});

it("what is right is in the catalogue: SHA-256 and size of the bytes, the scopes that all tools share", async () => {
  const text = OF(
    "kit",
    'license: MIT\nmetadata:\n  a: "1"\nallowed-tools: Read Bash(git:*)\nown:\n  - 1\n  - x: true\n',
  );
  const { discover, catalog, tools, out, write } = project({
    "kit/SKILL.md": text,
    "kit/references/a b.md": "é",
    "kit/skills/more/SKILL.md": OF("more"),
    "kit/add.ts": tool({ scopes: '["a", "b"]' }),
    "kit/sum.ts": tool({ scopes: '["b", "c"]' }),
  });
  expect(await discover()).toMatchObject({ code: 0, stderr: "" });
  const { resources, revision } = await catalog();
  expect(resources.map(({ uri, toolkit, options }) => [uri, toolkit, options])).toEqual([
    ["skill://kit/SKILL.md", "kit", { scopes: ["b"] }],
    ["skill://kit/references/a%20b.md", "kit", { scopes: ["b"] }],
    ["skill://more/SKILL.md", "kit", { scopes: ["b"] }],
  ]);
  const file = (uri: string, content: string) => {
    const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
    return { uri, digest, size: Buffer.byteLength(content) };
  };
  expect(JSON.parse(String(resources[0]?.skill))).toEqual({
    uri: "skill://kit/SKILL.md",
    frontmatter: {
      name: "kit",
      description: "About it.",
      license: "MIT",
      metadata: { a: "1" },
      "allowed-tools": "Read Bash(git:*)",
      own: [1, { x: true }],
    },
    resources: [file("skill://kit/SKILL.md", text), file("skill://kit/references/a%20b.md", "é")],
  });

  // A change in a file that no listing shows is a new revision all the same; and what is gone leaves nothing.
  writeFileSync(join(tools, "kit/references/a b.md"), "è");
  await discover();
  expect((await catalog()).revision).not.toBe(revision);
  rmSync(join(tools, "kit/skills"), { recursive: true });
  rmSync(join(tools, "kit/references"), { recursive: true });
  await discover();
  expect(readdirSync(join(out, "../skills"))).toEqual(["kit.ts"]);
  rmSync(join(tools, "kit/SKILL.md"));
  await discover();
  expect(readdirSync(join(out, "../skills"))).toEqual([]);
  const without = readFileSync(out, "utf8");
  expect(without).not.toMatch(/skill/i);
  write({ "kit/references.md": "Not of a skill.", "kit/_skills/x/SKILL.md": "Not served." });
  expect(await discover()).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(out, "utf8")).toBe(without);
});

it("a skill in the folder of a skill is a skill, each file of it once in the build, unless its name begins with _", async () => {
  const { discover, catalog, out } = project({
    "kit/skills/outer/SKILL.md": OF("outer"),
    "kit/skills/outer/a/inner/SKILL.md": OF("inner"),
    "kit/skills/outer/a/inner/b/innermost/SKILL.md": OF("innermost"),
    "kit/skills/outer/a/_template/SKILL.md": "No skill.",
  });
  expect(await discover()).toMatchObject({ code: 0, stderr: "" });
  const { resources } = await catalog();
  expect(resources.map(({ uri, skill }) => [uri, JSON.parse(skill ?? "{}").resources?.length])).toEqual([
    ["skill://outer/a/inner/SKILL.md", 2],
    ["skill://outer/a/inner/b/innermost/SKILL.md", 1],
    ["skill://outer/SKILL.md", 4],
    ["skill://outer/a/_template/SKILL.md", undefined],
  ]);
  expect(readFileSync(join(out, "../skills/outer.ts"), "utf8")).not.toContain("inner");
});

it("says what it found", async () => {
  const { discover } = project({
    "kit/SKILL.md": OF("kit"),
    "kit/skills/more/SKILL.md": OF("more"),
    "kit/add.ts": tool(),
  });
  const { stdout } = await discover();
  expect(stdout).toContain("discovered 1 tool and 2 skills");
  expect(stdout).toContain("kit (skill), more (skill)");
});

it("the discovery of npm start takes the changes of a skill, and leaves it as it was after a mistake", async () => {
  const { write, discover, out } = project({ "kit/SKILL.md": OF("kit") });
  const served = () => {
    const [, folder = ""] = /"(\.\/\w+)\//.exec(readFileSync(join(out, "../dev/current.js"), "utf8")) ?? [];
    return readFileSync(join(out, "../dev", folder, "skills/kit.ts"), "utf8");
  };
  const text = async () => {
    expect(await discover({ WRANGLER_COMMAND: "dev" })).toMatchObject({ code: 0 });
    return served();
  };
  const before = await text();
  expect(before).toContain("About it.");
  write({ "kit/references/new.md": "New." });
  const more = await text();
  expect(more).toContain('"New."');
  write({ "kit/SKILL.md": "No frontmatter." });
  const { code, stderr } = await discover({ WRANGLER_COMMAND: "dev" });
  expect([code, stderr]).toEqual([0, expect.stringContaining("it does not begin with frontmatter")]);
  expect(served()).toBe(more);
  write({ "kit/SKILL.md": OF("kit", "license: MIT\n") });
  expect(await text()).toContain("license: MIT");
});

it.runIf(isSlow)("npm start serves a skill, and its changes without a restart", async () => {
  const fork = makeFork({ "kit/add.ts": tool(), "kit/SKILL.md": OF("kit") });
  try {
    const { url, stop, printed } = await start(fork);
    const ask = async (method: string, params = {}) =>
      (await postJson(`${url}/mcp`, { jsonrpc: "2.0", id: 1, method, params })).body.result;
    const read = async () => (await ask("resources/read", { uri: "skill://kit/SKILL.md" })).contents[0].text;
    try {
      expect(await read()).toBe(OF("kit"));
      fork.write("tools/kit/references/new.md", "New.");
      await until(async () => JSON.stringify(await ask("skills/list")).includes("references/new.md"));
      fork.write("tools/kit/SKILL.md", "No frontmatter.");
      await until(async () => printed().includes("it does not begin with frontmatter"));
      expect(await read()).toBe(OF("kit"));
      fork.write("tools/kit/SKILL.md", OF("kit", "license: MIT\n"));
      await until(async () => (await read()) === OF("kit", "license: MIT\n"));
    } finally {
      await stop();
    }
  } finally {
    fork.remove();
  }
});

it("folders beside a SKILL.md are its own; without it, they are a mistake as before", async () => {
  const { discover } = project({ "kit/add.ts": tool(), "kit/scripts/run.ts": "export {};" });
  expect((await discover()).stderr).toContain("toolkits do not nest");
});
