/** Clients that open a stream and do not read it: unread messages wait in the isolate's memory. */
import { env, exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Change } from "../../../../src/core/model/change.ts";
import type { Hub } from "../../../../src/stores/object-change-feed.ts";
import { handshake, mcp, request } from "../../../support/mcp.ts";
import { postModern } from "../../../support/modern-client.ts";

const { HUB } = env as unknown as { HUB: DurableObjectNamespace<Hub> };
const MIB = 1024 * 1024;

/** Well over 1 MiB of messages, on a stream that repeats a long text in each. */
async function publishMuch(change: Change): Promise<void> {
  const hub = HUB.getByName("hub");
  for (let sent = 0; sent < 4_000; sent += 500) {
    await Promise.all(Array.from({ length: 500 }, () => hub.publish(change)));
  }
}

/** Returns how many bytes had waited when the stream ended. */
async function rest({ body }: Response): Promise<number> {
  let bytes = 0;
  const readAll = async () => {
    for await (const piece of body ?? []) bytes += piece.byteLength;
  };
  const silence = new Promise((_, fail) => setTimeout(() => fail(new Error(`open after ${bytes} bytes`)), 20_000));
  // A stream that was cut off ends with an error, but it does end.
  await Promise.race([readAll().catch(() => {}), silence]);
  return bytes;
}

it("a subscription that nobody reads is cut off when 1 MiB waits", async () => {
  const notifications = { toolsListChanged: true };
  const stream = await postModern("subscriptions/listen", { notifications }, { id: "\u0001".repeat(255) });
  await publishMuch({ of: "tools" });
  expect(await rest(stream)).toBeLessThan(2 * MIB);
});

it("a session's stream that nobody reads is cut off when 1 MiB waits", async () => {
  const session = await handshake();
  const stream = await exports.default.fetch("http://trivet.test/mcp", {
    headers: { ...session, accept: "text/event-stream" },
  });
  const uri = `talk://people/ann/pets/${"x".repeat(450)}.json`;
  expect((await mcp(request("resources/subscribe", { uri }), session)).body.result).toEqual({});
  await publishMuch({ of: "resource", uri });
  expect(await rest(stream)).toBeLessThan(2 * MIB);
});
