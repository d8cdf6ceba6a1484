/** What the connections of several protocols need. */
import { setTimeout as sleep } from "node:timers/promises";
import { type JsonSchema, NotDone, type Reason } from "./connection.ts";

/** A schema as an object; `{}` for anything else. JSON Schema also allows true and false, and servers send worse. */
export function asSchema(given: unknown): JsonSchema {
  return typeof given === "object" && given !== null && !Array.isArray(given) ? (given as JsonSchema) : {};
}

/** Writes `Toolkit_Tool`, Trivet's form for protocols without dots in names, as `Toolkit.Tool`. Other names stay. */
export function shownAs(name: string): string {
  return name.replace(/^([A-Z][A-Za-z0-9]*)_([A-Z][A-Za-z0-9]*)$/, "$1.$2");
}

/** Waits, a minute at most. Rejects with the signal's reason as soon as it is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(ms, 60_000), undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Waits for a promise. If the signal is aborted, calls `cancel` first and then rejects with the signal's reason. */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal, cancel: () => Promise<void>) {
  const aborted = Promise.withResolvers<never>();
  const abort = () => {
    // If it cannot be cancelled, there is nothing else to do.
    cancel()
      .catch(() => {})
      .finally(() => aborted.reject(signal.reason));
  };
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  promise.catch(() => {});
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
}

/**
 * @param fields `data` or `_meta` of a failure
 * @returns its message for the tool's developer, if it has one: such as the tool's exception under `npm start`
 */
export function forDeveloper(fields: unknown): string[] {
  const { developer_message: text } = (fields ?? {}) as { readonly developer_message?: unknown };
  return typeof text === "string" ? [text] : [];
}

/** The error and its causes; the first cause is last. */
export function causesOf(error: unknown): Error[] {
  const all: Error[] = [];
  for (let cause = error; cause instanceof Error && !all.includes(cause); cause = cause.cause) all.push(cause);
  return all;
}

/** The failure of a call that got no connection, or no complete answer. */
export function unreachableBy(error: Error, base: string): NotDone {
  const causes = causesOf(error);
  const code = causes.map(codeOf).find((one) => one !== undefined);
  if (code !== undefined) return new NotDone("unreachable", `There is no server at ${base} (${code}).`);
  return new NotDone("unreachable", causes.at(-1)?.message ?? error.message);
}

/** Such as "ECONNREFUSED": what Node puts into the cause of a failed fetch. */
export function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^(E[A-Z_]+|UND_[A-Z_]+|CERT_[A-Z_]+|DEPTH_[A-Z_]+)$/.test(code)
    ? code
    : undefined;
}

/** Failures for which some protocols have no code, by the message that Trivet sends for them. */
const MESSAGES: readonly (readonly [RegExp, Reason])[] = [
  [/^The tool needs an answer first: /, "needs an answer"],
  [/^The tool took (too long to answer|longer than \d+ ms)/, "timed out"],
  [/^Invalid arguments: /, "invalid"],
  [/ requires .*, which this server has not been given$/, "refused"],
];

/** @returns why there is no result; undefined if the message is none of these */
export function reasonIn(message: string): Reason | undefined {
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
}
