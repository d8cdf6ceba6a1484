/** What an outbox reads of its tables when it has many rows: in SQLite, on the storage of an object. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { OutboxTable, type SubscriptionRow } from "../../../src/features/outbox/object/outbox-table.ts";

const { CLAIMS } = env as unknown as { CLAIMS: DurableObjectNamespace };

const NOW = 1_000_000;

function withTable(test: (table: OutboxTable) => void) {
  return () =>
    runInDurableObject(CLAIMS.getByName(crypto.randomUUID()), async (_, { storage }) => {
      const table = new OutboxTable(storage);
      table.make("p");
      test(table);
      await storage.deleteAll();
    });
}

function subscribe(table: OutboxTable, id: string, host: string): void {
  const none = { topic: null, delivered: null, failing: null, problem: null };
  const row = {
    ...none,
    id,
    kind: "events",
    name: "e",
    url: `${host}/${id}`,
    host,
    expires: 9e15,
    sequence: 0,
    sealed: "",
  };
  table.putSubscription(row as SubscriptionRow);
}

const retry = (table: OutboxTable, subscription: string, seq: number, next: number) =>
  table.insertDelivery({ subscription, seq, sequence: seq, attempts: 1, next, problem: "timeout" });

it(
  "a host on which many retries wait keeps nobody else's from being read",
  withTable((table) => {
    for (const id of ["stalls", "stalls-too"]) subscribe(table, id, "stalling.example");
    for (let at = 0; at < 700; at++) retry(table, at % 2 ? "stalls" : "stalls-too", at, at);
    for (const id of ["one", "other"]) subscribe(table, id, `${id}.example`);
    retry(table, "one", 1, 900_000);
    retry(table, "other", 1, 900_001);
    retry(table, "other", 2, NOW + 1);
    const due = table.due(NOW, 500);
    expect(due).toHaveLength(500);
    expect(due.slice(0, 3)).toEqual([
      { subscription: "stalls-too", seq: 0 },
      { subscription: "one", seq: 1 },
      { subscription: "other", seq: 1 },
    ]);
    // Of the host itself, what is due first comes first.
    expect(due.slice(3, 6).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  }),
);

it(
  "a retry whose subscription is gone is still read, so that it can be removed",
  withTable((table) => {
    retry(table, "gone", 1, 0);
    expect(table.due(NOW, 500)).toEqual([{ subscription: "gone", seq: 1 }]);
  }),
);

it(
  "a dead letter is listed among those that are dead, however many have arrived since",
  withTable((table) => {
    const letter = { subscription: "s", attempts: 1, at: 1, expires: 9e15, problem: null, reason: null };
    table.insertLetter({ ...letter, seq: 1, sequence: 1, state: "dead" });
    for (let seq = 2; seq < 1_100; seq++) table.insertLetter({ ...letter, seq, sequence: seq, state: "delivered" });
    expect(table.letters(undefined, 1_000, "dead").map(({ seq }) => seq)).toEqual([1]);
    expect(table.letters("s", 1_000, "dead").map(({ seq }) => seq)).toEqual([1]);
    expect(table.letters("other", 1_000, "dead")).toEqual([]);
    expect(table.letters(undefined, 1_000)).toHaveLength(1_000);
  }),
);
