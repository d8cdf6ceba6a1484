/** `npm run connect`: what it prints, run where the host's client is installed, and in the host's form for all others. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../../src/cli/connect/show-connections.ts";
import { build } from "../../support/node/build.ts";
import { type Deployed, runAll } from "../../support/node/deployed.ts";
import { type Fork, makeFork } from "../../support/node/fork.ts";
import { mayStart } from "../../support/node/processes.ts";
import { environmentOf, runMain, runProgram } from "../../support/node/script.ts";
import { isSlow } from "../../support/tier.ts";

// The command; and three of the command lines that it prints.
mayStart(4);

const BIN = resolve(import.meta.dirname, "../../../node_modules/.bin");

const TOOL = `import { defineTool } from "#tool";
export default defineTool({ version: "1.0.0", description: "Adds nothing.", output: null, run() {} });
`;

let fork: Fork;
beforeAll(() => {
  fork = makeFork({ "math/add.ts": TOOL }, { closed: true, copied: true });
});
afterAll(() => fork.remove());

/** Runs a program in the folder of a fork. */
const run = (command: string, args: readonly string[], at = fork) =>
  runProgram(at, command, args, { ...environmentOf(at), PATH: `${BIN}:${process.env.PATH}` });

const connect = (args: readonly string[]) => runMain(main, fork, args);

async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await connect(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

describe("what it prints works with a key, where the client is installed", () => {
  let deployed: Deployed;
  let key: string;
  beforeAll(async () => {
    await build(fork);
    [deployed] = (await runAll(fork, [(env) => env])) as [Deployed];
    key = (await deployed.makeKey({ name: "host" })).text;
  });
  afterAll(async () => {
    await deployed?.stop();
  });
  /** The command as a process. */
  const spawned = (...args: string[]) => run(process.execPath, ["src/cli/connect.ts", ...args]);

  it("curl, over all three protocols", async () => {
    const args = ["curl", "--url", deployed.url, "--key", key];
    const command = await (isSlow ? spawned(...args) : connect(args));
    expect(command).toEqual({ code: 0, stdout: expect.stringMatching(/\n$/), stderr: "" });
    const { stdout } = await run("bash", ["-c", command.stdout]);
    const [oxp, mcp, opentool] = stdout
      .replaceAll("}{", "}\n{")
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(oxp.tools).toContainEqual(expect.objectContaining({ name: "Math_Add" }));
    expect(mcp.result.tools).toContainEqual(expect.objectContaining({ name: "Math_Add" }));
    expect(JSON.stringify(opentool)).toContain("Math_Add");
  });

  it("nothing, if there is a mistake", async () => {
    expect(await spawned("emacs")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^There is no host "emacs": [^\n]+\n$/),
    });
  });

  it.runIf(isSlow)("the Inspector", async () => {
    // Its form opens a browser; these options, as its note says, do not.
    const inTerminal = async (...args: string[]) => {
      const command = (await printed("inspector", ...args)).trim();
      return run("bash", ["-c", `${command.replace("/inspector ", "/inspector --cli ")} --method tools/list`]);
    };
    const { stdout, code } = await inTerminal("--url", `${deployed.url}/mcp`, "--key", key);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).tools).toContainEqual(expect.objectContaining({ name: "Math_Add" }));
    const without = await inTerminal("--url", deployed.url);
    expect(without.code).not.toBe(0);
  });
});

