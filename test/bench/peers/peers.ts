/** The peers that the benchmark measures against, and how each wants to be asked. Needs none of their modules. */

import { BOTH, type Era, LEGACY, MODERN, type Way } from "../mcp.ts";

/** How a peer is asked, and in what it answers. */
export interface PeerWay extends Way {
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
  readonly legacy: PeerWay;
  readonly modern?: PeerWay;
  /** Modules that it would load if they were there, to be left out of its bundle. */
  readonly absent?: readonly string[];
  /** With the accept header that the protocol wants of every client, where {@link legacy} has another. */
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
