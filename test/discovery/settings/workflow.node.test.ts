/** A long tool needs a workflow in wrangler.toml, and CLAIMS: discovery refuses it without, and says which lines to add. */
import { describe, expect, it } from "vitest";
import { testSettings } from "../../support/node/fork.ts";
import { project, tool } from "../../support/node/project.ts";

const LONG = tool({ long: "true" });
const WORKFLOW = '[[workflows]]\nname = "acme-long"\nbinding = "LONG"\nclass_name = "LongRun"\n';
const SETTINGS = testSettings().replace('name = "trivet"', 'name = "acme"');

function discovered(tools: Record<string, string>, toml: string) {
  return project({ ...tools, "../wrangler.toml": toml }).discover();
}

const CLAIMS = '[[durable_objects.bindings]]\nname = "CLAIMS"\nclass_name = "Claims"\n';
const MIGRATION = '[[migrations]]\ntag = "v2"\nnew_sqlite_classes = ["Claims"]\n';

/** The lines that the message says to add. */
function linesIn(message: string): string {
  const [, lines = ""] = message.split("to wrangler.toml (docs/tasks.md):\n");
  return lines.replaceAll(/^ {11}/gm, "");
}

describe.concurrent("the workflow LONG", () => {
  it("is missing: an error at the line of each long tool, with the lines to add", async () => {
    const { code, stderr } = await discovered({ "kit/add.ts": LONG, "kit/sub.ts": tool() }, SETTINGS);
    expect([code, stderr.trimEnd().split("\n")]).toEqual([
      1,
      [
        "1 problem(s) in tools:",
        "tools/kit/add.ts:10",
        "  problem: it is long, and wrangler.toml lacks what runs it: the workflow LONG",
        "  fix:     add these lines to wrangler.toml (docs/tasks.md):",
        "           [[workflows]]",
        '           name = "acme-long"',
        '           binding = "LONG"',
        '           class_name = "LongRun"',
      ],
    ]);
  });

  it.each([
    ["and CLAIMS, too", "", CLAIMS, "the workflow LONG, the binding CLAIMS", WORKFLOW + CLAIMS],
    ["or only CLAIMS", WORKFLOW, CLAIMS, "the binding CLAIMS", CLAIMS],
    [
      "and CLAIMS with its migration",
      "",
      CLAIMS + MIGRATION,
      "the workflow LONG, the binding CLAIMS",
      WORKFLOW + CLAIMS + MIGRATION.replace("v2", "claims"),
    ],
  ])("is missing, %s: with these lines it is served", async (_, more, without, names, lines) => {
    const toml = [CLAIMS, MIGRATION].reduce(
      (text, part) => text.replace(without.includes(part) ? part : "", ""),
      SETTINGS,
    );
    const { code, stderr } = await discovered({ "kit/add.ts": LONG }, toml + more);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`lacks what runs it: ${names}\n`)]);
    expect(linesIn(stderr)).toBe(lines);
    expect(await discovered({ "kit/add.ts": LONG }, toml + more + lines)).toMatchObject({ code: 0, stderr: "" });
  });

  it("is there for another class, or under another name: it is missing", async () => {
    for (const other of [WORKFLOW.replace('"LongRun"', '"Other"'), WORKFLOW.replace('"LONG"', '"OTHER"')]) {
      const { code, stderr } = await discovered({ "kit/add.ts": LONG }, SETTINGS + other);
      expect([code, stderr]).toEqual([1, expect.stringContaining("lacks what runs it: the workflow LONG\n")]);
    }
  });

  it("is missing in an environment, which inherits none: says so", async () => {
    const staging = `${SETTINGS}${WORKFLOW}[env.staging.vars]\nPUBLIC = "true"\n`;
    const { code, stderr } = await discovered({ "kit/add.ts": LONG }, staging);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("it: the workflow LONG in [env.staging], the binding CLAIMS in [env.staging]\n"),
    ]);
    const lines = linesIn(stderr);
    expect(lines.startsWith('[[env.staging.workflows]]\nname = "acme-staging-long"\n')).toBe(true);
    const served = await discovered({ "kit/add.ts": LONG }, staging + lines);
    expect(served.code).toBe(0);
    // Without a long tool, nothing is missing there.
    expect((await discovered({ "kit/add.ts": tool() }, staging)).stderr).not.toMatch(/LONG|CLAIMS/);
  });

  it("is there without a long tool: no warning", async () => {
    expect(await discovered({ "kit/add.ts": tool() }, SETTINGS + WORKFLOW)).toMatchObject({ code: 0, stderr: "" });
  });
});
