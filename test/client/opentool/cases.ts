/** What servers answer, and what must come of it. The same cases run in Node 24 and 20, in workerd and in Chromium. */
import { FunctionCall, OpenToolClient, OpenToolException, type StreamEvent } from "../../../src/client/opentool.ts";
import type { Reply } from "../support/reply.ts";
import { CALLS } from "./cases/call.ts";
import { CONNECTIONS } from "./cases/connection.ts";
import { DESCRIPTIONS } from "./cases/load.ts";
import { STREAMS } from "./cases/stream.ts";

export interface Case {
  readonly name: string;
  readonly method: "version" | "call" | "load" | "streamCall";
  /** For all requests, or by the last part of the path. */
  readonly reply: Reply | { readonly streamCall: Reply; readonly call: Reply };
  readonly outcome: Outcome;
  /** Aborted by the caller. */
  readonly aborts?: "before" | "during";
  readonly timeoutMs?: number;
}

/** What came of it, as JSON. `threw` is the name of an exception, and `json` what its `toJson()` returns. */
export interface Outcome {
  readonly returned?: unknown;
  /** Of a stream: name and result of each. */
  readonly events?: readonly (readonly [string, unknown])[];
  readonly threw?: string;
  readonly json?: object;
  readonly [detail: string]: unknown;
}

export const CASES: readonly Case[] = [...CALLS, ...STREAMS, ...DESCRIPTIONS, ...CONNECTIONS];

/** For `serveReplies`. */
export const REPLIES = CASES.map(({ reply }) => ("streamCall" in reply ? reply : { any: reply }));

export const ID = "call-7";
/** More than any runtime hands over at once, so that what comes before an endless part is seen. */
const MAX_BYTES = 5_000_000;
/** Only ends what hangs: a busy machine may take long. */
const PATIENCE_MS = 240_000;

/** The outcomes of all cases, in their order. */
export function run({ url }: { url: string }): Promise<Outcome[]> {
  return Promise.all(CASES.map((one, index) => outcomeOf(one, `${url}/replies/${index}`)));
}

async function outcomeOf({ method, timeoutMs = PATIENCE_MS, aborts }: Case, url: string): Promise<Outcome> {
  const client = new OpenToolClient({ url, apiKey: "the-key", timeoutMs, maxBytes: MAX_BYTES });
  const call = new FunctionCall(ID, "add", { a: 1, b: 2 });
  const reason = new Error("The user has left");
  const stop = new AbortController();
  if (aborts === "before") stop.abort(reason);
  if (aborts === "during") setTimeout(() => stop.abort(reason), 100);
  const options = { signal: stop.signal };
  const events: [string, unknown][] = [];
  const seen = method === "streamCall" ? { events } : {};
  try {
    if (method === "version") return { returned: await client.version(options) };
    if (method === "load") return { returned: await client.load(options) };
    if (method === "call") {
      const { id, result } = await client.call(call, options);
      return { returned: id === ID ? result : `another id: ${id}` };
    }
    for await (const event of client.streamCall(call, options)) events.push(pairOf(event));
    return seen;
  } catch (error) {
    if (error === reason) return { ...seen, threw: "the reason" };
    return { ...seen, ...described(error) };
  }
}

const pairOf = ({ event, toolReturn: { id, result } }: StreamEvent): [string, unknown] => [
  id === ID ? event : `another id: ${id}`,
  result,
];

/** An exception, with what it has besides `code` and `message`. */
function described(error: unknown): Outcome {
  if (!(error instanceof OpenToolException)) return { threw: String(error) };
  const { name, message, stack, cause, ...own } = error as OpenToolException & { code?: number };
  const json = error.toJson();
  if (json.message !== error.message) return { threw: "another message in its JSON" };
  if (json.code !== undefined) delete own.code;
  // What the platform threw differs, but there is always something to show.
  const isTold = cause === undefined || (cause instanceof Error && cause.message !== "");
  return JSON.parse(JSON.stringify({ threw: isTold ? error.name : "no cause", json, ...own }));
}
