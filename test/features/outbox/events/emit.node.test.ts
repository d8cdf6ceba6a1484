/** `ctx.emit` in the tools of a fork that is served: what is kept, under which id, and what is refused. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, newCaller, now, openEvents, serveEvents, tell } from "../../../support/node/events.ts";
import { callModern, endOf, type Long, newName, startTask, TASKS, type Way } from "../../../support/node/long.ts";

let server: Long;
let url: string;
beforeAll(async () => {
  // For one of the tests, callers without a credential may call, too.
  const change = (settings: string) => settings.replace(/^PUBLIC = .*$/m, 'PUBLIC = "true"');
  server = await serveEvents({ change });
  url = server.url;
});
afterAll(() => server?.stop());

/** A caller, with its events since it was made. */
async function caller() {
  const by = newCaller();
  const cursor = await now(url, "notes.changed", by);
  const events = async (name = "notes.changed", args: object = {}) =>
    (await ask(url, "poll", { name, arguments: args, cursor }, by)).events as {
      readonly eventId: string;
      readonly data: Readonly<Record<string, unknown>>;
    }[];
  return { by, events };
}
const tellOnce = (by: Way, idempotency_key: string, more: object = {}) =>
  callModern(
    url,
    "Notes_Tell",
    { events: [1, 2].map((id) => ({ name: "changed", data: { id } })), idempotency_key, ...more },
    by,
  );

it("keeps what the payload makes of the data", async () => {
  const { by, events } = await caller();
  expect((await tell(url, by, { name: "changed", data: { id: 1, other: true } })).result.isError).toBeUndefined();
  expect((await events()).map(({ data }) => data)).toEqual([{ id: 1, list: "inbox" }]);
});

it("keeps what was emitted before the call failed, and once only if the same keyed call runs again", async () => {
  const { by, events } = await caller();
  const key = newName();
  expect((await tellOnce(by, key, { fails: true })).result.isError).toBe(true);
  const before = await events();
  expect(before.map(({ data }) => data.id)).toEqual([1, 2]);
  const again = await tellOnce(by, key);
  expect(again.result.isError).toBeUndefined();
  expect(again.result._meta?.replayed).toBeUndefined();
  expect(await events()).toEqual(before);
  await tellOnce(by, newName());
  expect(await events()).toHaveLength(4);
});

it("tells an event once that its source has given an id", async () => {
  const { by, events } = await caller();
  const id = newName();
  await tell(url, by, { name: "changed", data: { id: 1 }, id });
  await tell(url, by, { name: "changed", data: { id: 1 }, id });
  expect((await events()).map(({ eventId }) => eventId)).toEqual([id]);
});

it.each([
  ["data that a JSON Schema refuses", { name: "grown", data: { count: "ten" } }, "count: Must be a number"],
  ["data that do not fit", { name: "changed", data: { id: "one" } }, "id: Must be a number"],
  [
    "an id that no header can carry",
    { name: "changed", data: { id: 1 }, id: "a b" },
    "1 to 200 visible ASCII characters",
  ],
  ["an event above 256 KiB", { name: "changed", data: { id: 1, list: "x".repeat(262_144) } }, "262144"],
] as const)("refuses %s: the call fails, nothing is kept, and the log says why", async (_, event, logged) => {
  const { by, events } = await caller();
  const { result } = await tell(url, by, event);
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result)).not.toContain(logged);
  expect(await events()).toEqual([]);
  expect(server.logs().some((line) => line.includes(logged))).toBe(true);
});

it("refuses an event that no file declares", async () => {
  const { result } = await callModern(url, "Notes_Invent", {}, newCaller());
  expect(result.isError).toBe(true);
  expect(server.logs().some((line) => line.includes("no file in tools/ declares the event notes.invented"))).toBe(true);
});

it("works in tasks and their steps, each event with an id of its own", async () => {
  const { by, events } = await caller();
  const way = { ...by, capabilities: TASKS };
  const task = await startTask(url, "Jobs_Copy", { list: "a" }, way);
  expect((await endOf(url, task, way)).status).toBe("completed");
  const emitted = await events();
  expect(emitted.map(({ data }) => data.id)).toEqual([1, 2, 3]);
  expect(new Set(emitted.map(({ eventId }) => eventId)).size).toBe(3);
});

it("tells streams and polls of the end of a task: `task.finished`", async () => {
  const { by } = await caller();
  const way = { ...by, capabilities: TASKS };
  const cursor = await now(url, "task.finished", by);
  const stream = await openEvents(url, { name: "task.finished", cursor: null }, by);
  await stream.nextData();
  const task = await startTask(url, "Jobs_Copy", { list: "b" }, way);
  const { data } = (await stream.nextData()).params;
  expect(data).toEqual({ task_id: task, tool: "Jobs.Copy", status: "completed" });
  await stream.close();
  const about = async (args: object) =>
    (await ask(url, "poll", { name: "task.finished", arguments: args, cursor }, by)).events.map(
      (event: { data: object }) => event.data,
    );
  expect(await about({ tool: "Jobs.Copy" })).toEqual([data]);
  expect(await about({ tool: "Jobs.Other" })).toEqual([]);
});

it("does nothing for a caller without a credential, who can have no subscribers", async () => {
  const { result } = await tell(url, { capabilities: {} }, { name: "changed", data: { id: 1 } });
  expect(result.isError).toBeUndefined();
});
