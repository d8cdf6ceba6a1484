/**
 * Session values that KV has not accepted yet, as a state machine for one session. Values are held, with a writer that
 * tries to write them after the call, until KV takes them. The functions are pure: they take the held state and the
 * time, and return the new state. If it has a different writer than before, the caller starts that writer.
 */
import type { SessionValues } from "../core/model/session.ts";

/** KV accepts one write per second and key. */
export const WRITE_AGAIN_MS = 1_100;
/** Writes in a row that KV may refuse before the values are lost. */
const WRITES = 8;
/** A writer that has done nothing for this long was cut short with its request. */
const WRITER_GONE_MS = 4 * WRITE_AGAIN_MS;
/** The platform ends work 30 s after the response. Before that, the request of a later change takes over. */
const WRITER_MS = 20_000;

/** A task in the background of one request that writes the held values. Compared by identity; only one is current. */
export interface Writer {
  /** Milliseconds since 1970, like all times in this file. */
  readonly since: number;
}

/** Held values and their writer. */
export interface Unwritten {
  readonly values: SessionValues;
  readonly writer: Writer;
  /** When the writer last worked on them. */
  readonly tended: number;
  /** Writes in a row that KV has refused this writer. */
  readonly refused: number;
}

/** Holds values that KV has just refused, or whose writer must be replaced. */
export function hold(values: SessionValues, now: number): Unwritten {
  return { values, writer: { since: now }, tended: now, refused: 0 };
}

/** To be called when the values are read: replaces a writer that is gone. */
export function look(held: Unwritten, now: number): Unwritten {
  return now - held.tended > WRITER_GONE_MS ? hold(held.values, now) : held;
}

/** Changes the values. Their writer goes on with the new ones, unless it has been running for too long. */
export function change(held: Unwritten, values: SessionValues, now: number): Unwritten {
  return now - held.writer.since > WRITER_MS ? hold(values, now) : { ...held, values };
}

/** @returns what the writer should write now; undefined if the values are written, or another writer has taken over */
export function due(held: Unwritten | undefined, writer: Writer, now: number): Unwritten | undefined {
  return held?.writer === writer ? { ...held, tended: now } : undefined;
}

/** @param values that KV has accepted. If they were changed meanwhile, there is more to write. */
export function written(held: Unwritten | undefined, writer: Writer, values: SessionValues): Unwritten | undefined {
  if (held === undefined || held.values === values) return undefined;
  return held.writer === writer ? { ...held, refused: 0 } : held;
}

/** Counts a write that KV refused. @returns `lost` if it was the last attempt */
export function refuse(held: Unwritten | undefined, writer: Writer): Unwritten | undefined | "lost" {
  if (held?.writer !== writer) return held;
  return held.refused + 1 === WRITES ? "lost" : { ...held, refused: held.refused + 1 };
}
