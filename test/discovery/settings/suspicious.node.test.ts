/** Warnings about wrangler.toml: what is probably a misspelled setting, and bindings that the framework needs. */
import { describe, expect, it } from "vitest";
import { runDiscovery } from "../../support/node/discovery.ts";
import { testSettings } from "../../support/node/fork.ts";
import { project, tool } from "../../support/node/project.ts";

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

  it("with fields that wrangler ignores: says where each is, and what was probably meant", async () => {
    const toml = [
      'LOG_CALLS = "true"',
      ...["[[d1_database]]", 'binding = "DB"'],
      ...["[[kv_namespaces]]", 'binding = "A"', "[[kv_namespaces]]", 'binding = "B"', 'SERVER_NAME = "x"'],
      ...["[vars]", 'crons = "mine"', "workers_dev = false"],
      ...["[triggers]", 'cron = ["0 9 * * *"]'],
      ...["[env.a.observability]", "enabled = true", 'PUBLIC = "true"', "minify = true"],
      ...["[env.a.vars]", 'TEXT = "x"'],
      ...["[[env.a.queues.consumers]]", 'queue = "a"', "[[env.a.queues.consumers]]", 'queue = "b"', 'TEXT = "x"'],
    ];
    const { code, stderr } = await discovered(toml.join("\n"));
    expect(code).toBe(0);
    const found = stderr.matchAll(/^(wrangler\.toml\S*)\n {2}problem: (.*)\n {2}fix: +(.*)/gm);
    expect([...found].map(([, ...words]) => words)).toEqual([
      [
        "wrangler.toml:1",
        "LOG_CALLS is above the first [table], where wrangler ignores it",
        "if it is a variable, move it to [vars]",
      ],
      [
        "wrangler.toml:2",
        "d1_database is above the first [table], where wrangler ignores it",
        "did you mean d1_databases?",
      ],
      [
        "wrangler.toml:8",
        "SERVER_NAME is in [[kv_namespaces]], where wrangler ignores it",
        "if it is a variable, move it to [vars]",
      ],
      [
        "wrangler.toml:11",
        "workers_dev is in [vars]: there it is a variable, not a setting of wrangler's",
        "move it above the first [table], or rename it if it is a variable of yours",
      ],
      ["wrangler.toml:13", "cron is in [triggers], where wrangler ignores it", "did you mean crons?"],
      [
        "wrangler.toml:16",
        "PUBLIC is in [env.a.observability], where wrangler ignores it",
        "if it is a variable, move it to [env.a.vars]",
      ],
      [
        "wrangler.toml:17",
        "minify is in [env.a.observability], where wrangler ignores it",
        "move it above the first [table]",
      ],
      [
        "wrangler.toml:24",
        "TEXT is in [[env.a.queues.consumers]], where wrangler ignores it",
        "if it is a variable, move it to [env.a.vars]",
      ],
    ]);
  });

  it("with a misspelled table that a tool needs: npm start says both", async () => {
    const made = project({
      "../wrangler.toml": '[[d1_database]]\nbinding = "DB"\n',
      "kit/a.ts": tool({ env: '["DB"]' }),
    });
    const { code, stderr } = await runDiscovery(made.tools, made.out, ["--starting"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/did you mean d1_databases\?[\s\S]*its env has DB/);
  });

  it("with crons that Cloudflare refuses: says which field is wrong, once for all environments", async () => {
    const right = ["*/5 * * * *", "0 9 * * MON-FRI", "0 0 L * *", "0 0 LW jan-mar *", "0 0 15W * *", "30 8 * * 6L"];
    right.push("0 0 * * mon#1", "1,5-9/2 0-23/3 1 1,12 1-7");
    const wrong = ["* * * *", "0 0 * * * *", "60 * * * *", "0 24 * * *", "0 0 0 * *", "0 0 * 13 *", "0 0 * * 0"];
    wrong.push("*/0 * * * *", "0 0 * * FUNDAY", "@daily");
    const toml = `[triggers]\ncrons = ${JSON.stringify([...right, ...wrong])}\n[env.a.vars]\nTEXT = "x"\n`;
    const { code, stderr } = await discovered(toml);
    expect([code, stderr.match(/problem: .*/g)]).toEqual([
      0,
      [
        ...['the cron "* * * *" has 4 fields', 'the cron "0 0 * * * *" has 6 fields'],
        ...['the cron "60 * * * *" has "60" as its minute', 'the cron "0 24 * * *" has "24" as its hour'],
        ...['the cron "0 0 0 * *" has "0" as its day of the month', 'the cron "0 0 * 13 *" has "13" as its month'],
        'the cron "0 0 * * 0" has "0" as its day of the week',
        ...[
          'the cron "*/0 * * * *" has "*/0" as its minute',
          'the cron "0 0 * * FUNDAY" has "FUNDAY" as its day of the week',
        ],
        'the cron "@daily" has 1 field',
      ].map((problem) => `problem: ${problem}: Cloudflare refuses it`),
    ]);
    expect(stderr).toContain("wrangler.toml:2\n");
    expect(stderr).toContain(
      "fix:     write 1 (Sunday) to 7 (Saturday), or SUN to SAT, *, or a range, list or step of them",
    );
  });

  it("with a class that no migration makes says what to add", async () => {
    const bound = (name: string) => `[[durable_objects.bindings]]\nname = "OBJECTS"\nclass_name = "${name}"\n`;
    const fixOf = async (name: string) => {
      const { code, stderr } = await discovered(`${testSettings()}\n${bound(name)}`);
      expect([code, stderr]).toEqual([0, expect.stringContaining(`OBJECTS is bound to the class ${name}, which no`)]);
      return /fix: +(.*)/.exec(stderr)?.[1];
    };
    expect(await fixOf("Sessions")).toBe('add [[migrations]] with new_sqlite_classes = ["Sessions"] and a new tag');
    expect(await fixOf("Room")).toBe('add script_name = "…", the Worker that has the class Room');
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
