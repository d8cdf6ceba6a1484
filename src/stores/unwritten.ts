/**
 * Session values that KV has not taken yet, as a state machine for one session: nothing → held, with a writer that tries
 * to write them after the call → nothing. Pure: what is held and the time in, what is held from now on out. Where that has
 * another writer than before, whoever keeps it starts that writer.
 */
import type { SessionValues } from "../core/model/session.ts";

/** KV takes one write a second per key. */
export const WRITE_AGAIN_MS = 1_100;
/** Writes in a row that KV may refuse. */
const WRITES = 8;
/** A writer that has not been at it for so long was cut short with its request. */
const WRITER_GONE_MS = 4 * WRITE_AGAIN_MS;
/** The platform ends what goes on 30 s after an answer: then the request of a later change has long taken over. */
const WRITER_MS = 20_000;

/** Work behind one request that writes what is held: one at a time. Two are told apart by identity. */
export interface Writer {
  /** Milliseconds since 1970, as all times here. */
  readonly since: number;
}

export interface Unwritten {
  readonly values: SessionValues;
  readonly writer: Writer;
  /** When somebody was last at writing them. */
  readonly tended: number;
  /** Writes that KV has refused this writer since it took one. */
  readonly refused: number;
}

/** Values that KV has just refused, or whose writer is to be replaced. */
export function hold(values: SessionValues, now: number): Unwritten {
  return { values, writer: { since: now }, tended: now, refused: 0 };
}

/** Somebody looks at them: if their writer is gone, another takes over. */
export function look(held: Unwritten, now: number): Unwritten {
  return now - held.tended > WRITER_GONE_MS ? hold(held.values, now) : held;
}

/** They are changed: the writer writes the new ones, unless it has been at work for too long. */
export function change(held: Unwritten, values: SessionValues, now: number): Unwritten {
  return now - held.writer.since > WRITER_MS ? hold(values, now) : { ...held, values };
}

/** @returns what the writer is to write now; undefined if it has nothing to do any more: they are written, or another's */
export function due(held: Unwritten | undefined, writer: Writer, now: number): Unwritten | undefined {
  return held?.writer === writer ? { ...held, tended: now } : undefined;
}

/** @param values that KV took: if they were changed meanwhile, there is more to write */
export function written(held: Unwritten | undefined, writer: Writer, values: SessionValues): Unwritten | undefined {
  if (held === undefined || held.values === values) return undefined;
  return held.writer === writer ? { ...held, refused: 0 } : held;
}

/** KV has refused a write. @returns `lost` if that was the last try */
export function refuse(held: Unwritten | undefined, writer: Writer): Unwritten | undefined | "lost" {
  if (held?.writer !== writer) return held;
  return held.refused + 1 === WRITES ? "lost" : { ...held, refused: held.refused + 1 };
}
