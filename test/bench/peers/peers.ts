/** The peers that the benchmark measures against, and how each wants to be asked. Needs none of their modules. */

/** Revisions up to 2025-11-25, asked without a session; 2026-07-28. */
export type Era = "legacy" | "modern";

/** What is a peer's own in a request and its answer. */
export interface Way {
  /** Value of `MCP-Protocol-Version`: the newest of its era that the peer takes. */
  readonly version: string;
  readonly accept: string;
  readonly answers: "json" | "sse";
}

export interface Peer {
  readonly name: string;
  /** File name of the Worker, beside this file. */
  readonly main: string;
  readonly eras: readonly Era[];
  /** As the peer shows it. */
  readonly toolName: string;
  /** Whether its results have structured content, and its tools an output schema. */
  readonly structured: boolean;
  readonly legacy: Way;
  readonly modern?: Way;
  /** Modules that it would load if they were there, to be left out of its bundle. */
  readonly absent?: readonly string[];
  /** With the accept header that the protocol wants of every client, where {@link legacy} has another. */
  readonly legacyAsRequired?: Way;
}

const META = "io.modelcontextprotocol/";
const BOTH = "application/json, text/event-stream";
const TOOL = "Sums_Add";
const LEGACY = { version: "2025-11-25", accept: BOTH } as const;
const MODERN = { version: "2026-07-28", accept: BOTH } as const;

export const PEERS: readonly Peer[] = [
  {
    name: "official-v2",
    main: "official-v2.ts",
    eras: ["legacy", "modern"],
    toolName: TOOL,
    structured: true,
    legacy: { ...LEGACY, answers: "json" },
    modern: { ...MODERN, answers: "json" },
  },
  {
    // Refuses a version header that it does not know, and streams whatever is accepted as a stream.
    name: "mcp-lite",
    main: "mcp-lite.ts",
    eras: ["legacy"],
    toolName: TOOL,
    structured: true,
    legacy: { version: "2025-06-18", accept: "application/json", answers: "json" },
    legacyAsRequired: { version: "2025-06-18", accept: BOTH, answers: "sse" },
  },
  {
    name: "agents",
    main: "agents.ts",
    eras: ["legacy", "modern"],
    toolName: TOOL,
    structured: true,
    legacy: { ...LEGACY, answers: "sse" },
    modern: { ...MODERN, answers: "json" },
  },
  {
    name: "fastmcp",
    main: "fastmcp.ts",
    eras: ["legacy"],
    toolName: TOOL,
    structured: false,
    absent: ["effect", "sury"],
    legacy: { ...LEGACY, answers: "json" },
  },
  {
    name: "tmcp",
    main: "tmcp.ts",
    eras: ["legacy", "modern"],
    toolName: TOOL,
    structured: true,
    legacy: { ...LEGACY, answers: "sse" },
    modern: { ...MODERN, answers: "sse" },
  },
];

export interface Asked {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** @returns what to fetch /mcp with */
export function asked(way: Way, method: string, params: Readonly<Record<string, unknown>> = {}): Asked {
  const headers = {
    "content-type": "application/json",
    accept: way.accept,
    "mcp-protocol-version": way.version,
  };
  const message = { jsonrpc: "2.0", id: 1, method };
  if (way.version !== MODERN.version) return { method: "POST", headers, body: JSON.stringify({ ...message, params }) };
  const _meta = {
    [`${META}protocolVersion`]: way.version,
    [`${META}clientInfo`]: { name: "bench", version: "1.0.0" },
    [`${META}clientCapabilities`]: {},
  };
  return {
    method: "POST",
    headers: {
      ...headers,
      "mcp-method": method,
      ...(typeof params.name === "string" && { "mcp-name": params.name }),
    },
    body: JSON.stringify({ ...message, params: { ...params, _meta } }),
  };
}
