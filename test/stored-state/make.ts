/**
 * `npx node test/stored-state/make.ts 3`: makes the third stored state with real calls to a deployment of this version.
 * Writes what is stored to state-3.gz, and what its clients hold to handles-3.json.
 *
 * Do not make a state again because the code has changed: deployments have what was stored before. A state that the code
 * of a later version makes goes beside the others, with the next number (STATES in stored.ts).
 */
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { makeKey } from "../../src/cli/keys/make.ts";
import { keyEntry, keyName } from "../../src/stores/key-record-text.ts";
import { Attempt, register, signIn } from "../support/node/sign-in/person.ts";
import { client } from "./client.ts";
import {
  buildStored,
  type Handles,
  HOST_FILE,
  handlesFile,
  type MoreHandles,
  ORIGIN,
  pack,
  RECEIVER,
  removeFolder,
  serveStored,
  tokenAt,
} from "./stored.ts";

const state = Number(process.argv[2]);
if (!(state > 1) || existsSync(handlesFile(state))) throw new Error("Give the number of a state that is not there yet");
const folder = mkdtempSync(join(tmpdir(), "trivet-made-"));

// The key, as `npm run keys` writes it.
const key = makeKey({ name: "stored", scopes: ["*"], created: Math.floor(Date.now() / 1_000) });
{
  const config = {
    name: "main",
    manifest: { mainModule: "a.js", modules: { "a.js": { type: "esm", contents: "export default {}" } } },
    compatibilityDate: "2026-10-01",
    env: { KV: { type: "kv", id: "KV" } },
  };
  const kv = new Miniflare({ cf: false, resourcePersistencePath: folder, workers: [{ config }] } as never);
  const { text } = keyEntry(key.id, key.record);
  await (await kv.getKVNamespace("KV", "main")).put(keyName(key.id), text);
  await kv.dispose();
}

const served = await serveStored(await buildStored(), folder, {
  // Takes one message only.
  receive: (body) => new Response("", { status: body.includes("taken") ? 200 : 500 }),
  sendFile: () => new Response("h,o\n"),
  hasOpen: true,
});
const direct = globalThis.fetch;
globalThis.fetch = (input, init) =>
  String(input).startsWith(ORIGIN) ? served.fetch(String(input).slice(ORIGIN.length), init) : direct(input, init);

const caller = client(served.fetch, key.text);
const { oxp, modern, plain, taskUntil, openSession, legacy } = caller;

// Calls that sign in, and sessions.
const registered = await register(ORIGIN);
const attempt = new Attempt(ORIGIN, registered);
const code = await signIn(ORIGIN, attempt, key.text, { scopes: ["vault:open"] });
const refreshToken: string = (await attempt.exchange(code)).body.refresh_token;
const session = await openSession();
await legacy(session, "Talk_Tally");
await legacy(session, "Talk_Tally");
await caller.inSession(session, "logging/setLevel", { level: "debug" });
await caller.inSession(session, "resources/subscribe", { uri: "talk://news" });
const [firstEvent] = await caller.legacyEvents(session, "Talk_Say");
const endedSession = await openSession();
await legacy(endedSession, "Talk_Tally");
await caller.endSession(endedSession);
const bearer = client(served.fetch, tokenAt(Date.now()));
const tokenSession = await bearer.openSession();
await bearer.legacy(tokenSession, "Talk_Tally");
const ofToolkit = client(served.fetch, key.text, "/talk/mcp");
const toolkitSession = await ofToolkit.openSession();
await ofToolkit.legacy(toolkitSession, "Talk_Tally");
const tallied = await modern("tools/call", { name: "Talk_Tally", arguments: {} });

// Calls with keys. Of the first, only the object has the result; of the second, only KV, because the object was not told.
await served.fail("put");
await oxp("Count.Bump", { name: "stored" }, { call_id: "in-the-object" });
await served.fail("settle");
await oxp("Count.Bump", { name: "left" }, { call_id: "left" });
await served.fail("nothing");
await oxp("Count.Look", { name: "looked" }, { call_id: "on-kv" });
await oxp("Count.Bump", { name: "failed", ending: "failed" }, { call_id: "failed" });
await oxp("Count.Bump", { name: "cut", ending: "timeout" }, { call_id: "timed-out" });

// Tasks. The outbox does not hear of the end of the first.
const start = async (name: string, args: object = {}): Promise<string> =>
  (await modern("tools/call", { name, arguments: args })).taskId;
await served.fail("emit");
const endedTask = await start("Jobs_Work", { name: "ended", idempotency_key: "ended" });
await taskUntil(endedTask, "completed");
await served.fail("nothing");
const openTask = await start("Jobs_Ask", { name: "open" });
await taskUntil(openTask, "input_required");
const stepsTask = await start("Kept_Steps");
await taskUntil(stepsTask, "input_required");
const inputResponses = { colour: { action: "accept", content: { text: "red" } } };
await modern("tasks/update", { taskId: stepsTask, inputResponses });
const reportOf = async (taskId: string) => (await modern("tasks/get", { taskId })).statusMessage;
while ((await reportOf(stepsTask)) !== "half done") await new Promise((resume) => setTimeout(resume, 50));
const { inputRequests: asked } = await taskUntil(stepsTask, "input_required");
const [, stepsToken = ""] = /\((.*)\)/.exec(asked.size.params.message) ?? [];
const { _meta: waiting } = await plain("tools/call", { name: "Jobs_Wait", arguments: { name: "by its input" } });

