/** Two instances of the built Worker that share only storage and objects serve one session. */
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../support/node/build.ts";
import { type Fork, makeFork, until } from "../support/node/fork.ts";
import { handshake, post as postTo } from "../support/node/http.ts";
import { WORKFLOW } from "../support/node/long.ts";
import { addressOf, miniflareOptions, workerConfig } from "../support/node/worker.ts";
import { streamOf } from "../support/sse.ts";

/** Routes a request to the instance that its header names, as the network routes to two locations. */
const DOOR = {
  name: "door",
  compatibilityDate: "2026-10-01",
  manifest: {
    mainModule: "door.js",
    modules: {
      "door.js": {
        type: "esm",
        contents: `export default { fetch: (request, env) => env[request.headers.get("x-instance")].fetch(request) }`,
      },
    },
  },
  env: { one: { type: "worker", worker: "one" }, other: { type: "worker", worker: "other" } },
};

let fork: Fork;
let miniflare: Miniflare;
let url: string;
beforeAll(async () => {
  fork = makeFork("test/conformance/tools");
  fork.write("wrangler.toml", fork.read("wrangler.toml") + WORKFLOW);
  await build(fork);
  const script = join(fork.root, "dist/index.js");
  const instances = [workerConfig(script, fork.root, "one"), workerConfig(script, fork.root, "other", "one")];
  miniflare = new Miniflare(miniflareOptions(DOOR, ...instances));
  url = `${await addressOf(miniflare, DOOR.name)}/mcp`;
});
afterAll(async () => {
  await miniflare?.dispose();
  fork.remove();
});

type Instance = "one" | "other";

const post = (instance: Instance, message: object, session: Record<string, string> = {}) =>
  postTo(url, { jsonrpc: "2.0", ...message }, { "x-instance": instance, ...session });
const begun = (instance: Instance) => handshake(url, { "x-instance": instance }, { elicitation: {} });

/** Reads an event stream. The next event may take long on a busy machine. */
const messages = (response: Response) => streamOf(response, 60_000);

const ELICIT = { name: "test_elicitation", arguments: { message: "Who are you?" } };

describe("one session on two instances (2025-11-25, client/elicitation)", () => {
  it("asks on one, is answered on the other, and ends on the first", async () => {
    const session = await begun("one");
    const stream = messages(await post("one", { id: 1, method: "tools/call", params: ELICIT }, session));
    const question = await stream.nextData();
    expect(question).toMatchObject({ method: "elicitation/create", params: { message: "Who are you?" } });
    const result = { action: "accept", content: { username: "ada", email: "ada@example.com" } };
    const answered = await post("other", { id: question?.id, result }, session);
    expect(answered.status).toBe(202);
    const final = await stream.nextData();
    expect(final).toMatchObject({ id: 1, result: { content: [{ type: "text" }] } });
    expect(JSON.stringify(final)).toContain("ada@example.com");
  });

  it("cancels on the other a call that runs on one (basic/utilities/cancellation)", async () => {
    const session = await begun("other");
    const waits = { name: "test_wait", arguments: { name: "two instances" } };
    const call = post("one", { id: 7, method: "tools/call", params: waits }, session);
    const params = { name: "test_how_stopped", arguments: { name: "two instances" } };
    const how = async () => (await post("one", { id: 8, method: "tools/call", params }, session)).text();
    await until(async () => (await how()).includes("running"));
    await post("other", { method: "notifications/cancelled", params: { requestId: 7 } }, session);
    await (await call).text();
    // Cancelled by its caller, not by its time limit.
    expect(await how()).toContain("AbortError");
  });

  it("receives on one the news published on the other (basic/transports, Listening for Messages)", async () => {
    const session = await begun("one");
    const news = await fetch(url, { headers: { accept: "text/event-stream", "x-instance": "one", ...session } });
    const stream = messages(news);
    const trigger = { name: "test_trigger_tool_change", arguments: {} };
    await (await post("other", { id: 2, method: "tools/call", params: trigger }, session)).text();
    expect(await stream.nextData()).toMatchObject({ method: "notifications/tools/list_changed" });
    await stream.close();
  });

  it("receives on one the news of a resource subscribed to on the other, before and after it listens", async () => {
    const session = await begun("one");
    const subscribe = async (instance: Instance, verb: string) => {
      const params = { uri: "test://watched-resource" };
      await (await post(instance, { id: 4, method: `resources/${verb}`, params }, session)).text();
    };
    const touch = { name: "test_touch_watched_resource", arguments: {} };
    const touched = async (instance: Instance) =>
      (await post(instance, { id: 5, method: "tools/call", params: touch }, session)).text();
    const updated = { method: "notifications/resources/updated", params: { uri: "test://watched-resource" } };
    await subscribe("other", "subscribe");
    const news = await fetch(url, { headers: { accept: "text/event-stream", "x-instance": "one", ...session } });
    const stream = messages(news);
    await touched("other");
    expect(await stream.nextData()).toMatchObject(updated);
    await subscribe("other", "unsubscribe");
    await touched("one");
    await subscribe("other", "subscribe");
    const trigger = { name: "test_trigger_tool_change", arguments: {} };
    await (await post("other", { id: 6, method: "tools/call", params: trigger }, session)).text();
    expect(await stream.nextData()).toMatchObject({ method: "notifications/tools/list_changed" });
    await touched("one");
    expect(await stream.nextData()).toMatchObject(updated);
    await stream.close();
  });

  it("resumes on the other the stream of a call on one, which still believes that its stream is open", async () => {
    const session = await begun("one");
    const lost = await post("one", { id: 9, method: "tools/call", params: ELICIT }, session);
    const reader = (lost.body as ReadableStream<Uint8Array>).getReader();
    let text = "";
    while (!text.includes("elicitation/create")) text += new TextDecoder().decode((await reader.read()).value);
    const [, id = ""] = /^id: (.+)$/m.exec(text) ?? [];
    const again = await fetch(url, {
      headers: { accept: "text/event-stream", "x-instance": "other", "last-event-id": id, ...session },
    });
    const stream = messages(again);
    const question = await stream.nextData();
    expect(question).toMatchObject({ method: "elicitation/create" });
    const result = { action: "accept", content: { username: "ada", email: "ada@example.com" } };
    await post("other", { id: question?.id, result }, session);
    expect(JSON.stringify(await stream.nextData())).toContain("ada@example.com");
    expect((await reader.read()).done).toBe(true);
  });

  it("is ended on one, and then unknown on the other (Session Management)", async () => {
    const session = await begun("one");
    const ended = await fetch(url, { method: "DELETE", headers: { "x-instance": "one", ...session } });
    expect(ended.status).toBe(204);
    expect((await post("other", { id: 3, method: "ping" }, session)).status).toBe(404);
  });
});
