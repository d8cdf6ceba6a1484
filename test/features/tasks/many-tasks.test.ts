/** What a ledger reads of its tables when they have become large: a task is kept for a day, and a caller may have many. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { type TaskRow, TaskTable } from "../../../src/features/tasks/ledger/task-table.ts";

const { HUB } = env as unknown as { HUB: DurableObjectNamespace };
const ENDED = 2_000;

it("a look at a task, a start and an end read few rows, however many tasks have ended", async () => {
  await runInDurableObject(HUB.getByName(crypto.randomUUID()), (_, { storage }) => {
    let cursors: SqlStorageCursor<never>[] = [];
    const exec = (query: string, ...values: SqlStorageValue[]) => {
      const cursor = storage.sql.exec<never>(query, ...values);
      cursors.push(cursor);
      return cursor;
    };
    const table = new TaskTable({ sql: { exec } } as unknown as DurableObjectStorage);
    const now = Date.now();
    const start = (id: string) => {
      const task = { id, partition: "p", keys: [], head: "h", call: "c", isRepeatable: false, ttlMs: 86_400_000 };
      table.insert({ ...task, weight: 1, limit: 100 }, now);
      table.give(id, { key: `key of ${id}`, fingerprint: "f", isFreed: false });
    };
    const end = (id: string) => {
      table.keepResult(id, "r");
      table.forgetRun(id);
      table.update(id, { status: "completed" }, now);
      table.free(id, false);
      table.view(table.read(id, now) as TaskRow);
    };
    for (let at = 0; at < ENDED; at++) {
      start(`${at}`);
      end(`${at}`);
    }
    // Since the object has started, the first look at those that run reads all.
    expect(table.countRunning(now)).toBe(0);
    cursors = [];
    start("new");
    expect(table.unfinished().map(({ id }) => id)).toEqual(["new"]);
    table.update("new", { status: "cancelled", attempt: "a" }, now + 1);
    expect(table.countRunning(now)).toBe(1);
    table.update("new", { status: "working" }, now);
    end("new");
    expect(table.countRunning(now)).toBe(0);
    table.view(table.read("7", now) as TaskRow);
    expect(cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0)).toBeLessThan(100);
  });
});
