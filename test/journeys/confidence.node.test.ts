/**
 * Secrets of callers and of the Worker, inputs and credentials stay confidential. Also tests the audit line of each
 * call.
 */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  buildTools,
  type Counter,
  type Deployment,
  deployAll,
  type Made,
  startCounter,
} from "../support/node/attacks/deployment.ts";
import { SECRET, shared } from "../support/node/attacks/tokens.ts";
import {
  bearer,
  CALLS,
  type Headers,
  MCP_WAYS,
  rpc,
  type Sent,
  send,
  withHeaders,
} from "../support/node/attacks/wire.ts";
import type { Fork } from "../support/node/fork.ts";
import { isSlow } from "../support/tier.ts";

/** Contains every kind of character that URLs, JSON and Base64 encode differently. */
const WHISPER = 'p@ss/w"ord+ü\\ 12~3';
const GOOGLE = "ya29.a0AfB_by-C3xY&z=w?";

let fork: Fork;
let here: Deployment;
/** One that does not log calls. */
let quiet: Deployment;
let counter: Counter;
let key: Made;
beforeAll(async () => {
  fork = await buildTools();
  counter = await startCounter();
  const settings = {
    JWT_SECRET: SECRET,
    RATE_PER_MINUTE: "",
    WHISPER,
    google: GOOGLE,
    OTHER_SECRET: "nobody declared this",
  };
  const all = [settings, { LOG_CALLS: "false", RATE_PER_MINUTE: "" }];
  [here, quiet] = (await deployAll(fork, all, counter)) as [Deployment, Deployment];
  key = await here.makeKey({ scopes: ["*"] });
});
afterAll(async () => {
  await here?.stop();
  counter?.stop();
  fork?.remove();
});

const ask = (sent: Sent, headers: Headers = bearer(key.text)) => send(here.url, withHeaders(sent, headers));
const fromContext = (input: object, secret = "from the caller: k€y-1", token = "caller's token/2"): Sent => ({
  method: "POST",
  path: "/tools/call",
  body: {
    request: {
      tool_id: "Whisper.Tell",
      input,
      context: { secrets: [{ id: "WHISPER", value: secret }], authorization: [{ id: "google", token }] },
    },
  },
});
const streaming: Headers = [["Accept", "application/json, text/event-stream"]];

/** Returns where a text reveals a secret, in any encoding; "" if it does not. */
function leak(text: string, secret: string): string {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  const form = new URLSearchParams({ k: secret }).toString().slice(2);
  const spellings = [secret, encodeURIComponent(secret), form, base64, JSON.stringify(secret).slice(1, -1)];
  // JSON within JSON, as in a log line.
  let spelling = secret;
  for (let deep = 0; deep < 4; deep++) {
    spelling = JSON.stringify(spelling).slice(1, -1);
    spellings.push(spelling);
  }
  const found = spellings.find((spelling) => text.includes(spelling));
  if (found) return found;
  for (const [run] of text.matchAll(/[\w+/-]{8,}/g)) {
    for (let skip = 0; skip < 4; skip++) {
      if (Buffer.from(run.slice(skip), "base64").toString().includes(secret.slice(1, -1))) return run;
    }
  }
  return "";
}

const WAYS = [
  ...[
    "error",
    "cause",
    "tool error",
    "tool error field",
    "name",
    "log",
    "progress",
    "not json",
    "bad output",
    "string",
  ],
  "aggregate",
];
const SPELLINGS = ["raw", "url", "form", "base64", "base64url", "basic", "json", "json in json"];
/** All of them, or a quarter: which one depends on the number of the way. */
const someOf = (way: number) => SPELLINGS.filter((_, at) => isSlow || at % 4 === way % 4);
const SENT: [string, (input: object) => Sent, string[]][] = [
  ["OXP, secrets of the caller", (input) => fromContext(input), ["from the caller: k€y-1", "caller's token/2"]],
  ...Object.entries(CALLS).map(([name, call]): [string, (input: object) => Sent, string[]] => [
    `${name}, secrets of the Worker`,
    (input) => call("Whisper.Tell", input),
    [WHISPER, GOOGLE],
  ]),
  [
    "MCP 2025-11-25 as events",
    (input) => withHeaders(CALLS["MCP 2025-11-25"]?.("Whisper.Tell", input) as Sent, streaming),
    [WHISPER, GOOGLE],
  ],
  [
    "MCP 2026-07-28 as events",
    (input) => {
      const sent = withHeaders(CALLS["MCP 2026-07-28"]?.("Whisper.Tell", input) as Sent, streaming);
      const { params, ...rest } = sent.body as { params: { _meta: object } };
      const _meta = { ...params._meta, "io.modelcontextprotocol/logLevel": "debug", progressToken: "p" };
      return { ...sent, body: { ...rest, params: { ...params, _meta } } };
    },
    [WHISPER, GOOGLE],
  ],
];

