/** HTTP as an attacker may write it: byte for byte, with headers that no client library would send. */
import { connect } from "node:net";
import { post } from "../http.ts";
import { countIfRefused } from "./count.ts";

export interface Answer {
  readonly status: number;
  /** By lower-case name; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  readonly body: any;
}

export type Headers = readonly (readonly [name: string, value: string])[];

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Headers;
  readonly body?: unknown;
  /** Host header instead of the server's own. */
  readonly host?: string;
}

/**
 * Sends a request. A body that is not a string is sent as JSON. Header values are sent as UTF-8, including line breaks.
 */
export function send(url: string, { method = "GET", path = "/", headers = [], body, host }: Sent): Promise<Answer> {
  const { hostname, port, host: own } = new URL(url);
  const content = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const bytes = Buffer.from(content);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host ?? own}`,
    "Connection: close",
    ...(body === undefined || headers.some(([name]) => name === "content-type")
      ? []
      : ["Content-Type: application/json"]),
    ...(body === undefined ? [] : [`Content-Length: ${bytes.length}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return new Promise((answered, failed) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      socket.write(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), bytes]));
    });
    socket.setTimeout(120_000, () => socket.destroy(new Error(`no answer to ${method} ${path}`)));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", failed);
    socket.on("end", () => {
      const answer = read(Buffer.concat(chunks));
      countIfRefused(answer.status);
      answered(answer);
    });
  });
}

function read(raw: Buffer): Answer {
  const end = raw.indexOf("\r\n\r\n");
  const [first = "", ...lines] = raw.subarray(0, end).toString("latin1").split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(":");
    const name = line.slice(0, at).toLowerCase();
    const value = line.slice(at + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const rest = raw.subarray(end + 4);
  const text = (headers["transfer-encoding"] === "chunked" ? unchunked(rest) : rest).toString();
  return { status: Number(first.split(" ")[1]), headers, text, body: parsed(text) };
}

function unchunked(raw: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = raw.indexOf("\r\n", at);
    const size = line < 0 ? 0 : Number.parseInt(raw.subarray(at, line).toString(), 16);
    if (!size) return Buffer.concat(parts);
    parts.push(raw.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const bearer = (credential: string): Headers => [["Authorization", `Bearer ${credential}`]];

/** Headers that 2026-07-28 requires on every request. */
const modern = (method: string, name?: string): Headers => [
  ["MCP-Protocol-Version", "2026-07-28"],
  ["Mcp-Method", method],
  ...(name === undefined ? [] : ([["Mcp-Name", name]] as const)),
];

export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

export const rpc = (method: string, params: object = {}, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });

/** An MCP request as each kind of client sends it. */
export const MCP_WAYS = {
  bare: (method: string, params: object = {}): Sent => ({ method: "POST", path: "/mcp", body: rpc(method, params) }),
  "2025-11-25": (method: string, params: object = {}): Sent => ({
    method: "POST",
    path: "/mcp",
    headers: [["MCP-Protocol-Version", "2025-11-25"]],
    body: rpc(method, params),
  }),
  "2026-07-28": (method: string, params: { name?: string; uri?: string } = {}): Sent => ({
    method: "POST",
    path: "/mcp",
    headers: modern(method, params.name ?? params.uri),
    body: rpc(method, { ...params, _meta: MODERN_META }),
  }),
  batch: (method: string, params: object = {}): Sent => ({ method: "POST", path: "/mcp", body: [rpc(method, params)] }),
} as const;

/** Opens a subscription to changes (2026-07-28), as a well-behaved client would: its stream stays open. */
export function listen(url: string, notifications: object, headers: Headers, signal?: AbortSignal): Promise<Response> {
  const body = rpc("subscriptions/listen", { notifications, _meta: MODERN_META });
  return post(`${url}/mcp`, body, Object.fromEntries([...modern("subscriptions/listen"), ...headers]), signal);
}

const nameOf = (id: string) => id.replace(/@.*/, "").replace(".", "_");

/** Every way to call a tool (`Toolkit.Tool` or `Toolkit.Tool@1`). Protocols without versions omit the version. */
export const CALLS: Readonly<Record<string, (id: string, input?: object) => Sent>> = {
  "OXP /tools/call": (tool_id, input = {}) => ({
    method: "POST",
    path: "/tools/call",
    body: { request: { tool_id, input } },
  }),
  "OXP /call": (tool_id, input = {}) => ({ method: "POST", path: "/call", body: { request: { tool_id, input } } }),
  "MCP bare": (id, args = {}) => MCP_WAYS.bare("tools/call", { name: nameOf(id), arguments: args }),
  "MCP 2025-11-25": (id, args = {}) => MCP_WAYS["2025-11-25"]("tools/call", { name: nameOf(id), arguments: args }),
  "MCP 2026-07-28": (id, args = {}) =>
    MCP_WAYS["2026-07-28"]("tools/call", { name: nameOf(id), arguments: args } as { name: string }),
  "MCP batch": (id, args = {}) => MCP_WAYS.batch("tools/call", { name: nameOf(id), arguments: args }),
  "OpenTool call": (method, params = {}) => ({ method: "POST", path: "/opentool/call", body: rpc(method, params) }),
  "OpenTool streamCall": (method, params = {}) => ({
    method: "POST",
    path: "/opentool/streamCall",
    body: rpc(method, params),
  }),
};

/** The same request with more headers. */
export const withHeaders = (sent: Sent, headers: Headers): Sent => ({
  ...sent,
  headers: [...(sent.headers ?? []), ...headers],
});
export const below = (prefix: string, sent: Sent): Sent => ({ ...sent, path: `${prefix}${sent.path}` });
