/** Settings in wrangler.jsonc or wrangler.json, which wrangler prefers to wrangler.toml: read alike, and never written. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runDiscovery } from "../../support/node/discovery.ts";
import { project, tool } from "../../support/node/project.ts";

/** Discovers a project with these files beside `tools/`, and these in it. */
async function discovered(files: Record<string, string>, tools: Record<string, string> = {}) {
  const beside = Object.fromEntries(Object.entries(files).map(([path, text]) => [`../${path}`, text]));
  const { code, stderr } = await project({ ...beside, ...tools }).discover();
  return { code, lines: stderr.trimEnd().split("\n") };
}

const WRONG = `{
  // "PUBLIC": "in a comment",
  "name": "acme",
  "dev": { "host": "a.example" },
  "vars": {
    "MINE": ["PUBLIC", { "PUBLIC": 1 }], /* "PUBLIC":
    2 */
    "PUBLIC": "yes", "RATE_PER_MINUTE": "45",
    "JWT_ISSUER": "https://login.example.com",
  },
  "env": { "staging": {
    "vars": { "LOG_CALLS": "no" },
    "assets": {
      "directory": "./src/generated/front-page",
    },
  } },
}
`;

describe.each(["wrangler.jsonc", "wrangler.json"])("%s", (name) => {
  it("has its mistakes named with their lines, and what to write as JSON", async () => {
    const { code, lines } = await discovered({ [name]: WRONG });
    expect(code).toBe(1);
    expect(lines).toEqual([
      "6 problem(s) in settings:",
      `${name}:4`,
      expect.stringContaining('host in "dev" hides'),
      expect.stringContaining("remove it"),
      `${name}:8`,
      expect.stringContaining('PUBLIC is "yes" in "vars"'),
      expect.stringContaining('write "true" or "false"'),
      `${name}:9`,
      expect.stringContaining('JWT_ISSUER is set in "vars", but'),
      expect.stringContaining('write "TOKENS": "true" in "vars"'),
      `${name}:8`,
      expect.stringContaining("there is no rate limiter RATE_45"),
      expect.stringContaining('or add an element of "ratelimits" with "name": "RATE_45"'),
      `${name}:12`,
      expect.stringContaining('LOG_CALLS is "no" in "env.staging.vars"'),
      expect.stringContaining('write "true" or "false"'),
      `${name}:14`,
      expect.stringContaining('"env.staging.assets" has the page at /'),
      expect.stringContaining("write, or remove the block"),
      ...[
        "// If such a member exists already, add to it: of two with the same name, only the last counts.",
        '"env": {',
        '  "staging": {',
        '    "assets": {',
        '      "directory": "src/generated/front-page",',
        '      "binding": "ASSETS",',
        '      "run_worker_first": true',
        "    }",
        "  }",
        "}",
      ].map((line) => `           ${line}`),
    ]);
  });

  it("that is no JSON is an error with its line", async () => {
    const { code, lines } = await discovered({ [name]: '{\n  "name": "acme",\n  "vars": { "PUBLIC" }\n}\n' });
    expect([code, lines[1]]).toEqual([1, `${name}:3`]);
    expect(lines[3]).toMatch(/correct this line$/);
  });

  it("has a field that wrangler ignores in an entry of a list: the warning has its line", async () => {
    const lists =
      '{ "kv_namespaces": [{ "binding": "A" },\n{ "binding": "B", "preview_id": "b,c",\n"SERVER_NAME": "x" }] }';
    const { code, lines } = await discovered({ [name]: lists });
    expect([code, lines[0], lines[1]]).toEqual([0, "1 warning(s) in settings:", `${name}:3`]);
  });

  it("lacks a rule for what a tool imports: the message names it, with the element to add", async () => {
    const tools = {
      "kit/read.ts": `import "./names.csv";\n${tool()}`,
      "kit/names.csv": "a",
      "kit/b.ts": tool({ rate: "0" }),
    };
    const text = (await discovered({ [name]: '{ "name": "acme" }' }, tools)).lines.join("\n");
    expect(text).toContain(`a .csv file, and ${name} has no rule`);
    expect(text).toContain(`add to ${name}: an element of "rules" with "type": "Text", "globs": ["**/*.csv"]`);
    expect(text).not.toMatch(/wrangler\.toml|\[\[/);
  });

  it("lacks what a tool needs: the message names it, with members to add", async () => {
    const bound = { ai: { binding: "AI" }, vars: { RATE_PER_MINUTE: "" } };
    const tools = {
      "kit/long.ts": tool({ long: "true" }),
      "kit/many.ts": tool({ rate: "7" }),
      "kit/use.ts": tool({ env: '["AI", "MY_QUEUE", "MY_NAME"]' }),
    };
    const { code, lines } = await discovered({ [name]: JSON.stringify(bound) }, tools);
    const text = lines.join("\n");
    expect(code).toBe(1);
    expect(text).toContain(`${name} lacks what runs it: the workflow LONG, the binding CLAIMS`);
    expect(text).toMatch(
      /"workflows": \[\s+\{\s+"name": "trivet-long",\s+"binding": "LONG",\s+"class_name": "LongRun"\s+\}/,
    );
    expect(text).toContain(`${name} has no rate limiter RATE_7`);
    expect(text).toMatch(/"queues": \{\s+"producers": \[\s+\{\s+"binding": "MY_QUEUE",\s+"queue": "my-queue"/);
    expect(text).toContain(`add this line under "vars" in ${name} (`);
    expect(text).toContain('           "MY_NAME": ""');
    expect(text).not.toMatch(/wrangler\.toml|\[\[/);
  });
});

describe("two settings files at once are an error, which says whose settings count", () => {
  const VALID = { "wrangler.toml": 'name = "acme"\n', "wrangler.jsonc": '{ "name": "acme" }', "wrangler.json": "{}" };
  const of = (...names: (keyof typeof VALID)[]) => Object.fromEntries(names.map((name) => [name, VALID[name]]));

  it.each([
    ["wrangler.toml", "wrangler.jsonc"],
    ["wrangler.toml", "wrangler.json"],
    ["wrangler.jsonc", "wrangler.json"],
  ] as const)("%s beside %s, which wrangler takes", async (other, taken) => {
    const { code, lines } = await discovered(of(other, taken));
    expect([code, ...lines]).toEqual([
      1,
      "1 problem(s) in settings:",
      other,
      `  problem: wrangler reads ${taken} instead: this file has no effect`,
      `  fix:     move what you need into ${taken}, and remove this file`,
    ]);
  });

  it("copies, whatever they are called, are no second file", async () => {
    const copies = { "wrangler.staging.jsonc": "{}", "wrangler.prod.toml": "", "wrangler.json.bak": "" };
    expect(await discovered({ ...of("wrangler.toml"), ...copies })).toMatchObject({ code: 0 });
  });

  it("one in a folder further up, of a name that wrangler looks for first", async () => {
    const made = project();
    const folder = join(made.folder, "apps/tools");
    mkdirSync(join(folder, "tools"), { recursive: true });
    writeFileSync(join(folder, "wrangler.toml"), VALID["wrangler.toml"]);
    const run = () => runDiscovery(join(folder, "tools"), join(folder, "generated/catalog.ts"));
    writeFileSync(join(made.folder, "wrangler.toml"), "not read: a nearer one has this name");
    expect(await run()).toMatchObject({ code: 0 });
    writeFileSync(join(made.folder, "wrangler.jsonc"), "{}");
    const { code, stderr } = await run();
    expect([code, stderr.split("\n").slice(1, 3)]).toEqual([
      1,
      [
        "../../wrangler.jsonc",
        "  problem: wrangler reads this file and ignores wrangler.toml, although that is nearer",
      ],
    ]);
    writeFileSync(join(folder, "wrangler.json"), "{}");
    expect((await run()).stderr).toContain("wrangler reads wrangler.json instead");
  });

  it("one that a build tool has wrangler deploy instead", async () => {
    const made = project({ "../wrangler.toml": VALID["wrangler.toml"] });
    const path = join(made.folder, ".wrangler/deploy/config.json");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{ "configPath": "../../dist/wrangler.json" }');
    const { code, stderr } = await made.discover();
    expect([code, stderr.split("\n")[1]]).toEqual([1, ".wrangler/deploy/config.json"]);
  });
});

describe("lines of older forks that turned a part on", () => {
  it("are errors, with what to write, wherever the part was on", async () => {
    const { code, lines } = await discovered({
      "wrangler.toml": `[vars]\nTOKENS = "true"\n[alias]\n"#sign-in" = "./src/sign-in/server.ts"\n"#tokens" = "./src/tokens/jwt.ts"\n[env.staging.vars]\nMINE = "x"\n`,
    });
    expect([code, ...lines]).toEqual([
      1,
      "2 problem(s) in settings:",
      "wrangler.toml:4",
      '  problem: "#sign-in" in [alias] has no effect any more: the variable SIGN_IN turns this part on',
      '  fix:     remove it, and write SIGN_IN = "true" in [vars] and in [env.staging.vars]',
      "wrangler.toml:5",
      '  problem: "#tokens" in [alias] has no effect any more: the variable TOKENS turns this part on',
      '  fix:     remove it, and write TOKENS = "true" in [env.staging.vars]',
    ]);
  });

  it("are to be removed if they turned it off, or the variable is there", async () => {
    const alias = { "#sign-in": "./src/sign-in/server.ts", "#tokens": "./src/tokens/off.ts" };
    const { code, lines } = await discovered({
      "wrangler.jsonc": JSON.stringify({ alias, vars: { SIGN_IN: "false" } }),
    });
    expect([code, lines.filter((line) => line.includes("fix:"))]).toEqual([
      1,
      ["  fix:     remove it", "  fix:     remove it"],
    ]);
  });

  it("other aliases are the fork's own", async () => {
    const toml = '[alias]\n"#mine" = "./src/mine.ts"\n';
    expect(await discovered({ "wrangler.toml": toml })).toMatchObject({ code: 0 });
  });
});
