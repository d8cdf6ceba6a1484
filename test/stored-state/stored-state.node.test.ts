/**
 * A deployment that is updated loses nothing: what the version of 25 November 2026 has stored (make.ts) is opened and used by
 * the code as it is now, by the clients that hold its keys, ids and links.
 */
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../support/node/fork.ts";
import { client } from "./client.ts";
import { HANDLES, type Handles, ORIGIN, removeFolder, type Stored, serveStored, unpack } from "./stored.ts";

const handles = JSON.parse(readFileSync(HANDLES, "utf8")) as Handles;
/** The first retry of the delivery is due, and nothing has expired. */
const MINUTES_LATER = 5;

let folder: string;
let served: Stored;
let caller: ReturnType<typeof client>;
beforeAll(async () => {
  folder = unpack();
  const ahead = handles.made + MINUTES_LATER * 60_000 - Date.now();
  served = await serveStored(folder, ahead, () => new Response("ok"));
  caller = client(served, handles.key);
});
afterAll(async () => {
  await served?.stop();
  if (folder) removeFolder(folder);
});

it("an API key has its scopes", async () => {
  expect((await caller.oxp("Vault.Open", {})).result.success).toBe(true);
});

it("a refresh token is exchanged, and the access token calls", async () => {
  const form = { grant_type: "refresh_token", refresh_token: handles.refreshToken, client_id: handles.client };
  const answer = await served.fetch("/oauth/token", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `${new URLSearchParams(form)}`,
  });
  const { access_token, scope } = (await answer.json()) as { access_token: string; scope: string };
  expect([answer.status, scope]).toEqual([200, "vault:open"]);
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "Vault_Open", arguments: {} } };
  const called = await served.fetch("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${access_token}` },
    body: JSON.stringify(message),
  });
  expect(await called.json()).toMatchObject({ result: { content: [{ text: '["vault:open"]' }] } });
});

it("a session goes on, with its values", async () => {
  expect(await caller.legacy(handles.session, "Talk_Tally")).toMatchObject({
    result: { structuredContent: { count: 3 } },
  });
});

it.each([
  ["in the object", "Count.Bump", { name: "stored" }, "in-the-object", { success: true, value: 1 }],
  ["on KV only", "Count.Look", { name: "looked" }, "on-kv", { success: true, value: 1 }],
  [
    "a failure",
    "Count.Bump",
    { name: "failed", ending: "failed" },
    "failed",
    { success: false, error: { message: "failed in run 1" } },
  ],
] as const)(
  "the result of a keyed call is replayed, and another input is a conflict: %s",
  async (_, tool, input, call_id, result) => {
    for (const times of [1, 2]) {
      const { body, replayed } = await caller.oxpReplayed(tool, input, { call_id });
      // A new process counts from 1 again, so the value alone would not tell a replay from a second run.
      expect([replayed, body.result], `${times}`).toMatchObject(["true", result]);
    }
    expect((await caller.oxp(tool, { name: "another" }, { call_id })).message).toMatch(/key|call_id/);
  },
);

it("a claim that a cut call left behind still has its key: another input is a conflict", async () => {
  const { message } = await caller.oxp("Count.Bump", { name: "another" }, { call_id: "timed-out" });
  expect(message).toMatch(/key|call_id/);
});

it("a task that has ended has its result, by its id and by its key", async () => {
  const done = { structuredContent: { done: ["first of ended", "second"] } };
  expect(await caller.modern("tasks/get", { taskId: handles.endedTask })).toMatchObject({
    status: "completed",
    result: done,
  });
  const again = await caller.oxp("Jobs.Work", { name: "ended" }, { call_id: "ended" });
  expect(again.result).toMatchObject({ success: true, value: done.structuredContent });
});

it("a task that asks gets its answer, and ends", async () => {
  expect(await caller.modern("tasks/get", { taskId: handles.openTask })).toMatchObject({ status: "input_required" });
  const inputResponses = { colour: { action: "accept", content: { text: "red" } } };
  await caller.modern("tasks/update", { taskId: handles.openTask, inputResponses });
  expect(await caller.taskUntil(handles.openTask, "completed")).toMatchObject({
    result: { content: [{ text: "red" }] },
  });
});

it("a delivery that was waiting arrives, signed, and so does the next event of its subscription", async () => {
  await until(async () => served.received.length > 0);
  await caller.modern("tools/call", { name: "Notes_Tell", arguments: { id: 2 } });
  await until(async () => served.received.length > 1);
  expect(served.received.map(({ body }) => JSON.parse(body).data)).toMatchObject([{ id: 1 }, { id: 2 }]);
  for (const { headers, body } of served.received) {
    const key = Buffer.from(handles.webhookSecret.slice("whsec_".length), "base64");
    const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
    expect(headers.get("webhook-signature")).toContain(
      `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
    );
  }
});

it("a position among the events is gone on from", async () => {
  const { events } = await caller.modern("events/poll", {
    name: "notes.changed",
    arguments: {},
    cursor: handles.cursor,
  });
  expect(events[0]).toMatchObject({ data: { id: 1 }, eventId: expect.stringMatching(/^evt_/) });
});

it("a file is attached, and read from its link", async () => {
  const attachments = [{ file_id: handles.fileId }];
  const { result } = await caller.oxp("Papers.Take", {}, { context: { attachments } });
  const sha256 = createHash("sha256").update("a,b\n").digest("hex");
  expect(result.value).toMatchObject([{ name: "stored.csv", type: "text/csv", size: 4, sha256, text: "a,b\n" }]);
  expect(await (await served.fetch(result.value[0].url.slice(ORIGIN.length))).text()).toBe("a,b\n");
});

it("an upload ticket takes its file", async () => {
  const put = { method: "PUT", headers: { "content-type": "text/csv" }, body: "c,d\n" };
  const answer = await served.fetch(handles.uploadUrl, put);
  expect([answer.status, await answer.json()]).toMatchObject([201, { filename: "later.csv", size: 4 }]);
});

it("the state of a request that asked is taken back with the answer", async () => {
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  const params = { name: "Talk_Ask", arguments: { what: "form" }, requestState: handles.requestState, inputResponses };
  expect(await caller.modern("tools/call", params)).toMatchObject({
    resultType: "complete",
    content: [{ text: expect.stringContaining("Ada") }],
  });
});
