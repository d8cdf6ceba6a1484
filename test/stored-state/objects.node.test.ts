/**
 * A deployment whose tasks ran in objects: earlier versions did so without the workflow. It was killed while they ran, and
 * is updated. What had begun has failed, and what had not begins in the workflow.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../support/node/fork.ts";
import { client } from "./client.ts";
import { buildStored, handlesFile, removeFolder, type Stored, serveStored, tokenAt, unpack } from "./stored.ts";

const INTERRUPTED = expect.stringMatching(/^The server was interrupted .* may have had its effect, so it was not run/);
const { made } = JSON.parse(readFileSync(handlesFile("objects"), "utf8")) as { made: number };

/** Longer than the lease of the run, so that its watchdog rings at once. */
const startsAt = made + 3 * 60_000;
let folder: string;
let before: number;
let served: Stored;
let caller: ReturnType<typeof client>;
beforeAll(async () => {
  folder = unpack("objects");
  before = runners();
  const nobody = () => new Response("");
  const vars = { TASK_LEASE_SECONDS: "1" };
  served = await serveStored(await buildStored(), folder, {
    ...{ startsAt, receive: nobody, sendFile: nobody, hasOpen: false, vars },
  });
  caller = client(served.fetch, tokenAt(startsAt));
});
afterAll(async () => {
  await served?.stop();
  if (folder) removeFolder(folder);
});

/** Repeats a call over OXP until it is known how it has ended. */
async function ended(call_id: string, tool: string, name: string) {
  let result = (await caller.oxp(tool, { name }, { call_id })).result;
  while (result.error?.can_retry) result = (await caller.oxp(tool, { name }, { call_id })).result;
  return result;
}

/** How many objects have an old record that they run a task. */
function runners(): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((file) => {
    if (!/Claims.*\.sqlite$/.test(file)) return false;
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    const hasKv = database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_cf_KV'").get() !== undefined;
    const own = hasKv && database.prepare("SELECT 1 FROM _cf_KV WHERE key = 'task'").get() !== undefined;
    database.close();
    return own;
  }).length;
}

it("has the results of tasks that have ended", async () => {
  expect(await ended("ended", "Jobs.Work", "ended")).toMatchObject({ success: true });
});

it("has failed tasks that had begun, and says that they may have had their effect", async () => {
  expect(await ended("begun", "Jobs.Wait", "begun")).toMatchObject({ success: false, error: { message: INTERRUPTED } });
});

it.each([
  ["waited for an answer", "Jobs_Ask", { name: "asks", idempotency_key: "asks" }],
  ["had done a step before", "Kept_Steps", { idempotency_key: "steps" }],
])("has failed one that %s, too", async (_, name, args) => {
  const call = () => caller.plain("tools/call", { name, arguments: args });
  let result = await call();
  while (result.resultType === "input_required" || result._meta?.task_id) result = await call();
  expect(result).toMatchObject({ isError: true, content: [{ text: INTERRUPTED }] });
});

it("runs a task that had not begun", async () => {
  const done = ["first of not begun", "second"];
  expect(await ended("not-begun", "Jobs.Work", "not begun")).toMatchObject({ success: true, value: { done } });
});

it("leaves nothing of what ran tasks", async () => {
  expect(before).toBe(4);
  await until(() => Promise.resolve(runners() === 0));
});
