/** JSON responses that may take long: they begin before their content is known, so that no proxy gives up. */
import { describeError } from "../core/lib/log.ts";
import { type MaybePromise, settlesAtOnce } from "../core/lib/maybe-promise.ts";
import { atMost } from "../core/lib/wait.ts";
import type { RequestContext } from "./request-context.ts";
import { JSON_RESPONSE } from "./response.ts";
import { BEAT_MS, SILENT_MS } from "./sse.ts";

/** How to write an answer. */
interface Writing<Answer> {
  inTime(answer: Answer): Response;
  /** Makes the JSON text if status 200 and the headers were sent before the answer was known. */
  late(answer: Answer): MaybePromise<string>;
}

/**
 * Responds when the answer is there. After {@link SILENT_MS} without one, the response begins: it has the status 200, and
 * white space, which may precede JSON (RFC 8259, section 2), keeps its connection open until the answer follows.
 */
export async function jsonInTime<Answer>(
  { runtime }: RequestContext,
  answering: Promise<Answer>,
  { inTime, late }: Writing<Answer>,
): Promise<Response> {
  const isInTime = (await settlesAtOnce(answering)) || (await atMost(answering, SILENT_MS));
  if (isInTime) return inTime(await answering);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const write = (text: string) => writer.write(encoder.encode(text));
  // A write fails only if the client has gone: then nobody misses it.
  const beat = () => void write(" ").catch(() => {});
  const finish = async () => {
    beat();
    const beats = setInterval(beat, BEAT_MS);
    const text = await answering.then(late).finally(() => clearInterval(beats));
    await Promise.all([write(text), writer.close()]).catch(() => {});
  };
  finish().catch((error) => {
    // Neither callers nor tools can cause this, so it is a bug. The client sees a response that breaks off.
    runtime.log({ level: "error", message: "unhandled", error: describeError(error) });
    return writer.abort(error);
  });
  return new Response(readable, JSON_RESPONSE);
}