describe.each(SENT)("a tool that prints its secrets reveals them to nobody (OXP, Security): %s", (_, make, secrets) => {
  it.each(WAYS)("by way of: %s", async (way) => {
    const before = here.lines.length;
    const answers = await Promise.all(someOf(WAYS.indexOf(way)).map((as) => ask(make({ way, as }))));
    await here.logged();
    const log = here.lines.slice(before).join("\n");
    for (const secret of secrets) {
      expect(leak(log, secret)).toBe("");
      for (const { status, text } of answers) {
        expect(status).toBe(200);
        expect(text).not.toContain("Unknown tool");
        expect(leak(text, secret), text).toBe("");
      }
    }
  });
});

it("a control for the tests above: the tool's log lines and errors arrive, redacted", async () => {
  expect(leak(`x ${WHISPER}`, WHISPER)).not.toBe("");
  const basic = Buffer.from(`me:${WHISPER}`).toString("base64");
  expect(leak(`Basic ${basic}`, WHISPER)).not.toBe("");
  const { text } = await ask(CALLS["OXP /tools/call"]?.("Whisper.Tell", { way: "tool error" }) as Sent);
  expect(text).toContain("told [redacted] and [redacted]");
  expect(here.lines.join("\n")).toContain("told [redacted] and [redacted]");
});

it("a secret that is a number is also redacted as a number", async () => {
  const before = here.lines.length;
  const { status } = await ask(fromContext({ way: "log number" }, "0048151623", "a token"));
  expect(status).toBe(200);
  await here.logged();
  const log = here.lines.slice(before).join("\n");
  expect(log).toContain('"[redacted]"');
  expect(log).not.toContain("48151623");
});

it.each(["\ud800 half a character", "\udfff", "💥\ud83d", "$&$1", "(.*)+", "[redacted]", "aaaa"])(
  "a secret that is hard to spell breaks nothing: %j",
  async (secret) => {
    for (const way of ["error", "tool error", "log", "progress"]) {
      const { status, body } = await ask(fromContext({ way }, secret, "a token"));
      expect([status, body.result.success]).toEqual([200, way === "log" || way === "progress"]);
    }
  },
);

it("a tool sees the secrets and bindings that it declared, and no others", async () => {
  const context = {
    secrets: [
      { id: "WHISPER", value: "mine" },
      { id: "OTHER_SECRET", value: "other" },
      { id: "JWT_SECRET", value: "jwt" },
    ],
    authorization: [{ id: "google", token: "g" }],
    user_id: "ada",
  };
  const request = { tool_id: "Whisper.Sees", input: { x: 1 }, context };
  const { value } = (await ask({ method: "POST", path: "/call", body: { request } })).body.result;
  expect(value).toMatchObject({ secrets: ["WHISPER"], authorization: [], env: [], userId: null });
  expect(value.everything).not.toMatch(/other|jwt|trivet_|\bada\b|"g"/);
});

