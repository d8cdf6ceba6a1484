/** docs/storage.md names everything that is stored: this fails if the code stores something that the page lacks. */
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(resolve(ROOT, path), "utf8");
const page = read("docs/storage.md");
// Without comments, which mention names as well, and without the clients and the preview page, which store nothing.
const code = globSync("src/**/*.ts", { cwd: ROOT, exclude: ["src/{client,connect,front-page,cli/start/preview}/**"] })
  .map((path) => read(path).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""))
  .join("\n");
const library = read("node_modules/@cloudflare/workers-oauth-provider/dist/oauth-provider.js");

/** The distinct matches of a pattern's first group. */
const all = (text: string, pattern: RegExp) =>
  [...new Set(Array.from(text.matchAll(pattern), ([, found = ""]) => found))].sort();

/** Prefixes before a colon at the start of a string. Principals look the same, and are on the page as well. */
const PREFIX = /["`]([a-z]+(?:-[a-z]+)*):(?:\$\{|")/g;
const SCHEMES = ["http", "https", "data", "file", "javascript", "node", "vscode"];
const OURS = all(code, PREFIX).filter((prefix) => !SCHEMES.includes(prefix));
const THEIRS = all(library, /(?:kv|OAUTH_KV)\.put\(`([a-z-]+):/g);
const TABLES = all(code, /CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g);
const KEYS = all(code, /storage\.put\("([^"]+)"/g);
const CLASSES = all(code, /^export (?:abstract )?class (\w+) extends DurableObject/gm);

describe("docs/storage.md names", () => {
  it("everything that this test finds in the code", () => {
    expect(OURS).toEqual(expect.arrayContaining(["call", "ended", "key", "left", "session"]));
    expect(THEIRS).toEqual(expect.arrayContaining(["client", "token", "transaction"]));
    expect(TABLES).toEqual(expect.arrayContaining(["claims", "contents", "messages", "sessions"]));
    expect(KEYS).toEqual(expect.arrayContaining(["revision", "signing-key"]));
    expect(CLASSES).toEqual(expect.arrayContaining(["ClaimsObject", "Hub", "Mailbox", "Sessions", "Vault"]));
  });

  it.each(OURS)("the KV prefix %s:", (prefix) => {
    expect(page).toContain(`\`${prefix}:<`);
  });

  it.each(THEIRS)("the sign-in library's KV prefix %s:", (prefix) => {
    expect(page).toContain(`KV \`${prefix}:<`);
  });

  it.each(TABLES)("the table %s", (table) => {
    expect(page).toContain(`table \`${table}\``);
  });

  it.each(KEYS)("the key %s of an object's storage", (key) => {
    expect(page).toContain(`key \`${key}\``);
  });

  it.each(CLASSES)("the objects of %s", (name) => {
    expect(page).toContain(`\`${name.replace(/Object$/, "")}\``);
  });

  it("only existing files", () => {
    const paths = all(page, /`((?:src|test)\/[\w/.-]+)`/g);
    expect(paths.length).toBeGreaterThan(8);
    for (const path of paths) expect(globSync(path, { cwd: ROOT }), path).toHaveLength(1);
  });
});