describe("the form of each host", () => {
  const DEPLOYMENT = ["--url", "https://tools.example.com/mcp/", "--key", "trivet_k"];
  const URL_OF_MCP = "https://tools.example.com/mcp";
  const headers = { Authorization: "Bearer trivet_k" };

  let forms: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const sections = (await printed(...DEPLOYMENT)).split(/^== (.*) ==$/m).slice(1);
    forms = new Map(sections.flatMap((text, at) => (at % 2 === 0 ? [[text, sections[at + 1]?.trim() ?? ""]] : [])));
  });
  const formOf = (title: string) => [...forms].find(([name]) => name.startsWith(title))?.[1] ?? "";

  it("Gemini CLI, opencode, mcpc: a command", () => {
    expect(formOf("Gemini CLI")).toBe(
      `gemini mcp add --scope user --transport http trivet "${URL_OF_MCP}" --header "Authorization: Bearer trivet_k"`,
    );
    expect(formOf("opencode")).toBe(
      `opencode mcp add trivet --url "${URL_OF_MCP}" --header "Authorization=Bearer trivet_k"`,
    );
    expect(formOf("mcpc")).toBe(
      `mcpc connect "${URL_OF_MCP}" @trivet --header "Authorization: Bearer trivet_k"\nmcpc @trivet tools-list`,
    );
  });

  it("promptfoo: a file", () => {
    const { providers, tests } = JSON.parse(formOf("promptfoo"));
    expect(providers).toEqual([
      { id: "mcp", config: { enabled: true, server: { name: "trivet", url: URL_OF_MCP, headers } } },
    ]);
    expect(tests).toHaveLength(1);
  });

  it("Claude Code, Codex: a command", () => {
    expect(formOf("Claude Code")).toBe(
      `claude mcp add --transport http trivet "${URL_OF_MCP}" --header "Authorization: Bearer trivet_k"`,
    );
    expect(formOf("Codex")).toBe(
      `export TRIVET_KEY=trivet_k\ncodex mcp add trivet --url "${URL_OF_MCP}" --bearer-token-env-var TRIVET_KEY`,
    );
  });

  it("the Inspector: a command", () => {
    expect(formOf("MCP Inspector")).toBe(
      `npx @modelcontextprotocol/inspector --transport http --server-url "${URL_OF_MCP}" --header "Authorization: Bearer trivet_k"`,
    );
  });

  it("Cursor, VS Code, Claude Desktop: a file", () => {
    expect(JSON.parse(formOf("Cursor"))).toEqual({ mcpServers: { trivet: { url: URL_OF_MCP, headers } } });
    expect(JSON.parse(formOf("VS Code"))).toEqual({ servers: { trivet: { type: "http", url: URL_OF_MCP, headers } } });
    const desktop = formOf("Claude");
    expect(desktop).toMatch(/^In Claude Desktop: .* In claude_desktop_config\.json .*:\n\{\n/);
    expect(desktop).toMatch(/\n\}\nclaude\.ai calls from its own servers\. It sends no key: turn on the sign-in first/);
    expect(JSON.parse(desktop.slice(desktop.indexOf("{"), desktop.lastIndexOf("\n}") + 2))).toEqual({
      mcpServers: {
        trivet: {
          command: "npx",
          args: ["-y", "mcp-remote", URL_OF_MCP, "--header", `Authorization:\${AUTHORIZATION}`],
          env: { AUTHORIZATION: "Bearer trivet_k" },
        },
      },
    });
  });

  it("LangChain: a module", async () => {
    const text = formOf("LangChain");
    fork.write("langchain.mjs", text);
    const parsed = await run(process.execPath, ["--check", "langchain.mjs"]);
    expect(parsed.code).toBe(0);
    expect(text).toContain(`"url": "${URL_OF_MCP}"`);
    expect(text).toContain('"Authorization": "Bearer trivet_k"');
  });

  it("without a name of a host, all of them, under `npm start` and without a key", async () => {
    const all = await printed();
    const titles = ["Claude ", "Claude Code", "ChatGPT", "Cursor", "VS Code", "Codex", "Gemini CLI", "opencode"];
    for (const title of [...titles, "MCP Inspector", "mcpc", "promptfoo", "LangChain", "curl"])
      expect(all).toContain(`== ${title}`);
    expect(all).toContain("http://127.0.0.1:8787/mcp");
    expect(all).not.toContain("Authorization");
  });

  it("without --key, a deployment's forms have a placeholder, and VS Code asks for the key", async () => {
    const { stdout, stderr } = await connect(["cursor", "vscode", "--url", "https://tools.example.com"]);
    expect(stdout).toContain("Bearer YOUR_KEY");
    expect(stderr).toContain("npm run keys -- create NAME --remote");
    const { inputs, servers } = JSON.parse(stdout.slice(stdout.lastIndexOf("==\n") + 3));
    expect(inputs).toMatchObject([{ type: "promptString", id: "trivet-key", password: true }]);
    expect(servers.trivet.headers).toEqual({ Authorization: `Bearer \${input:trivet-key}` });
  });

  it("hosts that send no key are told how their users get in", async () => {
    const at = ["chatgpt", "--url", "https://tools.example.com"];
    expect(await printed(...at)).toContain("turn on the sign-in first");
    fork.write("public.toml", 'name = "a"\ncompatibility_date = "2026-10-01"\n[vars]\nPUBLIC = "true"\n');
    expect(await printed(...at, "-c", "public.toml")).toMatch(/No authentication\nEveryone may call/);
    fork.write("sign-in.toml", 'name = "a"\n[vars]\nSIGN_IN = "true"\n');
    expect(await printed(...at, "-c", "sign-in.toml")).toMatch(/OAuth\nIts users sign in on a page of your Worker/);
    expect(await printed("chatgpt")).toContain("cannot reach this machine");
    const claude = async (host: string) =>
      (await connect([host, "--url", "https://tools.example.com", "-c", "sign-in.toml"])).stdout;
    expect(await claude("claude-code")).toBe(
      'claude mcp add --transport http trivet "https://tools.example.com/mcp"\n# Then type /mcp in Claude Code. Its users sign in on a page of your Worker, with a key of theirs.\n',
    );
    expect(await claude("claude-desktop")).toMatch(
      /Add custom connector. The address:\nhttps:\/\/tools\.example\.com\/mcp\nIts users sign in on a page of your Worker/,
    );
    expect(await printed("codex", "--url", "https://tools.example.com", "-c", "sign-in.toml")).toContain(
      "codex mcp login trivet",
    );
    for (const [host, line] of [
      ["gemini-cli", "# Then type /mcp auth trivet in Gemini CLI."],
      ["opencode", "opencode mcp auth trivet"],
      ["mcpc", 'mcpc login "https://tools.example.com/mcp"'],
    ] as const) {
      const form = await printed(host, "--url", "https://tools.example.com", "-c", "sign-in.toml");
      expect([host, form]).toEqual([host, expect.stringContaining(line)]);
      expect([host, form]).not.toEqual([host, expect.stringContaining("Authorization")]);
    }
    // A provider that the Worker does not ask: the part that checks its tokens is not bundled.
    const provider = (line: string) => {
      fork.write("provider.toml", `name = "a"\n[vars]\nJWT_ISSUER = "https://login.example.com"\n${line}`);
      return printed(...at, "-c", "provider.toml");
    };
    expect(await provider("")).toContain("JWT_ISSUER has no effect without the variable TOKENS");
    expect(await provider('TOKENS = "true"\n')).toContain("at your identity provider (JWT_ISSUER)");
  });
});