it("inputs are never logged, nor are credentials, session ids, idempotency keys or a caller's context", async () => {
  const marks = ["in-the-input", "in-an-unknown-parameter", "in-a-wrong-type", "in-the-body", "in-a-tool-id"];
  const sends: Sent[] = [
    ...Object.values(CALLS).flatMap((call) => [
      call("Vault.Peek", { note: marks[0] }),
      call("Vault.Peek", { [marks[1] as string]: marks[1] }),
      call("Ends.How", { how: marks[2] }),
      call(`Vault.${marks[4]}`, {}),
    ]),
    { method: "POST", path: "/call", body: `{"${marks[3]}": ` },
    { method: "POST", path: "/mcp", body: `{"${marks[3]}": ` },
    { method: "GET", path: "/tools?secret=in-the-query" },
  ];
  for (const headers of [bearer(key.text), bearer(shared()), [["OXP-API-Key", key.text]] as Headers, bearer("a.b.c")]) {
    for (const sent of sends)
      await ask(sent, [...headers, ["Idempotency-Key", crypto.randomUUID()], ["Cookie", "in-a-cookie=1"]]);
  }
  const log = here.lines.join("\n");
  expect(log).not.toMatch(/in-the-|in-an-|in-a-|eyJ|trivet_/);
  expect(log).not.toContain(key.text.slice(24));
  expect(log).not.toContain(SECRET);
});

it("a client that hangs up in the middle of its body causes no error and no line in the log", async () => {
  const before = here.lines.length;
  const { hostname, port } = new URL(here.url);
  const authorization = `Authorization: Bearer ${key.text}`;
  for (const path of ["/mcp", "/tools/call", "/opentool/call"]) {
    for (const how of ["Content-Length: 100\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n50\r\n"]) {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n${how}{"json`);
      });
      await sleep(150);
      socket.destroy();
    }
  }
  await sleep(500);
  expect(here.lines.slice(before).filter((line) => line.includes('"error"'))).toEqual([]);
});

