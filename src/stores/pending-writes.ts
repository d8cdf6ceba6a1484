/**
 * Session values that KV has not accepted yet, as a state machine for one session. An isolate holds values until KV
 * accepts them; a writer tries to write them after the call. The functions are pure: they take the held state and the
 * time, and return the new state. If it has a different writer than before, the caller starts that writer.
 */
import type { SessionValues } from "../core/model/session.ts";

/** KV accepts one write per second and key. */
export const WRITE_AGAIN_MS = 1_100;
/** After so many refused writes in a row, the values are lost. */
const WRITES = 8;
/** A writer that has not worked for this long was cut short with its request. */
const WRITER_GONE_MS = 4 * WRITE_AGAIN_MS;
/** If the writer has not worked for this long, and nobody has read the values, they are lost. */
const LOST_MS = 30_000;
/** The platform ends work 30 s after the response. A writer this old is replaced by one in the request of a change. */
const WRITER_MS = 20_000;

/** Background work of one request that writes the held values. Compared by identity; only one writer is current. */
export interface Writer {
  /** Milliseconds since 1970, like all times in this file. */
  readonly since: number;
}

export interface Unwritten {
  readonly values: SessionValues;
  readonly writer: Writer;
  /** When the writer last worked on these values. */
  readonly tended: number;
  /** Writes in a row that KV has refused this writer. */
  readonly refused: number;
}

/** Holds values that KV has just refused, or whose writer must be replaced. */
export function hold(values: SessionValues, now: number): Unwritten {
  return { values, writer: { since: now }, tended: now, refused: 0 };
}

/** Called when the values are read: replaces a writer that is gone. */
export function look(held: Unwritten, now: number): Unwritten {
  return now - held.tended > WRITER_GONE_MS ? hold(held.values, now) : held;
}

/** Whether the writer was cut short long ago, and no call has read the values since. */
export function isLost(held: Unwritten, now: number): boolean {
  return now - held.tended > LOST_MS;
}

/** Changes the values. Their writer continues with the new ones, unless it has been running for too long. */
export function change(held: Unwritten, values: SessionValues, now: number): Unwritten {
  return now - held.writer.since > WRITER_MS ? hold(values, now) : { ...held, values };
}

/** @returns the values that the writer should write now; undefined if they are written, or it was replaced */
export function due(held: Unwritten | undefined, writer: Writer, now: number): Unwritten | undefined {
  return held?.writer === writer ? { ...held, tended: now } : undefined;
}

/** @param values accepted by KV. If the held values have changed since, there is more to write */
export function written(held: Unwritten | undefined, writer: Writer, values: SessionValues): Unwritten | undefined {
  if (held === undefined || held.values === values) return undefined;
  return held.writer === writer ? { ...held, refused: 0 } : held;
}

/** Counts a write that KV refused. @returns `lost` if it was the last attempt */
export function refuse(held: Unwritten | undefined, writer: Writer): Unwritten | undefined | "lost" {
  if (held?.writer !== writer) return held;
  return held.refused + 1 === WRITES ? "lost" : { ...held, refused: held.refused + 1 };
}