describe("--link", () => {
  const AT = ["--link", "--url", "https://tools.example.com"];

  it("is one for a README: to https://, with the server in it, and without a key", async () => {
    const { code, stdout, stderr } = await connect(["cursor", ...AT, "--key", "trivet_secret"]);
    const { origin, pathname, searchParams } = new URL(stdout.trim());
    expect([code, origin, pathname, searchParams.get("name")]).toEqual([
      0,
      ...["https://cursor.com", "/en/install-mcp", "trivet"],
    ]);
    expect(JSON.parse(atob(searchParams.get("config") ?? ""))).toEqual({
      url: "https://tools.example.com/mcp",
      headers: { Authorization: "Bearer YOUR_KEY" },
    });
    expect(stderr).toBe("cursor: whoever follows the link replaces YOUR_KEY by a key, in the settings of the host.\n");
  });

  it("asks for the key where the host can", async () => {
    const redirect = new URL(await printed("vscode", ...AT));
    expect(redirect.origin + redirect.pathname).toBe("https://insiders.vscode.dev/redirect");
    const [start, server = ""] = (redirect.searchParams.get("url") ?? "").split("?");
    expect(start).toBe("vscode:mcp/install");
    expect(JSON.parse(decodeURIComponent(server))).toEqual({
      name: "trivet",
      type: "http",
      url: "https://tools.example.com/mcp",
      headers: { Authorization: `Bearer \${input:trivet-key}` },
      inputs: [{ type: "promptString", id: "trivet-key", description: "API key of trivet", password: true }],
    });
  });

  it("names the server as SERVER_TITLE, or else SERVER_NAME does", async () => {
    const title = async (line: string) => {
      fork.write("link.toml", `name = "a"\n[vars]\nPUBLIC = "true"\n${line}\n`);
      const { searchParams } = new URL(await printed("claude-desktop", ...AT, "-c", "link.toml"));
      expect(searchParams.get("connectorUrl")).toBe("https://tools.example.com/mcp");
      return searchParams.get("connectorName");
    };
    expect(await title('SERVER_TITLE = "Ünser & Co"\nSERVER_NAME = "unser"')).toBe("Ünser & Co");
    expect(await title('SERVER_NAME = "unser"')).toBe("unser");
  });

  it("without a name of a host: of all that have one", async () => {
    const { code, stdout, stderr } = await connect(AT);
    expect(code).toBe(0);
    expect([...stdout.matchAll(/^== (.*) ==\n(\w+):/gm)].map(([, title, scheme]) => [title, scheme])).toEqual([
      ...[
        ["Cursor", "https"],
        ["VS Code", "https"],
        ["Goose", "goose"],
        ["Kiro", "https"],
        ["LM Studio", "https"],
      ],
    ]);
    expect(stderr).toContain("GitHub removes links that do not begin with https://");
  });

  it("is said to be missing", async () => {
    expect(await connect(["chatgpt", "claude-desktop", "codex", "--link"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "There is no link that adds this server to chatgpt or claude-desktop or codex.\n",
    });
  });
});

it("while npm start -- --tunnel runs, the address is the tunnel's, which is closed and has a sign-in", async () => {
  const tunnel = "https://some-words.trycloudflare.com";
  fork.write(
    "src/generated/dev/serving.json",
    JSON.stringify({ url: "https://127.0.0.1:1", pid: process.pid, tunnel }),
  );
  fork.write("open.toml", 'name = "a"\n[vars]\nPUBLIC = "true"\n');
  expect(await printed("chatgpt", "-c", "open.toml")).toMatch(
    /https:\/\/some-words\.trycloudflare\.com\/mcp\nAuthentication: OAuth\n/,
  );
  const { stdout, stderr } = await connect(["curl", "-c", "open.toml"]);
  expect(stdout).toContain(`"${tunnel}/tools" -H "Authorization: Bearer YOUR_KEY"`);
  expect(stderr).toMatch(/^Replace YOUR_KEY by the key that `npm start -- --tunnel` printed/);
  fork.delete("src/generated/dev/serving.json");
});

describe("--remote", () => {
  const inFile = (text: string) => {
    fork.write("remote.toml", `name = "remote"\ncompatibility_date = "2026-10-01"\n${text}`);
    return connect(["claude-code", "--remote", "-c", "remote.toml", "--key", "k"]);
  };

  it.each([
    ['routes = [{ pattern = "tools.example.com", custom_domain = true }]', "https://tools.example.com/mcp"],
    ['routes = ["*.example.com/*", "example.com/tools/*", "tools.example.org/*"]', "https://tools.example.org/mcp"],
    ['routes = ["$(id).example.com/*", "tools.example.org/*"]', "https://tools.example.org/mcp"],
  ])("is the domain of wrangler.toml: %s", async (line, url) => {
    expect((await inFile(line)).stdout).toContain(` "${url}" `);
  });

  it("is otherwise where the last `npm run deploy` on this machine put it", async () => {
    expect(await inFile("")).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("npm run deploy") });
    const entry = (worker_name: string, target: string, env?: string) =>
      JSON.stringify({ type: "deploy", worker_name, targets: [target], wrangler_environment: env });
    mkdirSync(join(fork.root, ".wrangler"), { recursive: true });
    writeFileSync(
      join(fork.root, ".wrangler/deployments.jsonl"),
      `${[
        JSON.stringify({ type: "wrangler-session", version: 1 }),
        entry("remote", "https://remote.old.workers.dev"),
        entry("remote", "https://remote.mine.workers.dev"),
        entry("remote", "https://staging.mine.workers.dev", "staging"),
        entry("other", "https://other.mine.workers.dev"),
        '{"type":"depl',
      ].join("\n")}\n`,
    );
    expect((await inFile("")).stdout).toContain(' "https://remote.mine.workers.dev/mcp" ');
  });
});

