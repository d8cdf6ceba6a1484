/** Warnings about wrangler.toml: what is probably a misspelled setting, and bindings that the framework needs. */
import { describe, expect, it } from "vitest";
import { testSettings } from "../../support/node/fork.ts";
import { project } from "../../support/node/project.ts";

/** Without tools, which would take most of the time. */
function discovered(toml: string, more: Record<string, string> = {}) {
  return project({ "../wrangler.toml": toml, ...more }).discover();
}

describe.concurrent("wrangler.toml", () => {
  it("as it comes has no warning", async () => {
    expect(await discovered(testSettings())).toMatchObject({ code: 0, stderr: "" });
  });

  it("with a variable that is nearly a setting: a warning with its line, and no error", async () => {
    const { code, stderr } = await discovered(
      '[vars]\nPUBLICC = "true"\nMY_OWN = "x"\nLOCALE = "de"\n[env.a.vars]\nRATE_PER_MINUET = "5"\nTASKS_PER_PRINCIPLE = "5"\n',
    );
    expect([code, stderr.trimEnd().split("\n")]).toEqual([
      0,
      [
        "3 warning(s) in settings:",
        "wrangler.toml:2",
        "  problem: PUBLICC in [vars] is not a setting of Trivet",
        expect.stringMatching(/^ {2}fix: +did you mean PUBLIC\?/),
        "wrangler.toml:6",
        "  problem: RATE_PER_MINUET in [env.a.vars] is not a setting of Trivet",
        expect.stringMatching(/^ {2}fix: +did you mean RATE_PER_MINUTE\?/),
        "wrangler.toml:7",
        "  problem: TASKS_PER_PRINCIPLE in [env.a.vars] is not a setting of Trivet",
        expect.stringMatching(/^ {2}fix: +did you mean TASKS_PER_PRINCIPAL\?/),
      ],
    ]);
  });

  it.each(["KV", "VAULT", "MAILBOX", "HUB"])("without the binding %s says what fails", async (name) => {
    const toml = testSettings().replace(`"${name}"`, `"NOT_${name}"`);
    const { code, stderr } = await discovered(toml);
    expect([code, stderr.split("\n").slice(0, 3)]).toEqual([
      0,
      ["1 warning(s) in settings:", "wrangler.toml", expect.stringContaining(`the binding ${name} is missing: `)],
    ]);
    expect(stderr).toMatch(new RegExp(`fix: +add these lines:\n +\\[\\[.*\\]\\]\n +(name|binding) = "${name}"\n`));
  });

  it("with an environment, which inherits no binding, says so for each", async () => {
    const { stderr } = await discovered(`${testSettings()}\n[env.a.vars]\nPUBLIC = "true"\n`);
    expect(stderr).toMatch(/^4 warning\(s\)/);
    expect(stderr).toContain("the binding KV is missing in [env.a]: ");
  });
});

it("a value in .dev.vars that a # cuts off is a warning with its line, and without the value", async () => {
  const lines = [
    "A=123#456",
    "export B = p w#d",
    "C=#fff",
    "# D=1#2",
    "E=1 # a comment",
    "F=",
    "G= # a comment",
    "H='1#2'",
    'I="first',
    'I2=second#third"',
    "J=1#",
  ];
  const { code, stderr } = await discovered(testSettings(), {
    "../.dev.vars": lines.join("\r\n"),
    "../.dev.vars.staging": "\nTOKEN=abc#def",
  });
  expect([code, stderr.match(/^\.dev\.vars.*|write it.*/gm)]).toEqual([
    0,
    [
      ...[".dev.vars:1", 'write it in quotes: A="…"'],
      ...[".dev.vars:2", 'write it in quotes: B="…"'],
      ...[".dev.vars:3", 'write it in quotes: C="…"'],
      ...[".dev.vars:11", 'write it in quotes: J="…"'],
      ...[".dev.vars.staging:2", 'write it in quotes: TOKEN="…"'],
    ],
  ]);
  expect(stderr).not.toMatch(/123|456|fff|abc|def/);
});
