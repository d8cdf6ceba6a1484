/** The commands of docs/updating.md, run between local repositories: upstream moves on, a fork does too, and merges. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { execFileSync, spawnSync } from "./support/node/processes.ts";
import { isUpstream, shippedSettings } from "./support/node/upstream.ts";

const ROOT = resolve(import.meta.dirname, "..");
const PAGE = readFileSync(join(ROOT, "docs/updating.md"), "utf8");

/** The commands of a block of the page: `clone`, `fork`, `template`, `update` or `jsonc`. */
function commands(name: string): string {
  const [, text] = new RegExp(`^\`\`\`sh ${name}\\n(.*?)^\`\`\``, "ms").exec(PAGE) ?? [];
  if (text === undefined) throw new Error(`the page has no block ${name}`);
  return text;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trivet-update-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A repository in a folder of its own. */
class Repository {
  readonly root: string;

  constructor(name: string) {
    this.root = join(folder, name);
    mkdirSync(this.root, { recursive: true });
  }

  /** Without the tester's own settings. */
  get #env() {
    const who = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.com" };
    const committer = { GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.com" };
    return { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1", ...who, ...committer };
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.root, env: this.#env, encoding: "utf8", stdio: "pipe" });
  }

  /** Runs commands one after the other, as someone who pastes a block does. */
  paste(block: string): { code: number | null; printed: string } {
    const { status, stdout, stderr } = spawnSync("sh", ["-c", block], {
      cwd: this.root,
      env: this.#env,
      encoding: "utf8",
    });
    return { code: status, printed: stdout + stderr };
  }

  commit(files: Readonly<Record<string, string | undefined>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      if (text === undefined) rmSync(join(this.root, path));
      else writeFileSync(join(this.root, path), text);
    }
    this.git("add", "--all");
    this.git("commit", "--quiet", "-m", Object.keys(files).join(", "));
  }

  read(path: string): string | undefined {
    return existsSync(join(this.root, path)) ? readFileSync(join(this.root, path), "utf8") : undefined;
  }
}

const PACKAGE = (name: string, version: string, script: string) =>
  `{\n  "name": "${name}",\n  "version": "${version}",\n  "private": true,\n  "type": "module",\n  "scripts": {\n    "start": "${script}"\n  }\n}\n`;
const SETTINGS =
  'name = "trivet"\nmain = "src/index.ts"\n\n[vars]\nSERVER_NAME = "trivet"\n\n[[migrations]]\ntag = "v1"\n';

function upstreamRepository(): Repository {
  const upstream = new Repository("upstream");
  upstream.git("init", "--quiet", "--initial-branch=main");
  upstream.commit({ "README.md": "an earlier commit\n" });
  upstream.commit({
    "README.md": "Trivet\n",
    "src/index.ts": "export const version = 1;\n",
    "tools/calculator/add.ts": "export default 1;\n",
    "tools/notes/add.ts": "export default 1;\n",
    "wrangler.toml": SETTINGS,
    "package.json": PACKAGE("trivet", "0.1.0", "serve"),
  });
  return upstream;
}

/** What an owner does in the first weeks: own tools, no samples, own settings. */
function makeOwn(fork: Repository): void {
  fork.commit({
    "tools/weather/forecast.ts": "export default 7;\n",
    "tools/calculator/add.ts": undefined,
    "tools/notes/add.ts": "export default 'mine';\n",
    "README.md": "Acme\n",
    "wrangler.toml": SETTINGS.replaceAll('"trivet"', '"acme"'),
  });
}

/** Upstream changes the framework, its samples and the default settings, and adds a sample. */
function moveOn(upstream: Repository): void {
  upstream.commit({
    "src/index.ts": "export const version = 2;\n",
    "src/new.ts": "export const isNew = true;\n",
    "tools/calculator/add.ts": "export default 2;\n",
    "tools/notes/add.ts": "export default 2;\n",
    "tools/dice/roll.ts": "export default 2;\n",
    "README.md": "Trivet, faster\n",
    "wrangler.toml": `${SETTINGS}\n[[migrations]]\ntag = "v2"\n`,
    "package.json": PACKAGE("trivet", "0.2.0", "serve --faster"),
  });
}

function expectUpdated(fork: Repository): void {
  expect(fork.git("status", "--porcelain")).toBe("");
  expect(fork.read("src/index.ts")).toContain("version = 2");
  expect(fork.read("src/new.ts")).toBeDefined();
  expect(fork.read("package.json")).toContain("serve --faster");
  // The fork's own, as they were.
  expect(fork.read("README.md")).toBe("Acme\n");
  expect(fork.read("tools/weather/forecast.ts")).toBe("export default 7;\n");
  expect(fork.read("tools/notes/add.ts")).toBe("export default 'mine';\n");
  expect(fork.read("tools/calculator/add.ts")).toBeUndefined();
  expect(fork.read("tools/dice/roll.ts")).toBeUndefined();
  // The owner's values, and upstream's new lines.
  expect(fork.read("wrangler.toml")).toContain('SERVER_NAME = "acme"');
  expect(fork.read("wrangler.toml")).toContain('tag = "v2"');
}

/** Each way to copy the project, and what to do once. */
const WAYS: Readonly<Record<string, (upstream: Repository) => Repository>> = {
  clone(upstream) {
    upstream.git("clone", "--quiet", upstream.root, join(folder, "mine"));
    return new Repository("mine");
  },
  fork(upstream) {
    upstream.git("clone", "--quiet", "--bare", upstream.root, join(folder, "on-github"));
    upstream.git("clone", "--quiet", join(folder, "on-github"), join(folder, "mine"));
    return new Repository("mine");
  },
  template(upstream) {
    const mine = new Repository("mine");
    mine.git("init", "--quiet", "--initial-branch=main");
    // GitHub commits the same files again, without their history.
    const files = upstream.git("ls-files").trim().split("\n");
    mine.commit(Object.fromEntries(files.map((file) => [file, upstream.read(file)])));
    return mine;
  },
};

describe.each(Object.entries(WAYS))("%s", (way, copy) => {
  it("merges twice, and keeps what is the fork's", () => {
    const upstream = upstreamRepository();
    const mine = copy(upstream);
    makeOwn(mine);
    moveOn(upstream);
    const once = mine.paste(`set -e\n${commands(way).replaceAll("UPSTREAM", upstream.root)}`);
    expect(once).toMatchObject({ code: 0 });

    // The merge reports the deleted sample as a conflict, which the third command settles.
    const updated = mine.paste(commands("update"));
    expect(updated.printed).toContain("modify/delete");
    expect(updated).toMatchObject({ code: 0 });
    expectUpdated(mine);

    upstream.commit({
      "src/new.ts": "export const isNew = false;\n",
      "tools/calculator/add.ts": "export default 3;\n",
    });
    expect(mine.paste(commands("update"))).toMatchObject({ code: 0 });
    expect(mine.read("src/new.ts")).toContain("false");
    expectUpdated(mine);
  });
});

it("a renamed package is a conflict in two lines, and in nothing else", () => {
  const upstream = upstreamRepository();
  const mine = WAYS.fork?.(upstream) as Repository;
  makeOwn(mine);
  mine.commit({ "package.json": PACKAGE("acme-tools", "0.1.0", "serve") });
  moveOn(upstream);
  mine.paste(commands("fork").replaceAll("UPSTREAM", upstream.root));
  expect(mine.paste(commands("update")).code).not.toBe(0);
  expect(mine.git("diff", "--name-only", "--diff-filter=U").trim()).toBe("package.json");
  const text = mine.read("package.json") ?? "";
  expect(text).toContain('  "name": "acme-tools"');
  expect(text).toContain("serve --faster");
  mine.commit({ "package.json": PACKAGE("acme-tools", "0.2.0", "serve --faster") });
  expectUpdated(mine);
});

/** Replaces texts that must be there. */
function edited(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  for (const [from] of changes) expect(text).toContain(from);
  return changes.reduce((now, [from, to]) => now.replace(from, () => to), text);
}

/** A block of comments without its `#`: from its first line to the next empty one. */
function uncommented(text: string, first: string): readonly [string, string] {
  const [whole = ""] = text.slice(text.indexOf(`\n${first}\n`) + 1).split("\n\n");
  return [whole, whole.replaceAll(/^# /gm, "")];
}

it.skipIf(!isUpstream)(
  "what a fork writes in the shipped wrangler.toml does not conflict with what upstream adds there",
  () => {
    const upstream = upstreamRepository();
    upstream.commit({ "wrangler.toml": shippedSettings });
    const mine = WAYS.clone?.(upstream) as Repository;
    mine.paste(commands("clone"));
    const ownMigration = '[[migrations]]\ntag = "acme"\nnew_sqlite_classes = ["Acme"]\n';
    const own = edited(shippedSettings, [
      ['name = "trivet"\n', 'name = "acme"\n'],
      ['SERVER_NAME = "trivet"', 'SERVER_NAME = "acme"'],
      ['name = "trivet-long"', 'name = "acme-long"'],
      ['PUBLIC = "false"', 'PUBLIC = "true"'],
      ["# JWT_ISSUER", "JWT_ISSUER"],
      ["# JWT_JWKS_URL", "JWT_JWKS_URL"],
      ["# SIGN_IN", "SIGN_IN"],
      ["# TOKENS", "TOKENS"],
      ['OAUTH_SCOPES = "tools"', 'OAUTH_SCOPES = "acme"'],
      ['TWILIO_FROM = ""\n', ""],
      ['SESSION_TTL_SECONDS = "86400"\n', 'SESSION_TTL_SECONDS = "3600"\nACME_API = "https://api.acme.example"\n'],
      ['new_sqlite_classes = ["Outbox"]\n', `new_sqlite_classes = ["Outbox"]\n\n${ownMigration}`],
      uncommented(shippedSettings, "# [[r2_buckets]]"),
      uncommented(shippedSettings, "# [[migrations]]"),
    ]);
    const bindings =
      '\n[[d1_databases]]\nbinding = "DB"\ndatabase_name = "acme"\n\n[env.staging]\nname = "acme-staging"\n';
    mine.commit({ "wrangler.toml": own + bindings });
    // As CONTRIBUTING.md says, Conventions.
    const object = '[[durable_objects.bindings]]\nname = "NEXT"\nclass_name = "Next"\n\n';
    const migration = '[[migrations]]\ntag = "next"\nnew_sqlite_classes = ["Next"]\n\n';
    const limiter = '[[ratelimits]]\nname = "RATE_3"\nnamespace_id = "1003"\nsimple = { limit = 3, period = 60 }\n\n';
    const next = edited(shippedSettings, [
      [/^compatibility_date = .*$/m.exec(shippedSettings)?.[0] ?? "", 'compatibility_date = "2027-01-01"'],
      ["# Maximum size of", '# What is next.\n# NEXT_SECONDS = "60"\n\n# Maximum size of'],
      ["# Keeps files that callers attach", `${object}# Keeps files that callers attach`],
      ["# Runs long tools", `${migration}# Runs long tools`],
      ["# Add your own below", `${limiter}# Add your own below`],
    ]);
    upstream.commit({ "wrangler.toml": next });
    expect(mine.paste(commands("update"))).toMatchObject({ code: 0 });
    const merged = mine.read("wrangler.toml") ?? "";
    for (const text of [bindings, 'ACME_API = "', '\nSIGN_IN = "true"', '\nbinding = "FILES"'])
      expect(merged).toContain(text);
    for (const text of [object, migration, limiter, '# NEXT_SECONDS = "60"', "2027-01-01"])
      expect(merged).toContain(text);
    // A deployment runs the migrations below the last one that it has run.
    const tags = [...merged.matchAll(/^tag = "(.*)"$/gm)].map(([, tag]) => tag);
    expect(tags.slice(-4)).toEqual(["acme", "sessions", "files", "next"]);
  },
);

it("a fork that has wrangler.jsonc, and no README, gets neither file of upstream's", () => {
  const upstream = upstreamRepository();
  const mine = WAYS.fork?.(upstream) as Repository;
  makeOwn(mine);
  mine.commit({ "wrangler.toml": undefined, "README.md": undefined, "wrangler.jsonc": '{ "name": "acme" }\n' });
  moveOn(upstream);
  mine.paste(commands("fork").replaceAll("UPSTREAM", upstream.root));
  const update = commands("update").replace(/^(?=git commit)/m, commands("jsonc"));
  for (const version of ["2", "3"]) {
    if (version === "3") upstream.commit({ "src/index.ts": "export const version = 3;\n" });
    expect(mine.paste(update)).toMatchObject({ code: 0 });
    expect(mine.git("status", "--porcelain")).toBe("");
    expect(mine.read("src/index.ts")).toContain(`version = ${version}`);
    expect(mine.git("ls-files")).not.toMatch(/wrangler\.toml|README/);
    expect(mine.read("tools/notes/add.ts")).toBe("export default 'mine';\n");
  }
});

it("a copy of upstream without changes of its own is updated too", () => {
  const upstream = upstreamRepository();
  const mine = WAYS.clone?.(upstream) as Repository;
  mine.paste(commands("clone"));
  moveOn(upstream);
  expect(mine.paste(commands("update"))).toMatchObject({ code: 0 });
  expect(mine.read("src/index.ts")).toContain("version = 2");
});