// Events and messages.
const webhookSecret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const event = { name: "notes.changed", arguments: {} };
const delivery = { url: RECEIVER, secret: webhookSecret };
const subscribed = await modern("events/subscribe", { ...event, delivery });
await modern("events/subscribe", { ...event, arguments: { list: "ended" }, delivery });
const { cursor } = await modern("events/poll", { ...event, cursor: null });
await modern("tools/call", { name: "Notes_Tell", arguments: { id: 1 } });
const callback = { url: RECEIVER, secret: webhookSecret };
const call = (call_id: string) => oxp("Plain.Word", {}, { call_id, context: { callback } });
await call("called");
await call("taken");
const { id: webhook } = await caller.post(`/api/v1/tasks/${openTask}/webhooks`, callback);
const deliveriesThat = async (state: string) => (await caller.get(`/api/v1/deliveries?state=${state}`)).deliveries;
while (served.received.length < 3) await new Promise((resume) => setTimeout(resume, 50));
while ((await deliveriesThat("delivered")).length < 1) await new Promise((resume) => setTimeout(resume, 50));
const [{ id: delivered }] = await deliveriesThat("delivered");
const waitingDeliveries: { readonly type: string; readonly id: string }[] = await deliveriesThat("waiting");
const callDelivery = waitingDeliveries.find(({ type }) => type === "call.finished")?.id ?? "";

// Files, and pages that ask for them.
const pathIn = (text: string) => new RegExp(`${ORIGIN}(/api/v1/files/[^\\s"]+)`).exec(text)?.[1] ?? "";
const presign = (filename: string): Promise<{ file_id: string; upload_url: string }> =>
  caller.post("/api/v1/files/presign-upload", { filename, content_type: "text/csv" });
const file = await presign("stored.csv");
await served.fetch(pathIn(file.upload_url), { method: "PUT", headers: { "content-type": "text/csv" }, body: "a,b\n" });
const later = await presign("later.csv");
const taken = await oxp("Papers.Take", {}, { context: { attachments: [{ file_id: file.file_id }] } });
const host_files = { download_url: `${HOST_FILE}?sig=1`, file_id: "of-the-host", mime_type: "text/csv" };
await modern("tools/call", { name: "Papers_Take", arguments: { host_files } });
const slot = await oxp("Papers.Ask", { name: "by its call" });
const page = await modern("tools/call", { name: "Papers_Ask", arguments: { name: "asked" } });
const reportTask = await start("Kept_Report");
const report = await taskUntil(reportTask, "input_required");

// States of requests that asked.
const { requestState } = await modern("tools/call", { name: "Talk_Ask", arguments: { what: "form" } });
const pay = await modern("tools/call", { name: "Kept_Pay", arguments: {} });

// The open deployment.
const openCaller = client(served.open, key.text);
const anonymous = client(served.open);
const openedSession = await openCaller.openSession();
await openCaller.legacy(openedSession, "Talk_Tally");
const openEndedSession = await openCaller.openSession();
await openCaller.endSession(openEndedSession);
const anonymousSession = await anonymous.openSession();
await anonymous.legacy(anonymousSession, "Talk_Tally");
await anonymous.oxp("Count.Bump", { name: "anonymous" }, { call_id: "anonymous" });
const steps = { name: "Kept_Steps", arguments: {} };
const { requestState: firstState } = await anonymous.plain("tools/call", steps);
const firstAnswer = { ...steps, requestState: firstState, inputResponses };
const { requestState: anonymousState } = await anonymous.plain("tools/call", firstAnswer);

const more: MoreHandles = {
  tokenSession,
  toolkitSession,
  endedSession,
  toolSession: tallied._meta?.session,
  lastEvent: firstEvent?.id ?? "",
  downloadUrl: pathIn(taken.result.value[0].url),
  slotPage: pathIn(JSON.stringify(slot)),
  askedPage: pathIn(JSON.stringify(page.inputRequests)),
  askedPageState: page.requestState,
  reportTask,
  reportPage: pathIn(JSON.stringify(report.inputRequests)),
  payPage: pay.inputRequests.pay.params.url,
  payState: pay.requestState,
  stepsTask,
  stepsToken,
  waitingTask: waiting?.task_id,
  subscription: subscribed.id,
  delivered,
  webhook,
  callDelivery,
  openSession: openedSession,
  openEndedSession,
  anonymousSession,
  anonymousState,
};
const handles: Handles = {
  made: Date.now(),
  key: key.text,
  client: registered.id,
  refreshToken,
  session,
  endedTask,
  openTask,
  fileId: file.file_id,
  uploadUrl: pathIn(later.upload_url),
  requestState,
  cursor,
  webhookSecret,
  more,
};
const missing = Object.entries({ ...handles, ...more }).filter(([, value]) => value === undefined || value === "");
if (missing.length > 0) throw new Error(`these were not made: ${missing.map(([name]) => name).join(", ")}`);
await served.stop();
writeFileSync(handlesFile(state), `${JSON.stringify(handles, null, 2)}\n`);
pack(folder, state);
removeFolder(folder);
