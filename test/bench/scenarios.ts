/** The scenarios: requests as clients send them, and the answers that they must get. */
import { type Era, LEGACY, MODERN, mcpRequest } from "./mcp.ts";
import type { Peer } from "./peers/peers.ts";
import { type Answer, encode, type Request } from "./wire.ts";

/** Values that a run passes to its scenarios. */
export interface Given {
  /** Values of `Authorization` by kind of credential. */
  readonly credentials: Readonly<Record<"none" | "key" | "HS256" | "ES256", string>>;
  /** Set if a peer is measured. Its requests differ, and its answers only need the right sum. */
  readonly peer?: Peer;
}

/** A request, and the answer that it must get. */
export interface Exchange {
  readonly request: Buffer;
  readonly status: number;
  /** The exact bytes, or a predicate. */
  readonly body: Buffer | ((body: Buffer) => boolean);
}

type Ask = (request: Buffer) => Promise<Answer>;
/** Returns the n-th exchange. Some scenarios repeat one request, others never send the same twice. */
type Next = (index: number) => Exchange;

/** Which deployment of Trivet serves it. */
export type Place = "one" | "ten" | "hundred" | "thousand" | "closed" | "kept" | "logged";

export interface Scenario {
  readonly name: string;
  readonly place: Place;
  /** References and peers that serve the same requests. */
  readonly against: readonly ("bare" | "hono+valibot" | "legacy peers" | "modern peers")[];
  /** The least acceptable share of bare's throughput. */
  readonly target?: number;
  open(ask: Ask, given: Given): Promise<Next>;
}

const NUMBERS = { a: 19.5, b: 22.5 };
const SUM = 42;

const WAYS = { legacy: LEGACY, modern: MODERN };
const wayOf = (era: Era, { peer }: Given) => peer?.[era] ?? WAYS[era];

const callOf = (era: Era, given: Given) =>
  mcpRequest(wayOf(era, given), "tools/call", { name: given.peer?.toolName ?? "Sums_Add", arguments: NUMBERS });

const CALLS = {
  OXP: () => ({
    method: "POST",
    path: "/tools/call",
    body: { request: { tool_id: "Sums.Add", input: NUMBERS } },
  }),
  "MCP legacy": (given) => callOf("legacy", given),
  "MCP modern": (given) => callOf("modern", given),
  OpenTool: () => ({
    method: "POST",
    path: "/opentool/call",
    body: { jsonrpc: "2.0", method: "Sums_Add", params: NUMBERS, id: 1 },
  }),
} satisfies Record<string, (given: Given) => Request>;

const ANSWERS: Record<keyof typeof CALLS, Buffer | ((body: Buffer) => boolean)> = {
  OXP: isOxpSum,
  "MCP legacy": Buffer.from(
    `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${SUM}"}],"structuredContent":{"value":${SUM}}}}`,
  ),
  "MCP modern": Buffer.from(
    `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"${SUM}"}],"structuredContent":${SUM},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"trivet","version":"1.0.0"}}}}`,
  ),
  OpenTool: Buffer.from(`{"jsonrpc":"2.0","result":{"value":${SUM}},"error":null,"id":1}`),
};

/** The server generates the id of a call without one, and reports its duration. */
const OXP_SUM = new RegExp(
  `^\\{"\\$schema":"urn:oxp:1.0","result":\\{"call_id":"[0-9a-f-]{36}","duration":\\d+,"success":true,"value":${SUM}\\}\\}$`,
);

function isOxpSum(body: Buffer): boolean {
  return OXP_SUM.test(body.toString("latin1"));
}

/** A peer answers with JSON, or an event that contains it: the sum as text, and no error. */
function isPeersSum(body: Buffer): boolean {
  const text = body.toString();
  return text.includes(`"text":"${SUM}"`) && text.includes('"jsonrpc":"2.0"') && !text.includes('"isError":true');
}

const always =
  (exchange: Exchange): Next =>
  () =>
    exchange;

type Credential = keyof Given["credentials"];

function call(protocol: keyof typeof CALLS, credential: Credential): Scenario["open"] {
  return async (_, given) => {
    const plain: Request = CALLS[protocol](given);
    const authorization = given.credentials[credential];
    const headers = { ...plain.headers, ...(authorization && { authorization }) };
    const request = encode({ ...plain, headers });
    return always({ request, status: 200, body: given.peer ? isPeersSum : ANSWERS[protocol] });
  };
}

/** The same sum from a tool that is needlessly async. */
async function callAsync(): Promise<Next> {
  const body = { request: { tool_id: "Sums.AddAsync", input: NUMBERS } };
  return always({ request: encode({ method: "POST", path: "/tools/call", body }), status: 200, body: isOxpSum });
}

const LISTS = {
  OXP: () => ({ method: "GET", path: "/tools" }),
  "MCP legacy": (given) => mcpRequest(wayOf("legacy", given), "tools/list"),
  "MCP modern": (given) => mcpRequest(wayOf("modern", given), "tools/list"),
  OpenTool: () => ({ method: "GET", path: "/opentool/load" }),
} satisfies Record<string, (given: Given) => Request>;

/** Checks the first answer's number of tools; the others must equal it. */
function list(protocol: keyof typeof LISTS, size: number): Scenario["open"] {
  return async (ask, given) => {
    const request = encode(LISTS[protocol](given));
    const { status, body } = await ask(request);
    const text = body.toString();
    const json = JSON.parse(text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? ""));
    const found = (json.tools ?? json.functions ?? json.result?.tools)?.length;
    if (status !== 200 || found !== size) throw new Error(`${found} tools are listed, not ${size}`);
    return always({ request, status, body });
  };
}

