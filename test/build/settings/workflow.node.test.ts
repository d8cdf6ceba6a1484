/** A long tool needs a workflow in wrangler.toml to be durable: discovery says which lines, and builds without it. */
import { describe, expect, it } from "vitest";
import { testSettings } from "../../support/node/fork.ts";
import { project, tool } from "../../support/node/project.ts";

const LONG = tool({ long: "true" });
const WORKFLOW = '[[workflows]]\nname = "acme-long"\nbinding = "LONG"\nclass_name = "LongRun"\n';
const SETTINGS = testSettings().replace('name = "trivet"', 'name = "acme"');

function discovered(tools: Record<string, string>, toml: string) {
  return project({ ...tools, "../wrangler.toml": toml }).discover();
}

describe.concurrent("the workflow LONG", () => {
  it("is missing: a warning at the line of each long tool, with the lines to add", async () => {
    const { code, stderr } = await discovered({ "kit/add.ts": LONG, "kit/sub.ts": tool() }, SETTINGS);
    expect([code, stderr.trimEnd().split("\n")]).toEqual([
      0,
      [
        "1 warning(s) in tools:",
        "tools/kit/add.ts:10",
        "  problem: it is long, and wrangler.toml has no workflow to run it: its calls are cut short after 15 minutes, and by each deployment",
        "  fix:     add these lines to wrangler.toml (docs/tasks.md):",
        "           [[workflows]]",
        '           name = "acme-long"',
        '           binding = "LONG"',
        '           class_name = "LongRun"',
      ],
    ]);
  });

  it("is missing, and CLAIMS, too, or only CLAIMS: says that calls end with their requests, and what to add", async () => {
    const without = SETTINGS.replace('"CLAIMS"', '"NOT_CLAIMS"');
    for (const [toml, fix] of [
      [
        without,
        /copy the lines of CLAIMS from upstream's wrangler\.toml, and add these lines to wrangler\.toml \(.*\):\n +\[\[workflows\]\]\n/,
      ],
      [without + WORKFLOW, /copy the lines of CLAIMS from upstream's wrangler\.toml\n/],
    ] as const) {
      const { code, stderr } = await discovered({ "kit/add.ts": LONG }, toml);
      expect([code, stderr]).toEqual([0, expect.stringContaining("CLAIMS: its calls end with their requests")]);
      expect(stderr).toMatch(fix);
    }
  });

  it("is there as the message has it: no warning", async () => {
    const { stderr } = await discovered({ "kit/add.ts": LONG }, SETTINGS + WORKFLOW);
    expect(stderr).toBe("");
  });

  it("is there for another class, or under another name: it is missing", async () => {
    for (const other of [WORKFLOW.replace('"LongRun"', '"Other"'), WORKFLOW.replace('"LONG"', '"OTHER"')]) {
      const { stderr } = await discovered({ "kit/add.ts": LONG }, SETTINGS + other);
      expect(stderr).toContain("wrangler.toml has no workflow to run it");
    }
  });

  it("is missing in an environment, which inherits none: says so", async () => {
    const { stderr } = await discovered(
      { "kit/add.ts": LONG },
      `${SETTINGS}${WORKFLOW}[env.staging.vars]\nPUBLIC = "true"\n`,
    );
    expect(stderr).toContain(
      "problem: the workflow LONG is missing in [env.staging]: there, calls of long tools are cut short",
    );
    expect(stderr).toContain('           [[env.staging.workflows]]\n           name = "acme-staging-long"\n');
  });

  it("is there without a long tool: no warning", async () => {
    expect(await discovered({ "kit/add.ts": tool() }, SETTINGS + WORKFLOW)).toMatchObject({ code: 0, stderr: "" });
  });
});
