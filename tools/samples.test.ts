/** Rules for the samples, which people copy: few imports, no eval, short files. */
import { describe, expect, it } from "vitest";

const FILES = import.meta.glob<string>(
  ["./*.ts", "./{calculator,csv,dns,doorbell,gmail,notes,sms,system,web}/*.ts", "!./samples.test.ts"],
  { query: "?raw", import: "default", eager: true },
);

/** Allowed imports: `#tool`, packages, and files of the samples. */
const TOOL_IMPORTS = /^(#tool|\.\/[^/]+|(?!hono)[@a-z].*)$/;
const TEST_IMPORTS = /^(#test|vitest|valibot|cloudflare:.*|node:.*|\.\/[^/]+|\.\.\/README\.md\?raw)$/;

const importsOf = (text: string) =>
  Array.from(text.matchAll(/^(?:import|export)\s[^;]*?from\s+"([^"]+)";|import\("([^"]+)"\)/gms), ([, from, dynamic]) =>
    String(from ?? dynamic),
  );

describe.each(Object.entries(FILES))("%s", (file, text) => {
  it("imports what a tool may", () => {
    const may = file.endsWith(".test.ts") ? TEST_IMPORTS : TOOL_IMPORTS;
    expect(importsOf(text).filter((from) => !may.test(from))).toEqual([]);
  });

  it("uses no eval", () => {
    expect(text).not.toMatch(/\beval\(|new Function\(/);
  });

  it("is short enough to read", () => {
    expect(text.split("\n").length).toBeLessThanOrEqual(300);
  });
});
