/** The peers in the benchmark, and how to call each of them. Imports none of their modules. */

import { BOTH, type Era, LEGACY, MODERN, type Way } from "../mcp.ts";

/** How a peer is called, and the media type that it answers with. */
export interface PeerWay extends Way {
  readonly answers: "json" | "sse";
}

export interface Peer {
  readonly name: string;
  /** File name of the Worker, in this folder. */
  readonly main: string;
  readonly eras: readonly Era[];
  /** The tool's name as the peer lists it. */
  readonly toolName: string;
  /** Whether its results have structured content, and its tools an output schema. */
  readonly structured: boolean;
  readonly legacy: PeerWay;
  readonly modern?: PeerWay;
  /** Optional modules that it would load if installed; they are left out of its bundle. */
  readonly absent?: readonly string[];
  /** Set if {@link legacy} uses another Accept header than the one that MCP requires of clients. */
  readonly legacyAsRequired?: PeerWay;
}

const TOOL = "Sums_Add";

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
    // Rejects unknown version headers, and streams whenever the client accepts a stream.
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