it("a URL that a shell would read is quoted, or refused", async () => {
  const { stdout } = await run("bash", [
    "-c",
    (await printed("curl", "--url", "https://127.0.0.1:1/a&b(c)")).replaceAll("curl -s", "echo"),
  ]);
  expect(stdout.split("\n")[0]).toBe("https://127.0.0.1:1/a&b(c)/tools");
});

describe("a mistake is one sentence", () => {
  it.each([
    [["emacs"], /no host "emacs": write one of claude-desktop, /],
    [["claude"], /no host "claude": write claude-desktop or claude-code\./],
    [["--url", "tools.example.com"], /--url: "tools.example.com" is not an address/],
    [["--url", "https://user@example.com"], /more than a host and a path/],
    [["--url", "https://a.example", "--remote"], /leave out --remote/],
    [["--url", "https://a.example/$(id)"], /--url: .* has characters that a shell reads/],
    [["--url", 'https://x";id;"y.example'], /--url: .* has characters that a shell reads/],
    [["--url", "https://$(id).example"], /--url: .* has characters that a shell reads/],
    [["--key", "two words"], /--key: this is not a key/],
    [["--key", "`rm`"], /--key: this is not a key/],
    [["--remote", "-c", "no.toml"], /no\.toml/],
  ])("%j", async (args, sentence) => {
    const ended = await connect(args);
    expect(ended).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(sentence) });
    expect(ended.stderr).toMatch(/^[^\n]+\n$/);
  });
});
