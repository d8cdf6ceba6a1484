/**
 * A deployment that is updated loses nothing: what earlier versions have stored (make.ts) is opened and used by the code as
 * it is now, by the clients that hold its keys, ids and links. So no text from which a name, a key or a signature is derived
 * can change without notice.
 */
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../support/node/fork.ts";
import { readUntil } from "../support/node/http.ts";
import { client, eventsOf } from "./client.ts";
import {
  type Built,
  buildStored,
  type Handles,
  HOST_FILE,
  handlesFile,
  ORIGIN,
  RECEIVER,
  removeFolder,
  STATES,
  type Stored,
  serveStored,
  tokenAt,
  unpack,
} from "./stored.ts";

/** The first retry of deliveries is due, and so are claims of runs that have died; nothing has expired. */
const MINUTES_LATER = 3;
const csv = (body: string) => ({ method: "PUT", headers: { "content-type": "text/csv" }, body });
const accepted = (content: object) => ({ action: "accept", content });

let built: Built;
beforeAll(async () => {
  built = await buildStored();
});

describe.each(STATES)("state %i, which deployments have: if it is lost, mend src, not the state", (state) => {
  const handles = JSON.parse(readFileSync(handlesFile(state), "utf8")) as Handles;
  const startsAt = handles.made + MINUTES_LATER * 60_000;
  let folder: string;
  let served: Stored;
  let caller: ReturnType<typeof client>;
  beforeAll(async () => {
    folder = unpack(state);
    const receive = () => new Response("ok");
    const sendFile = () => new Response("gone", { status: 410 });
    served = await serveStored(built, folder, { startsAt, receive, sendFile, hasOpen: handles.more !== undefined });
    caller = client(served.fetch, handles.key);
  });
  afterAll(async () => {
    await served?.stop();
    if (folder) removeFolder(folder);
  });
  /** The messages about a note that have arrived. */
  const told = (id: number) => served.received.filter(({ body }) => JSON.parse(body).data?.id === id);

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
    await until(async () => told(1).length > 0);
    await caller.modern("tools/call", { name: "Notes_Tell", arguments: { id: 2 } });
    await until(async () => told(2).length > 0);
    for (const { headers, body } of [...told(1), ...told(2)]) {
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
    const answer = await served.fetch(handles.uploadUrl, csv("c,d\n"));
    expect([answer.status, await answer.json()]).toMatchObject([201, { filename: "later.csv", size: 4 }]);
  });

  it("the state of a request that asked is taken back with the answer", async () => {
    const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
    const params = {
      name: "Talk_Ask",
      arguments: { what: "form" },
      requestState: handles.requestState,
      inputResponses,
    };
    expect(await caller.modern("tools/call", params)).toMatchObject({
      resultType: "complete",
      content: [{ text: expect.stringContaining("Ada") }],
    });
  });

  const { more } = handles;
  if (more === undefined) return;

  it("a stream goes on after the event that its client received last", async () => {
    const events = await eventsOf(await caller.listen(handles.session, more.lastEvent));
    const texts = events.map(({ data }) => data.params?.level ?? data.result?.content[0].text);
    expect(texts).toEqual(["warning", "said"]);
  });

  it("a session has its log level, and its subscriptions to resources", async () => {
    const said = await caller.legacyEvents(handles.session, "Talk_Say");
    expect(said.map(({ data }) => data.params?.data)).toContain("details");
    const stream = await caller.listen(handles.session);
    await caller.modern("tools/call", { name: "Talk_Change", arguments: { of: "resource" } });
    expect(await readUntil(stream, /resources\/updated/)).toContain("talk://news");
  });

  it("a session that has ended is over, and those of a token and of a toolkit go on", async () => {
    expect(await caller.statusInSession(more.endedSession)).toBe(404);
    const counted = { result: { structuredContent: { count: 2 } } };
    const bearer = client(served.fetch, tokenAt(startsAt));
    expect(await bearer.legacy(more.tokenSession, "Talk_Tally")).toMatchObject(counted);
    const ofToolkit = client(served.fetch, handles.key, "/talk/mcp");
    expect(await ofToolkit.legacy(more.toolkitSession, "Talk_Tally")).toMatchObject(counted);
  });

  it("a message that has arrived is sent again", async () => {
    await caller.post(`/api/v1/deliveries/${more.delivered}/redeliver`, {});
    await until(async () => served.received.some(({ body }) => body.includes("taken")));
  });

  it("a session of a tool goes on", async () => {
    const { toolSession: session } = more;
    const { structuredContent } = await caller.modern("tools/call", { name: "Talk_Tally", arguments: { session } });
    expect(structuredContent).toEqual({ count: 2 });
  });

  it("a result that its object was not told of is replayed", async () => {
    for (const times of [1, 2]) {
      const { body, replayed } = await caller.oxpReplayed("Count.Bump", { name: "left" }, { call_id: "left" });
      expect([replayed, body.result], `${times}`).toMatchObject(["true", { success: true, value: 1 }]);
    }
  });

  it("a task that was answered goes on from its step and its answer, and emits its event once", async () => {
    const { stepsTask: taskId, stepsToken: token } = more;
    const { status, statusMessage, inputRequests } = await caller.modern("tasks/get", { taskId });
    expect([status, statusMessage, Object.keys(inputRequests)]).toEqual(["input_required", "half done", ["size"]]);
    await caller.modern("tasks/update", { taskId, inputResponses: { size: accepted({ text: "large" }) } });
    expect(await caller.taskUntil(taskId, "completed")).toMatchObject({
      result: { structuredContent: { token, answers: ["red", "large"] } },
    });
    const all = { name: "kept.stepped", arguments: {}, cursor: "0" };
    const { events } = await caller.modern("events/poll", all);
    expect(events).toMatchObject([{ data: { token } }]);
  });

  it("the end of a task that the outbox did not hear of is told", async () => {
    const all = { name: "task.finished", arguments: {}, cursor: "0" };
    await until(async () => {
      const { events } = await caller.modern("events/poll", all);
      return events.some(({ eventId }: { eventId: string }) => eventId === `evt_${handles.endedTask}`);
    });
  });

  it("a task is found again by the input of its call", async () => {
    const { _meta } = await caller.plain("tools/call", { name: "Jobs_Wait", arguments: { name: "by its input" } });
    expect(_meta).toMatchObject({ task_id: more.waitingTask });
  });

  it("a subscription is renewed without being verified again, and another is ended", async () => {
    const delivery = { url: RECEIVER, secret: handles.webhookSecret };
    const renewed = await caller.modern("events/subscribe", { name: "notes.changed", arguments: {}, delivery });
    expect([renewed.id, served.challenged()]).toEqual([more.subscription, 0]);
    expect(told(1).map(({ headers }) => headers.get("x-mcp-subscription-id"))).toEqual([more.subscription]);
    const ended = { name: "notes.changed", arguments: { list: "ended" }, delivery: { url: RECEIVER } };
    expect(await caller.modern("events/unsubscribe", ended)).toMatchObject({ resultType: "complete" });
  });

  it("a callback is not kept twice: that of a task, and that of a call", async () => {
    const callback = { url: RECEIVER, secret: handles.webhookSecret };
    const path = `/api/v1/tasks/${handles.openTask}/webhooks`;
    expect(await caller.post(path, callback)).toMatchObject({ id: more.webhook });
    expect((await caller.get(path)).webhooks).toMatchObject([{ id: more.webhook }]);
    const again = await caller.oxpReplayed("Plain.Word", {}, { call_id: "called", context: { callback } });
    expect(again.replayed).toBe("true");
    const { deliveries } = await caller.get("/api/v1/deliveries");
    const ofCalls = deliveries.filter(({ type }: { type: string }) => type === "call.finished");
    expect(ofCalls.map(({ id }: { id: string }) => id).sort()).toEqual([more.callDelivery, more.delivered].sort());
  });

  it("a link to a file works", async () => {
    expect(await (await served.fetch(more.downloadUrl)).text()).toBe("a,b\n");
  });

  it("a file of a host is not fetched again", async () => {
    const host_files = { download_url: `${HOST_FILE}?sig=2`, file_id: "of-the-host", mime_type: "text/csv" };
    const { structuredContent } = await caller.modern("tools/call", { name: "Papers_Take", arguments: { host_files } });
    expect(structuredContent).toMatchObject([{ text: "h,o\n" }]);
  });

  describe("an upload page takes a file, and the call that asked for it gets it", () => {
    const upload = async (page: string, body: string) => {
      const headers = { "content-type": "text/csv", "x-file-name": "report.csv" };
      expect((await served.fetch(page, { method: "PUT", headers, body })).status).toBe(201);
    };

    it("when the call is repeated", async () => {
      expect(await (await served.fetch(more.slotPage)).text()).toContain("Choose the report");
      await upload(more.slotPage, "1\n");
      expect(await caller.oxp("Papers.Ask", { name: "by its call" })).toMatchObject({
        result: { success: true, value: { name: "report.csv", text: "1\n" } },
      });
    });

    it("with the answer to its question", async () => {
      await upload(more.askedPage, "2\n");
      const params = { name: "Papers_Ask", arguments: { name: "asked" }, requestState: more.askedPageState };
      const answer = await caller.modern("tools/call", { ...params, inputResponses: { report: { action: "accept" } } });
      expect(answer).toMatchObject({ structuredContent: { name: "report.csv", text: "2\n" } });
    });

    it("of a task", async () => {
      await upload(more.reportPage, "3\n");
      const { reportTask: taskId } = more;
      await caller.modern("tasks/update", { taskId, inputResponses: { report: { action: "accept" } } });
      expect(await caller.taskUntil(taskId, "completed")).toMatchObject({ result: { content: [{ text: "3\n" }] } });
    });
  });

  it("a page of another server keeps its id", async () => {
    const inputResponses = { pay: { action: "accept" } };
    const params = { name: "Kept_Pay", arguments: {}, requestState: more.payState, inputResponses };
    const { content } = await caller.modern("tools/call", params);
    expect(more.payPage).toBe(`https://pay.example.com/${content[0].text}`);
  });

  describe("with a signing key of its own, sessions in objects, and anonymous callers", () => {
    it("sessions go on, and one that has ended is over", async () => {
      const known = client(served.open, handles.key);
      const counted = { result: { structuredContent: { count: 2 } } };
      expect(await known.legacy(more.openSession, "Talk_Tally")).toMatchObject(counted);
      expect(await client(served.open).legacy(more.anonymousSession, "Talk_Tally")).toMatchObject(counted);
      expect(await known.statusInSession(more.openEndedSession)).toBe(404);
    });

    it("the result of a keyed call is replayed", async () => {
      const { replayed } = await client(served.open).oxpReplayed(
        ...(["Count.Bump", { name: "anonymous" }, { call_id: "anonymous" }] as const),
      );
      expect(replayed).toBe("true");
    });

    it("an answer finds its task", async () => {
      const inputResponses = { size: accepted({ text: "large" }) };
      const params = { name: "Kept_Steps", arguments: {}, inputResponses, requestState: more.anonymousState };
      const anonymous = client(served.open);
      const answer = await anonymous.plain("tools/call", params);
      // If the run takes long, the call does not wait for it.
      const taskId = answer._meta?.task_id;
      const { structuredContent } = taskId ? (await anonymous.taskUntil(taskId, "completed")).result : answer;
      expect(structuredContent).toMatchObject({ answers: ["red", "large"] });
    });
  });
});
