/** Many who read one large result at a time, over real HTTP: they get it one after the other (docs/limits.md, Long tools). */
import { afterAll, beforeAll, expect, it } from "vitest";
import { endOf, type Long, newName, postModern, serveLong, startTask, taskOf } from "../../support/node/long.ts";

let server: Long;
beforeAll(async () => {
  server = await serveLong({ closed: false });
});
afterAll(() => server?.stop());

it("all get it, some at a later poll, and so does a stream", { timeout: 120_000 }, async () => {
  const { url } = server;
  const task = await startTask(url, "Jobs_Ends", { how: "one and a half MB", name: newName() });
  await endOf(url, task);
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await taskOf(url, task)).status));
  expect(new Set(statuses)).toEqual(new Set(["completed", "working"]));
  const readers = Array.from({ length: 8 }, () => endOf(url, task));
  const stream = postModern(url, "subscriptions/listen", { notifications: { taskIds: [task] } });
  for (const { status, result } of await Promise.all(readers)) {
    expect([status, result.structuredContent.length]).toEqual(["completed", 1_500_000]);
  }
  const events = (await stream).body?.pipeThrough(new TextDecoderStream()) ?? [];
  let text = "";
  for await (const part of events) {
    text += part;
    if (text.includes('"status":"completed"')) break;
  }
  expect(text).not.toContain('"status":"working"');
});
