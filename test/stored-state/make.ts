/**
 * `node test/stored-state/make.ts`: makes a stored state by real calls, as a deployment of this version leaves it behind,
 * and writes it to state.gz, and what its clients hold to handles.json.
 *
 * Do not run it because the code has changed: deployments have what was stored before. A state that the code of a later
 * version makes goes beside this one.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { makeKey } from "../../src/cli/keys/make.ts";
import { keyEntry, keyName } from "../../src/core/ports/key-records.ts";
import { Attempt, register, signIn } from "../support/node/sign-in/person.ts";
import { client } from "./client.ts";
import { HANDLES, type Handles, ORIGIN, pack, RECEIVER, removeFolder, serveStored } from "./stored.ts";

const folder = mkdtempSync(join(tmpdir(), "trivet-made-"));
const made = Date.now();

// The key, as `npm run keys` writes it.
const key = makeKey({ name: "stored", scopes: ["*"], created: Math.floor(made / 1_000) });
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

const served = await serveStored(folder, 0, () => new Response("not now", { status: 500 }));
const direct = globalThis.fetch;
globalThis.fetch = (input, init) =>
  String(input).startsWith(ORIGIN) ? served.fetch(String(input).slice(ORIGIN.length), init) : direct(input, init);

const { oxp, modern, taskUntil, openSession, legacy } = client(served, key.text);
const registered = await register(ORIGIN);
const attempt = new Attempt(ORIGIN, registered);
const code = await signIn(ORIGIN, attempt, key.text, { scopes: ["vault:open"] });
const refreshToken: string = (await attempt.exchange(code)).body.refresh_token;
const session = await openSession();
await legacy(session, "Talk_Tally");
await legacy(session, "Talk_Tally");
await oxp("Count.Bump", { name: "stored" }, { call_id: "in-the-object" });
await oxp("Count.Look", { name: "looked" }, { call_id: "on-kv" });
await oxp("Count.Bump", { name: "failed", ending: "failed" }, { call_id: "failed" });
await oxp("Count.Bump", { name: "cut", ending: "timeout" }, { call_id: "timed-out" });
const endedTask = (
  await modern("tools/call", { name: "Jobs_Work", arguments: { name: "ended", idempotency_key: "ended" } })
).taskId;
await taskUntil(endedTask, "completed");
const openTask = (await modern("tools/call", { name: "Jobs_Ask", arguments: { name: "open" } })).taskId;
await taskUntil(openTask, "input_required");
const webhookSecret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const event = { name: "notes.changed", arguments: {} };
const { cursor } = await modern("events/poll", { ...event, cursor: null });
await modern("events/subscribe", { ...event, delivery: { url: RECEIVER, secret: webhookSecret } });
await modern("tools/call", { name: "Notes_Tell", arguments: { id: 1 } });
while (served.received.length === 0) await new Promise((resume) => setTimeout(resume, 50));
const presign = async (filename: string) =>
  (await (
    await served.fetch("/api/v1/files/presign-upload", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key.text}` },
      body: JSON.stringify({ filename, content_type: "text/csv" }),
    })
  ).json()) as { file_id: string; upload_url: string };
const file = await presign("stored.csv");
await served.fetch(file.upload_url.slice(ORIGIN.length), {
  method: "PUT",
  headers: { "content-type": "text/csv" },
  body: "a,b\n",
});
const later = await presign("later.csv");
const { requestState } = await modern("tools/call", { name: "Talk_Ask", arguments: { what: "form" } });

const handles: Handles = {
  made,
  key: key.text,
  client: registered.id,
  refreshToken,
  session,
  endedTask,
  openTask,
  fileId: file.file_id,
  uploadUrl: later.upload_url.slice(ORIGIN.length),
  requestState,
  cursor,
  webhookSecret,
};
const missing = Object.entries(handles).filter(([, value]) => value === undefined || value === "");
if (missing.length > 0) throw new Error(`these were not made: ${missing.map(([name]) => name).join(", ")}`);
await served.stop();
writeFileSync(HANDLES, `${JSON.stringify(handles, null, 2)}\n`);
pack(folder);
removeFolder(folder);