/** A client that already has the listing and sends its ETag. */
function listAgain(path: string): Scenario["open"] {
  return async (ask) => {
    const { headers } = await ask(encode({ method: "GET", path }));
    const etag = headers.get("etag");
    if (etag === undefined) throw new Error("a listing has no ETag");
    const request = encode({ method: "GET", path, headers: { "if-none-match": etag } });
    return always({ request, status: 304, body: Buffer.alloc(0) });
  };
}

function ring(key: string): Exchange {
  const request = { tool_id: "Door.Ring", call_id: key, input: { door: "front" } };
  const result = { call_id: key, duration: 0, success: true, value: "front: ding dong" };
  return {
    request: encode({ method: "POST", path: "/tools/call", body: { request } }),
    status: 200,
    // The answer has the call's duration, which may differ from 0.
    body: (body) => body.toString().replace(/"duration":\d+/, '"duration":0') === answerText(result),
  };
}

const answerText = (result: unknown) => JSON.stringify({ $schema: "urn:oxp:1.0", result });

async function keyedFirst(): Promise<Next> {
  const run = crypto.randomUUID();
  return (index) => ring(`${run} ${index}`);
}

async function keyedReplay(ask: Ask): Promise<Next> {
  const exchange = ring(crypto.randomUUID());
  await ask(exchange.request);
  return always(exchange);
}

function inSession(name: string, given: Record<string, unknown>, expected: string): Scenario["open"] {
  return async (ask) => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } };
    const { headers } = await ask(encode(mcpRequest(LEGACY, "initialize", params)));
    const session = headers.get("mcp-session-id");
    if (session === undefined) throw new Error("no session began");
    const within = (tool: string, input: Record<string, unknown>) =>
      encode(mcpRequest(LEGACY, "tools/call", { name: tool, arguments: input }, { "mcp-session-id": session }));
    await ask(within("Notes_Write", { text: "milk" }));
    const text = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${expected}"}],"structuredContent":{"value":"${expected}"}}}`;
    return always({ request: within(name, given), status: 200, body: Buffer.from(text) });
  };
}

async function progress(): Promise<Next> {
  const params = { name: "Slow_Steps", arguments: {}, _meta: { progressToken: "p" } };
  const request = encode(mcpRequest(LEGACY, "tools/call", params));
  const isWhole = (body: Buffer) => {
    const events = body
      .toString()
      .split("\n\n")
      .filter((event) => event.includes("data: "));
    return (
      events.length === 4 && events[0]?.includes('"progress":1') === true && events[3]?.includes('"done"') === true
    );
  };
  return always({ request, status: 200, body: isWhole });
}

const PROTOCOLS = ["OXP", "MCP legacy", "MCP modern", "OpenTool"] as const;
const SIZES = [
  ["one", 1],
  ["ten", 10],
  ["hundred", 100],
  ["thousand", 1_000],
] as const;
const CREDENTIALS = ["key", "HS256", "ES256"] as const;
const CREDENTIAL_NAMES = { key: "an API key", HS256: "an HS256 token", ES256: "an ES256 token" };
const AGAIN = [
  ["OXP", "/tools"],
  ["OpenTool", "/opentool/load"],
] as const;

const peersOf = (protocol: string) =>
  protocol === "MCP legacy"
    ? (["legacy peers"] as const)
    : protocol === "MCP modern"
      ? (["modern peers"] as const)
      : [];

export const SCENARIOS: readonly Scenario[] = [
  ...PROTOCOLS.map((protocol) => ({
    name: `${protocol}: call`,
    place: "one" as const,
    against: ["bare", ...(protocol === "OXP" ? (["hono+valibot"] as const) : peersOf(protocol))] as const,
    target: protocol === "MCP modern" ? 0.82 : 0.86,
    open: call(protocol, "none"),
  })),
  ...PROTOCOLS.flatMap((protocol) =>
    CREDENTIALS.map((credential) => ({
      name: `${protocol}: call with ${CREDENTIAL_NAMES[credential]}`,
      place: "closed" as const,
      against: ["bare"] as const,
      target: 0.75,
      open: call(protocol, credential),
    })),
  ),
  { name: "OXP: call of an async tool", place: "kept", against: ["bare"], open: callAsync },
  ...PROTOCOLS.map((protocol) => ({
    name: `${protocol}: call, with a line in the log`,
    place: "logged" as const,
    against: ["bare"] as const,
    open: call(protocol, "none"),
  })),
  ...SIZES.flatMap(([place, size]) => [
    ...PROTOCOLS.map((protocol) => ({
      name: `${protocol}: listing of ${size}`,
      place,
      against: ["bare", ...(size === 1_000 ? peersOf(protocol) : [])] as const,
      target: 0.9,
      open: list(protocol, size),
    })),
    ...AGAIN.map(([protocol, path]) => ({
      name: `${protocol}: listing of ${size}, If-None-Match`,
      place,
      against: [] as const,
      open: listAgain(path),
    })),
  ]),
  { name: "OXP: keyed call, first", place: "kept", against: [], open: keyedFirst },
  { name: "OXP: keyed call, replay", place: "kept", against: [], open: keyedReplay },
  { name: "MCP legacy: session read", place: "kept", against: [], open: inSession("Notes_Read", {}, "milk") },
  {
    name: "MCP legacy: session write",
    place: "kept",
    against: [],
    open: inSession("Notes_Write", { text: "milk" }, "milk"),
  },
  { name: "MCP legacy: three progress events", place: "kept", against: [], open: progress },
];
