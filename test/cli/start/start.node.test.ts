/**
 * `npm start` in a fork: extra arguments, tools added while it runs, what it says of their mistakes and of wrong settings,
 * a fork without tools, one with a domain, two servers in one clone, and a tunnel.
 */

import { chmodSync, closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Fork, makeFork, moveToJson, runToEnd, type Started, start, until } from "../../support/node/fork.ts";
import { post, postJson } from "../../support/node/http.ts";
import { modern } from "../../support/node/long.ts";
import { execFileSync, mayStart } from "../../support/node/processes.ts";
import { RUNS } from "../../support/node/run-mistakes.ts";
import { isSlow } from "../../support/tier.ts";

// The server, as a person starts it, once for all: a start takes seconds.
mayStart(1);

/** The file that the README tells a reader to add. */
const GREET = readFileSync(join(import.meta.dirname, "../../fixtures/samples/hello/greet.ts"), "utf8");

describe("npm start in a fork whose tools/ is empty", () => {
  let fork: Fork;
  let served: Started;
  beforeAll(async () => {
    fork = makeFork({}, { copied: true });
    served = await start(fork);
  });
  afterAll(async () => {
    await served?.stop();
    fork.remove();
  });

  it("says in a few lines what it serves, and nothing after that", async () => {
    const open = "  Open to this machine, without credentials:           docs/access.md\n";
    const last = "  Breakpoints, stacks and common mistakes:             docs/debugging.md\n";
    await until(async () => served.printed().includes(last));
    // Whoever waits for a server to start asks for its health.
    const said = stripVTControlCharacters(served.printed()).replaceAll(/^\[wrangler:info\] GET \/health .*\n/gm, "");
    // npm says first what it runs.
    expect(said.split(/\n{2,}/).slice(1)).toEqual([
      "discovered 0 tools",
      `  OXP       ${served.url}/tools\n  MCP       ${served.url}/mcp\n  OpenTool  ${served.url}/opentool/load`,
      `  Connect Claude, ChatGPT, Cursor, VS Code and others: npm run connect\n${open}${last}`,
    ]);
  });

  it("lists nothing over all three protocols", async () => {
    // OXP, List Tools: "If there are no tools available, the tools array MUST be empty."
    const oxp = await (await fetch(`${served.url}/tools`)).json();
    expect(oxp).toEqual({ $schema: "urn:oxp:1.0", tools: [], items: [] });
    const mcp = await postJson(`${served.url}/mcp`, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(mcp.body).toEqual({ jsonrpc: "2.0", id: 1, result: { tools: [] } });
    const opentool = await (await fetch(`${served.url}/opentool/load`)).json();
    expect(opentool).toMatchObject({ functions: [] });
  });

  it("serves a file added to tools/ over all three protocols, touching nothing else", async () => {
    // Beside others, which the next tests call.
    for (const [file, text] of Object.values(RUNS)) if (text !== undefined) fork.write(`tools/kit/${file}.ts`, text);
    fork.write("tools/hello/greet.ts", GREET);
    await until(async () => {
      const input = { name: "Ada" };
      const oxp = await postJson(`${served.url}/tools/call`, { request: { tool_id: "Hello.Greet", input } });
      const mcp = await postJson(`${served.url}/mcp`, {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "Hello_Greet", arguments: input },
      });
      const opentool = await postJson(`${served.url}/hello/opentool/call`, {
        jsonrpc: "2.0",
        id: "1",
        method: "Hello_Greet",
        params: input,
      });
      return (
        oxp.body.result?.value === "Hello, Ada!" &&
        mcp.body.result?.content[0].text === "Hello, Ada!" &&
        opentool.body.result?.value === "Hello, Ada!"
      );
    });
  });

  describe("what goes wrong in a tool is in its log: where, what, and what to do", () => {
    const name = (file: string) => `Kit.${file[0]?.toUpperCase()}${file.slice(1)}`;
    let log: string;
    beforeAll(async () => {
      for (const [file] of Object.values(RUNS)) {
        await postJson(`${served.url}/tools/call`, { request: { tool_id: name(file), input: {} } });
      }
      // The last of them is a call of nothing.
      await until(async () => served.printed().includes("unknown tool"));
      log = stripVTControlCharacters(served.printed());
    });

    it.each(Object.entries(RUNS))("%s", (_, [file, , where, problem, fix]) => {
      // A call's entries: its lines, and the stack below them. What nobody awaits is of no call.
      const isOf = (text: string) => text.includes(name(file)) || text.includes(`tools/kit/${file}.ts`);
      const entries = log.split(/\n(?=\d\d:\d\d:\d\d {2}|\[wrangler)/).filter(isOf);
      expect(entries).toContainEqual(expect.stringContaining(problem));
      expect(entries.join("\n")).toContain(where);
      expect(entries.join("\n")).toContain(fix);
    });
  });

  describe("a wrong setting, saved while it runs", () => {
    let right: string;
    beforeAll(() => {
      right = fork.read("wrangler.toml");
    });

    /**
     * Overwrites the file in one step: wrangler ends if it reads a file that was just emptied, and may not notice one that
     * was replaced by another.
     *
     * @returns what was printed before
     */
    function save(text: string): string {
      const before = served.printed();
      const file = openSync(join(fork.root, "wrangler.toml"), "r+");
      writeSync(file, text.padEnd(2 * right.length, "\n"), 0);
      closeSync(file);
      return before;
    }
    const saidSince = (before: string) => stripVTControlCharacters(served.printed().slice(before.length));
    const status = async () => (await fetch(`${served.url}/health`)).status;

    it("is told in a few lines, and every request is refused until it is right", async () => {
      const before = save(right.replace(/^PUBLIC = .*$/m, 'PUBLIC = "yes"'));
      await until(async () => (await status()) === 503);
      const lines = saidSince(before)
        .split("\n")
        .filter((line) => line.startsWith("[custom build]"));
      const line = right.split("\n").findIndex((text) => text.startsWith("PUBLIC")) + 1;
      expect(lines.map((text) => text.replace("[custom build] ", ""))).toEqual([
        expect.stringMatching(/^Running: /),
        "1 problem(s) in settings:",
        `wrangler.toml:${line}`,
        '  problem: PUBLIC is "yes" in [vars]',
        '  fix:     write "true" or "false"',
        "The server keeps running, and refuses every request until the settings are right.",
        "",
      ]);
      expect(saidSince(before)).not.toContain("    at ");
      save(right);
      await until(async () => (await status()) === 200);
    });

    it.runIf(isSlow)(
      "is named with its line if the file is no TOML, and the server goes on with the old settings",
      async () => {
        const before = save(`${right}\n[vars\n`);
        await until(async () => saidSince(before).includes("Invalid TOML document"));
        expect(saidSince(before)).toContain(`wrangler.toml:${right.split("\n").length + 1}:`);
        expect(await status()).toBe(200);
        save(right.replace("[vars]", '[vars]\nSERVER_TITLE = "Mended"'));
        await until(async () => (await (await fetch(served.url)).text()).includes("Mended"));
      },
    );
  });

  it.runIf(isSlow)("keeps serving the previous tools while one is broken, and serves it once it is fixed", async () => {
    fork.write("tools/hello/wave.ts", "export default 1;\n");
    await until(async () => served.printed().includes("The server keeps running with the previous tools"));
    const still = await postJson(`${served.url}/tools/call`, {
      request: { tool_id: "Hello.Greet", input: { name: "Bob" } },
    });
    expect(still.body.result.value).toBe("Hello, Bob!");
    fork.write("tools/hello/wave.ts", GREET.replace("Hello,", "Bye,"));
    await until(async () => (await called("Wave")) === "Bye, Bob!");
  });

  it.runIf(isSlow)("serves a tool's imports: files of its folder, a text, and a file outside tools/", async () => {
    fork.write("tools/hello/_how.ts", 'import text from "./how.txt";\nexport const how = () => text.trim();\n');
    fork.write("tools/hello/how.txt", "loudly\n");
    fork.write("lib/who.ts", 'export const who = "Eve";\n');
    const imports = 'import { who } from "../../lib/who";\nimport { how } from "./_how.ts";\n';
    // biome-ignore lint/suspicious/noTemplateCurlyInString: part of a tool's source
    const shout = imports + GREET.replace("`Hello, ${name}!`", "`${who} ${how()} ${name}`");
    fork.write("tools/hello/shout.ts", shout);
    await until(async () => (await called("Shout")) === "Eve loudly Bob");
  });

  /** A tool's answer. Hangs while wrangler waits for a bundle that it cannot make. */
  async function called(name: string): Promise<unknown> {
    const call = { request: { tool_id: `Hello.${name}`, input: { name: "Bob" } } };
    for (;;) {
      const answer = await (await post(`${served.url}/tools/call`, call)).text();
      // Wrangler's words where a reload cuts a request short.
      if (!answer.startsWith("Your worker restarted mid-request")) return JSON.parse(answer).result?.value;
    }
  }
  const GOES_ON = "The server keeps running with the previous tools";
  async function discoveredAfter(change: () => void): Promise<void> {
    const runs = () => served.printed().split(GOES_ON).length;
    const before = runs();
    change();
    await until(async () => runs() > before);
  }

  it.runIf(isSlow)(
    "does not run a tool that changed while another is broken: its new code would run with its old scopes",
    async () => {
      const guarded = GREET.replace("Hello,", "Secret of").replace("version:", 'scopes: ["admin"],\n  version:');
      await discoveredAfter(() => fork.write("tools/hello/bad.ts", "export default 1;\n"));
      await discoveredAfter(() => fork.write("tools/hello/greet.ts", guarded));
      await until(async () => (await called("Greet")) === "Hello, Bob!");
      // A bundle with the new code would be ready before another change is noticed.
      await discoveredAfter(() => fork.write("tools/hello/bad.ts", "export default 2;\n"));
      expect(await called("Greet")).toBe("Hello, Bob!");
    },
  );

  it.runIf(isSlow)(
    "keeps serving a tool that no longer parses, and one that was deleted while another is broken",
    async () => {
      await discoveredAfter(() => fork.write("tools/hello/greet.ts", "export default {"));
      await discoveredAfter(() => rmSync(join(fork.root, "tools/hello/wave.ts")));
      expect([await called("Greet"), await called("Wave")]).toEqual(["Hello, Bob!", "Bye, Bob!"]);
    },
  );

  it.runIf(isSlow)(
    "keeps running if `npm test` or a deployment rewrote the catalog while it runs, and serves all tools once they are fixed",
    async () => {
      rmSync(join(fork.root, "tools/hello/bad.ts"));
      fork.write("tools/hello/greet.ts", GREET.replace("Hello,", "Welcome,"));
      await until(async () => (await called("Greet")) === "Welcome, Bob!");
      expect(await called("Wave")).toBeUndefined();
      execFileSync(process.execPath, ["src/discovery/cli.ts"], { cwd: fork.root });
      await discoveredAfter(() => fork.write("tools/hello/greet.ts", "export default {"));
      await until(async () => (await called("Greet")) === "Welcome, Bob!");
    },
  );
});

describe.runIf(isSlow)("a long tool, saved while npm start runs", () => {
  let fork: Fork;
  let served: Started;
  beforeAll(async () => {
    fork = makeFork({ "hello/greet.ts": GREET }, { copied: true });
    // Room for what is added: wrangler ends if it reads a file that was just emptied.
    fork.write("wrangler.toml", `${readFileSync(join(fork.root, "wrangler.toml"), "utf8")}${"\n".repeat(200)}`);
    // wrangler starts again for a new build, and a run that this cuts short goes on after the lease.
    served = await start(fork, "start", ["--var", "LONG_WAIT_SECONDS:1", "--var", "TASK_LEASE_SECONDS:2"]);
  });
  afterAll(async () => {
    await served?.stop();
    fork?.remove();
  });

  const call = async (name: string) => {
    const request = { request: { tool_id: `Hello.${name}`, input: { name: "Ada" } } };
    return (await postJson(`${served.url}/tools/call`, request)).body.result?.value;
  };
  const LONG = GREET.replace("version:", "long: true,\n  version:").replace(
    /run\(\{ name \}\) \{[\s\S]*\},/,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: part of a tool's source
    "run: ({ name }, ctx) => ctx.step('greet', () => `At length, ${name}`),",
  );

  it("is refused without its workflow, and the message says which lines to add", async () => {
    fork.write("tools/hello/at-length.ts", LONG);
    const refused =
      /tools\/hello\/at-length\.ts:\d+\n.*it is long, and wrangler\.toml lacks what runs it: the workflow LONG/;
    await until(async () => refused.test(served.printed()));
    await until(async () => served.printed().includes("keeps running with the previous tools"));
    expect(await call("Greet")).toBe("Hello, Ada!");
    expect(await isAnnounced()).toBe(false);
  });

  it("is served with it as soon as the lines are there, and so is another that is added then", async () => {
    const lines = served.printed().match(/\[\[workflows\]\](\n.*\w+ = ".*"){3}/)?.[0] ?? "";
    const text = readFileSync(join(fork.root, "wrangler.toml"), "utf8").trimEnd();
    const added = `${text}\n${lines.replaceAll("[custom build]", "")}`;
    const file = openSync(join(fork.root, "wrangler.toml"), "r+");
    writeSync(file, added, 0);
    closeSync(file);
    await until(isAnnounced);
    await until(async () => (await call("AtLength")) === "At length, Ada");
    fork.write("tools/hello/in-detail.ts", LONG.replace("At length", "In detail"));
    await until(async () => (await call("InDetail")) === "In detail, Ada");
  });

  /** Whether clients of MCP are told that they can follow tasks. */
  async function isAnnounced(): Promise<boolean> {
    const { body } = await modern(served.url, "server/discover", {}, { capabilities: {} });
    return body.result.capabilities.extensions?.["io.modelcontextprotocol/tasks"] !== undefined;
  }
});

describe.runIf(isSlow)("a server that is started again, after its tools changed and one broke", () => {
  let fork: Fork;
  beforeAll(async () => {
    fork = makeFork({ "hello/greet.ts": GREET, "hello/gone.ts": GREET }, { copied: true });
    await (await start(fork)).stop();
    fork.write("tools/hello/greet.ts", GREET.replace("version:", 'scopes: ["admin"],\n  version:'));
    rmSync(join(fork.root, "tools/hello/gone.ts"));
    fork.write("tools/hello/broken.ts", "export default 5;\n");
  });
  afterAll(() => fork.remove());

  it.each(["start", "start:closed"])(
    "npm run %s serves nothing of the earlier run under its old scopes: it names the broken tool and ends",
    async (script) => {
      const { code, printed, served } = await runToEnd(fork, script);
      expect(served, printed).toBe(false);
      expect(code).toBe(1);
      expect(printed).toContain("tools/hello/broken.ts");
      expect(printed).not.toContain("The server goes on");
    },
  );

  it("and serves all current tools once the broken one is fixed", async () => {
    fork.write("tools/hello/broken.ts", GREET);
    const served = await start(fork);
    try {
      const { body } = await postJson(`${served.url}/tools/call`, { request: { tool_id: "Hello.Gone", input: {} } });
      expect([body.result, JSON.stringify(body)]).toEqual([undefined, expect.stringContaining("Hello.Gone")]);
      const mended = { request: { tool_id: "Hello.Broken", input: { name: "Ada" } } };
      expect((await postJson(`${served.url}/tools/call`, mended)).body.result?.value).toBe("Hello, Ada!");
    } finally {
      await served.stop();
    }
  });
});

describe.runIf(isSlow)("two servers in one clone", () => {
  it("serve what is saved, and one goes on when the other is stopped", async () => {
    const fork = makeFork({ "hello/greet.ts": GREET }, { copied: true });
    // With the same storage.
    const both = [await start(fork), await start(fork)];
    const isSaid = (text: string) =>
      Promise.all(both.map(({ url }) => postJson(`${url}/tools/call`, CALL))).then((answers) =>
        answers.every(({ body }) => body.result?.value === text),
      );
    try {
      await until(() => isSaid("Hello, Ada!"));
      fork.write("tools/hello/greet.ts", GREET.replace("Hello,", "Bye,"));
      await until(() => isSaid("Bye, Ada!"));
      await both.pop()?.stop();
      fork.write("tools/hello/greet.ts", GREET.replace("Hello,", "Again,"));
      await until(() => isSaid("Again, Ada!"));
      expect(both[0]?.printed()).not.toContain("ERROR");
    } finally {
      await Promise.all(both.map((served) => served.stop()));
      fork.remove();
    }
  });
});

/** In place of `cloudflared`: says what it was told, and an address as a tunnel of Cloudflare has it. */
const CLOUDFLARED = `#!/bin/sh
echo "$NO_TLS_VERIFY $*" > "$(dirname "$0")/told"
echo "INF |  https://some-words.trycloudflare.com  |" >&2
exec sleep 600
`;

describe.runIf(isSlow)("npm start -- --tunnel", () => {
  const HOST = "some-words.trycloudflare.com";
  let fork: Fork;
  let served: Started;
  beforeAll(async () => {
    // Its settings let everyone in.
    fork = makeFork({ "hello/greet.ts": GREET }, { copied: true });
    fork.write("cloudflared", CLOUDFLARED);
    chmodSync(join(fork.root, "cloudflared"), 0o700);
    vi.stubEnv("CLOUDFLARED_PATH", join(fork.root, "cloudflared"));
    served = await start(fork, "start", ["--tunnel"]);
    await until(async () => served.printed().includes("The key allows all tools"));
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await served?.stop();
    fork?.remove();
  });

  /** A request as it comes through the tunnel. */
  function through(path: string, headers: Record<string, string> = {}, body?: unknown) {
    return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>(
      (resolve, reject) => {
        const all = { host: HOST, "content-type": "application/json", ...headers };
        const options = { method: body ? "POST" : "GET", headers: all, rejectUnauthorized: false };
        const sent = httpsRequest(served.url + path, options, async (response) =>
          resolve({ status: response.statusCode, headers: response.headers, text: await text(response) }),
        );
        sent.on("error", reject).end(body && JSON.stringify(body));
      },
    );
  }
  const keyIn = (printed: string) => /trivet_\w{16}_[\w-]{43}/g.exec(printed)?.[0] ?? "";

  it("says the address of the tunnel and one key, last", () => {
    const [said = ""] = stripVTControlCharacters(served.printed()).split("discovered 1 tool").slice(-1);
    expect(said).toContain(`  MCP       https://${HOST}/mcp\n`);
    expect(said).toContain(`  Key       ${keyIn(said)}\n`);
    expect(served.printed().match(/trivet_\w{16}_/g)).toHaveLength(1);
    expect(fork.read("told")).toBe(`true tunnel --no-autoupdate --url ${served.url}/\n`);
  });

  it("refuses without a credential, and says by links with https where to sign in", async () => {
    const refused = await through("/mcp", {}, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    const metadata = `https://${HOST}/.well-known/oauth-protected-resource/mcp`;
    expect([refused.status, refused.headers["www-authenticate"]]).toEqual([
      ...[401, expect.stringContaining(`resource_metadata="${metadata}"`)],
    ]);
    expect(JSON.parse((await through(new URL(metadata).pathname)).text)).toMatchObject({
      resource: `https://${HOST}/mcp`,
      authorization_servers: [`https://${HOST}`],
    });
    const server = JSON.parse((await through("/.well-known/oauth-authorization-server")).text);
    expect(server).toMatchObject({ issuer: `https://${HOST}`, authorization_endpoint: `https://${HOST}/authorize` });
    expect((await through("/tools/call", { authorization: "Bearer nonsense" }, CALL)).status).toBe(401);
    for (const path of [...EXPLORER, "/cdn-cgi/local/scheduled"]) {
      expect([path, (await through(path)).status]).toEqual([path, 403]);
    }
  });

  it("lets the key in, also from the page at its own address", async () => {
    const authorization = `Bearer ${keyIn(served.printed())}`;
    for (const origin of [{}, { origin: `https://${HOST}` }]) {
      const answer = await through("/tools/call", { authorization, ...origin }, CALL);
      expect([answer.status, JSON.parse(answer.text).result?.value]).toEqual([200, "Hello, Ada!"]);
    }
    const foreign = await through("/tools/call", { authorization, origin: "https://evil.example" }, CALL);
    expect(foreign.status).toBe(403);
  });

  it("is what npm run connect connects to", async () => {
    const printed = execFileSync(process.execPath, ["src/cli/connect.ts", "chatgpt"], { cwd: fork.root });
    expect(String(printed)).toContain(`https://${HOST}/mcp\nAuthentication: OAuth`);
  });
});

/** Where wrangler's Local Explorer lists storage; someone who can read it there can write it as well. */
const EXPLORER = ["/cdn-cgi/explorer/api/storage/kv/namespaces", "/cdn-cgi/local/explorer/api/storage/kv/namespaces"];

function makeForkWithDomain(): Fork {
  const fork = makeFork({ "hello/greet.ts": GREET }, { closed: true, copied: true });
  const settings = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
  fork.write("wrangler.toml", `routes = [{ pattern = "tools.example.com", custom_domain = true }]\n${settings}`);
  return fork;
}

/** Sends a request with a chosen `Host`, which `fetch` does not allow. */
function statusFor(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/tools/call`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end(JSON.stringify(CALL));
  });
}

const CALL = { request: { tool_id: "Hello.Greet", input: { name: "Ada" } } };

it.runIf(isSlow)(
  "a fork with wrangler.jsonc is served with its settings, and built for a deployment with them",
  async () => {
    const fork = makeFork({ "hello/greet.ts": GREET }, { copied: true });
    fork.write("wrangler.toml", fork.read("wrangler.toml").replace(/^SERVER_NAME = .*$/m, 'SERVER_NAME = "in-json"'));
    moveToJson(fork.root);
    try {
      const served = await start(fork);
      try {
        expect((await postJson(`${served.url}/tools/call`, CALL)).body.result?.value).toBe("Hello, Ada!");
        expect(await (await fetch(`${served.url}/mcp/server-card`)).text()).toContain("in-json");
        // A mistake that is saved, and its correction.
        const right = fork.read("wrangler.jsonc");
        fork.write("wrangler.jsonc", right.replace('"LOG_CALLS": "true"', '"LOG_CALLS": "yes"'));
        await until(async () => (await postJson(`${served.url}/tools/call`, CALL)).status === 503);
        expect(served.printed()).toMatch(/wrangler\.jsonc:\d+\n.* problem: LOG_CALLS is "yes" in "vars"/);
        fork.write("wrangler.jsonc", right);
        await until(async () => (await postJson(`${served.url}/tools/call`, CALL)).status === 200);
      } finally {
        await served.stop();
      }
      const options = { cwd: fork.root, encoding: "utf8" } as const;
      const printed = execFileSync("npm", ["run", "deploy", "--", "--dry-run"], options);
      expect(printed).toContain('env.SERVER_NAME ("in-json")');
    } finally {
      fork.remove();
    }
  },
);

describe.runIf(isSlow)("a fork whose wrangler.toml has a domain", () => {
  let fork: Fork;
  beforeAll(() => {
    fork = makeForkWithDomain();
  });
  afterAll(() => fork.remove());

  it("is open to this machine under npm start, but to no other page or host name", async () => {
    const served = await start(fork);
    try {
      expect((await postJson(`${served.url}/tools/call`, CALL)).body.result?.value).toBe("Hello, Ada!");
      expect((await postJson(`${served.url.replace("127.0.0.1", "localhost")}/tools/call`, CALL)).status).toBe(200);
      for (const runtime of ["evil.example", "tools.example.com"]) {
        const foreign = { "content-type": "application/json", runtime, origin: `http://${runtime}` };
        expect([runtime, await statusFor(served.url, foreign)]).toEqual([runtime, 403]);
      }
      for (const path of EXPLORER) expect([path, (await fetch(served.url + path)).status]).toEqual([path, 404]);
    } finally {
      await served.stop();
    }
  });

  it("requires a key under npm run start:closed, and shows nobody else its storage", async () => {
    const served = await start(fork, "start:closed");
    try {
      const make = ["src/cli/keys.ts", "create", "test", "--persist-to", join(fork.root, "state")];
      const printed = execFileSync(process.execPath, make, { cwd: fork.root, encoding: "utf8" });
      const [key] = /trivet_\w{16}_[\w-]{43}/.exec(printed) ?? [];
      const good = await postJson(`${served.url}/tools/call`, CALL, { authorization: `Bearer ${key}` });
      expect([good.status, good.body.result?.value]).toEqual([200, "Hello, Ada!"]);
      expect((await postJson(`${served.url}/tools/call`, CALL)).status).toBe(401);
      for (const path of EXPLORER) expect([path, (await fetch(served.url + path)).status]).toEqual([path, 401]);
    } finally {
      await served.stop();
    }
  });
});