describe("the audit line: one for each call (docs/operating.md)", () => {
  const FIELDS = ["level", "message", "time", "callId", "tool", "protocol", "principal", "outcome", "durationMs"];
  const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const lines = () => here.entries().filter(({ message }) => message === "call");
  async function auditLinesOf(sent: Sent, headers?: Headers): Promise<Record<string, unknown>[]> {
    const before = lines().length;
    await ask(sent, headers);
    await here.logged();
    return lines().slice(before);
  }
  const PROTOCOL = { OXP: "oxp", MCP: "mcp", OpenTool: "opentool" } as Record<string, string>;

  describe.each(Object.entries(CALLS))("%s", (name, call) => {
    it.each([
      ["well", "completed", undefined],
      ["failed", "failed", undefined],
      ["broken", "failed", undefined],
      ["late", "timed_out", undefined],
      ["no such way", "invalid", undefined],
    ])("%s: %s", async (how, outcome, reason) => {
      const found = await auditLinesOf(call("Ends.How", { how }));
      expect(found).toEqual([
        expect.objectContaining({ level: "info", tool: "Ends.How@1.2.3", principal: `key:${key.id}`, outcome }),
      ]);
      expect(Object.keys(found[0] ?? {}).filter((field) => field !== "reason")).toEqual(FIELDS);
      expect(found[0]).toMatchObject({ protocol: PROTOCOL[name.split(" ")[0] as string] });
      expect(found[0]?.reason).toBe(reason);
      expect(found[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    });

    it("refused: no such tool, without its name", async () => {
      const [line, ...others] = await auditLinesOf(call("No.Such"));
      expect(others).toEqual([]);
      expect(line).toMatchObject({ outcome: "refused", reason: "unknown_tool" });
      expect(line).not.toHaveProperty("tool");
    });

    it("with the caller's trace (W3C Trace Context, 3.2)", async () => {
      const [line] = await auditLinesOf(call("Vault.Peek"), [
        ...bearer(key.text),
        ["traceparent", TRACE],
        ["tracestate", "a=1"],
      ]);
      expect(line).toMatchObject({ outcome: "completed", trace: "0af7651916cd43dd8448eb211c80319c" });
      expect(counter.headers()).toMatchObject({ traceparent: TRACE });
      expect(counter.headers()).not.toHaveProperty("tracestate");
    });

    it.each([
      ...[
        "",
        "00",
        "garbage",
        "00-xyz-xyz-01",
        `${TRACE}-more-of-it`,
        TRACE.toUpperCase(),
        "ff-0-0-0",
        "é",
        "00-\u0000",
      ],
      "x".repeat(9_000),
    ])("a traceparent of %j harms nothing", async (value) => {
      const sent = withHeaders(call("Vault.Peek"), [
        ["traceparent", value],
        ["baggage", value],
      ]);
      const { status, text } = await ask(sent);
      if (value.includes("\u0000")) return expect([200, 400]).toContain(status);
      expect(status).toBe(200);
      return expect(text).toContain(`key:${key.id}`);
    });
  });

  it("for a refused call", async () => {
    const plain = await here.makeKey();
    expect(await auditLinesOf(CALLS["OXP /call"]?.("Vault.Open") as Sent, bearer(plain.text))).toEqual([
      expect.objectContaining({ outcome: "refused", reason: "unknown_tool", principal: `key:${plain.id}` }),
    ]);
  });

  it("for a replay, and for a conflict", async () => {
    const keyed = (note: string): Sent => ({
      method: "POST",
      path: "/call",
      body: { request: { tool_id: "Vault.Peek", call_id: "call-7", trace_id: "trace-7", input: { note } } },
    });
    const common = { callId: "call-7", trace: "trace-7", tool: "Vault.Peek@1.0.0" };
    expect(await auditLinesOf(keyed("a"))).toEqual([expect.not.objectContaining({ replayed: true })]);
    expect(await auditLinesOf(keyed("a"))).toEqual([
      expect.objectContaining({ ...common, outcome: "completed", replayed: true }),
    ]);
    expect(await auditLinesOf(keyed("b"))).toEqual([
      expect.objectContaining({ ...common, outcome: "refused", reason: "conflict" }),
    ]);
  });

  it("one for each of a batch, a prompt, a resource", async () => {
    const body = [1, 2, 3].map((id) => rpc("tools/call", { name: "Vault_Peek" }, id));
    expect(await auditLinesOf({ method: "POST", path: "/mcp", body })).toHaveLength(3);
    expect(await auditLinesOf(MCP_WAYS.bare("prompts/get", { name: "Vault_Note" }))).toEqual([
      expect.objectContaining({ tool: "Vault_Note", outcome: "completed" }),
    ]);
    expect(await auditLinesOf(MCP_WAYS.bare("resources/read", { uri: "vault://ledger" }))).toHaveLength(1);
  });

  it("for a prompt that lacks an argument", async () => {
    expect(await auditLinesOf(MCP_WAYS.bare("prompts/get", { name: "Ends_Greeting" }))).toEqual([
      expect.objectContaining({ tool: "Ends_Greeting", outcome: "invalid" }),
    ]);
  });

  it("none for requests that are no call or were refused at the door", async () => {
    for (const sent of [
      { path: "/tools" },
      { path: "/health" },
      MCP_WAYS.bare("tools/list"),
      { method: "POST", path: "/mcp", body: "{" },
    ]) {
      expect(await auditLinesOf(sent)).toEqual([]);
    }
    expect(await auditLinesOf(CALLS["MCP bare"]?.("Vault.Peek") as Sent, bearer("x"))).toEqual([]);
  });

  it("an id chosen by the caller is truncated", async () => {
    const request = { tool_id: "Vault.Peek", trace_id: `x\n{"level":"info"}${"y".repeat(5_000)}` };
    const [line] = await auditLinesOf({ method: "POST", path: "/call", body: { request } });
    expect(String(line?.trace)).toHaveLength(255);
  });
});

it('LOG_CALLS = "false" omits the line of each call, and nothing else', async () => {
  // Both log to the same lines: what the other has to say, it has said.
  await here.logged();
  const before = quiet.entries().length;
  const peek = CALLS["MCP bare"]?.("Vault.Peek") as Sent;
  const ran = counter.ran.length;
  await send(quiet.url, withHeaders(peek, bearer(key.text)));
  expect(counter.ran.length).toBe(ran + 1);
  await send(quiet.url, withHeaders(peek, bearer("x")));
  await quiet.logged();
  const said = quiet.entries().map(({ message }) => message);
  expect(said.slice(before)).toContain("refused");
  expect(said.slice(before)).not.toContain("call");
});
