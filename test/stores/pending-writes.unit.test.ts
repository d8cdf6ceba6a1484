/** The changes of a session that an isolate holds until KV accepts them: the state machine alone. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  change,
  due,
  hold,
  look,
  refuse,
  type Unwritten,
  WRITE_AGAIN_MS,
  type Writer,
  written,
} from "../../src/stores/pending-writes.ts";
import { cases } from "../support/tier.ts";

const A = { a: 1 };
const B = { b: 2 };

describe("values that KV has refused", () => {
  it("are dropped once KV has accepted them", () => {
    const held = hold(A, 0);
    const next = due(held, held.writer, WRITE_AGAIN_MS);
    expect(next?.values).toBe(A);
    expect(written(next, held.writer, A)).toBeUndefined();
  });

  it("that changed during the write are written again", () => {
    const { writer } = hold(A, 0);
    const held = change(hold(A, 0), B, 5);
    expect(written(held, writer, A)).toEqual(held);
    expect(written(held, writer, B)).toBeUndefined();
  });

  it("are lost after KV has refused eight writes in a row, and not sooner", () => {
    const { writer } = hold(A, 0);
    const row = (held: Unwritten, times: number) => {
      let after: ReturnType<typeof refuse> = held;
      for (let time = 0; time < times; time++) after = refuse(after as Unwritten, held.writer);
      return after;
    };
    const seven = row({ ...hold(A, 0), writer }, 7) as Unwritten;
    expect(seven).toMatchObject({ values: A });
    expect(refuse(seven, writer)).toBe("lost");
    // A successful write resets the count.
    const again = written(change(seven, B, 1), writer, A) as Unwritten;
    expect(row(again, 7)).toMatchObject({ values: B });
  });

  it("keep their writer while it works, and get another once it was cut short", () => {
    const held = hold(A, 0);
    expect(look(held, 4_400)).toBe(held);
    const other = look(held, 4_401);
    expect(other).toMatchObject({ values: A, tended: 4_401 });
    expect(other.writer).not.toBe(held.writer);
    // A writer counts as working by its last activity, however long ago it began.
    const tended = due(held, held.writer, 9_000) as Unwritten;
    expect(look(tended, 9_100)).toBe(tended);
  });

  it("get another writer at a change when theirs has worked for 20 s: the platform would end it", () => {
    const held = hold(A, 0);
    expect(change(held, B, 20_000)).toEqual({ ...held, values: B });
    expect(change(held, B, 20_001)).toEqual(hold(B, 20_001));
  });

  it("are not written by a writer that was replaced", () => {
    const first = hold(A, 0).writer;
    const held = look(hold(B, 0), 10_000);
    expect(due(held, first, 10_000)).toBeUndefined();
    expect(refuse(held, first)).toBe(held);
    expect(written(held, first, A)).toBe(held);
  });
});

describe("in any history of changes and writes", () => {
  type Step = { readonly does: "change" | "look" | "took" | "refused"; readonly ms: number };
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.record({
      does: fc.constantFrom("change", "look", "took", "refused"),
      ms: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 2_000, max: 30_000 })),
    }),
    { maxLength: 60 },
  );

  it("the newest values are in KV or held here, unless the log says that they are lost", () => {
    fc.assert(
      fc.property(steps, (history) => {
        let now = 0;
        let newest = {};
        let onKv = newest;
        let isLost = false;
        let held: Unwritten | undefined;
        const writers = new Set<Writer>();
        for (const { does, ms } of history) {
          now += ms;
          if (does === "change") {
            newest = { now };
            isLost = false;
            held = held ? change(held, newest, now) : hold(newest, now);
          } else if (does === "look") {
            held = held && look(held, now);
          } else {
            // Every writer ever started continues here: only the one that holds the values has something to write.
            const busy = [...writers].filter((writer) => due(held, writer, now) !== undefined);
            expect(busy.length).toBe(held ? 1 : 0);
            const [writer] = busy;
            if (writer === undefined || held === undefined) continue;
            const next: Unwritten | undefined = due(held, writer, now);
            if (does === "took" && next) {
              onKv = next.values;
              held = written(next, writer, next.values);
            } else {
              const after = refuse(next, writer);
              isLost = after === "lost";
              held = after === "lost" ? undefined : after;
            }
          }
          if (held) writers.add(held.writer);
          if (!isLost) expect(held?.values ?? onKv).toBe(newest);
        }
      }),
      { numRuns: cases(100, 1_000) },
    );
  });
});
