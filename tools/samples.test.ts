/** Rules for the samples, which people copy: few imports, no eval, short files. */
import { describe, expect, it } from "vitest";

const FILES = import.meta.glob<string>(
  [
    "./_oxp-definitions.ts",
    "./{oxp-documents,readme}.test.ts",
    "./{calculator,doorbell,gmail,links,notes,sms,system,words}/*.{ts,html,md}",
  ],
  { query: "?raw", import: "default", eager: true },
);
// A fork may have its settings in wrangler.jsonc.
const [settings = ""] = Object.values(
  import.meta.glob<string>(["../wrangler.toml"], { query: "?raw", import: "default", eager: true }),
);
const CODE = Object.entries(FILES).filter(([file]) => file.endsWith(".ts"));
const LINES = Object.entries(FILES).map(([file, text]) => [file, text.trimEnd().split("\n").length] as const);
const isTest = ([file]: readonly [string, unknown]) => file.includes(".test.") || file === "./_oxp-definitions.ts";

/** Allowed imports: `#tool`, packages, and files of the samples. */
const TOOL_IMPORTS = /^(#tool|\.\/[^/]+|(?!hono)[@a-z].*)$/;
const TEST_IMPORTS = /^(#test|vitest|valibot|cloudflare:.*|node:.*|\.\/[^/]+|\.\.\/README\.md\?raw)$/;

const importsOf = (text: string) =>
  Array.from(text.matchAll(/^(?:import|export)\s[^;]*?from\s+"([^"]+)";|import\("([^"]+)"\)/gms), ([, from, dynamic]) =>
    String(from ?? dynamic),
  );

describe.each(CODE)("%s", (file, text) => {
  it("imports what a tool may", () => {
    const may = file.endsWith(".test.ts") ? TEST_IMPORTS : TOOL_IMPORTS;
    expect(importsOf(text).filter((from) => !may.test(from))).toEqual([]);
  });

  it("uses no eval", () => {
    expect(text).not.toMatch(/\beval\(|new Function\(/);
  });
});

// Your own version of a sample may be as long as you like: a fork is known by the name of its Worker.
describe.skipIf(!/^name = "trivet"$/m.test(settings))("as upstream ships them", () => {
  it.each(LINES)("%s is short enough to read (%i lines)", (file, lines) => {
    expect(lines).toBeLessThanOrEqual(isTest([file, lines]) ? 300 : 60);
  });

  it("all together are read in a quarter of an hour", () => {
    const lines = LINES.filter((entry) => !isTest(entry)).reduce((sum, [, lines]) => sum + lines, 0);
    expect(lines).toBeLessThanOrEqual(700);
  });
});
