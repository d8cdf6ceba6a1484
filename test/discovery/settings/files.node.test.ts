/** Files need two bindings in wrangler.toml: discovery says which lines are missing if one is, and builds without them. */
import { describe, expect, it } from "vitest";
import { testSettings } from "../../support/node/fork.ts";
import { project, tool } from "../../support/node/project.ts";

const TAKING = tool({ attachments: "true" });
const BUCKET = '[[r2_buckets]]\nbinding = "FILES"\n';
const OBJECTS = '[[durable_objects.bindings]]\nname = "FILE_RECORDS"\nclass_name = "FileRecords"\n';
const MIGRATION = '[[migrations]]\ntag = "files"\nnew_sqlite_classes = ["FileRecords"]\n';
const lines = (text: string) => text.trimEnd().replaceAll(/^/gm, "           ");

async function discovered(
  toml: string,
  tools: Record<string, string> = { "kit/add.ts": TAKING, "kit/sub.ts": tool() },
) {
  const { code, stderr } = await project({ ...tools, "../wrangler.toml": testSettings() + toml }).discover();
  return [code, stderr.trimEnd()];
}

describe.concurrent("the bindings of files", () => {
  it("are both missing: no word, because a tool that takes files may do without any; npm run doctor says so", async () => {
    expect(await discovered("")).toEqual([0, ""]);
  });

  it("are there as the message has them: no warning, with or without a tool", async () => {
    const all = BUCKET + OBJECTS + MIGRATION;
    expect(await discovered(all)).toEqual([0, ""]);
    expect(await discovered(all, { "kit/sub.ts": tool() })).toEqual([0, ""]);
  });

  it.each([
    ["FILES", OBJECTS + MIGRATION, BUCKET],
    ["FILE_RECORDS", BUCKET, OBJECTS + MIGRATION],
    ["FILES", OBJECTS, BUCKET + MIGRATION],
  ])("lack %s: a warning with the lines that are missing, and no others", async (name, there, missing) => {
    const [code, printed] = await discovered(there, {});
    expect(code).toBe(0);
    expect(printed).toBe(
      [
        "1 warning(s) in settings:",
        "wrangler.toml",
        `  problem: the binding ${name} is missing: there, calls with attachments are refused`,
        "  fix:     add these lines (docs/files.md), or leave it so if no tool takes attachments:",
        lines(missing),
      ].join("\n"),
    );
  });

  it("are missing in an environment, which inherits none: says so", async () => {
    const [code, printed] = await discovered(`${BUCKET}${OBJECTS}${MIGRATION}[env.staging.vars]\nPUBLIC = "true"\n`);
    expect([code, printed]).toEqual([
      0,
      expect.stringContaining("the bindings FILES and FILE_RECORDS are missing in [env.staging]: there, calls with"),
    ]);
    expect(printed).toContain('           [[env.staging.r2_buckets]]\n           binding = "FILES"\n');
    expect(printed).not.toContain("[[migrations]]");
  });
});
