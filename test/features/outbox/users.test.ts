/** Callbacks of keyed calls: a key counts for one user (docs/once.md), and so does the message. */
import { expect, it } from "vitest";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import type { Call } from "../../../src/core/model/call.ts";
import type { NewEvent } from "../../../src/core/ports/outbox.ts";
import type { Runtime } from "../../../src/core/ports/runtime.ts";
import { withCallbacks } from "../../../src/features/outbox/with-callbacks.ts";

const signer = hmacSigner(async () => new Uint8Array(32));

async function eventOf(userId: string | undefined, run?: string): Promise<NewEvent | undefined> {
  let sent: NewEvent | undefined;
  const callbacks = {
    allowedHosts: [],
    full: async () => undefined,
    async send(_partition: string, _callback: object, _call: string, event: NewEvent) {
      sent = event;
    },
  };
  const runtime = { callbacks, signer, defer: () => {}, log: () => {} } as unknown as Runtime;
  const call = {
    ...{ callId: "c", key: "call_1", principal: { id: "key:one", scopes: [], reach: [] } },
    callback: { url: "https://receiver.example/hook" },
    context: { userId },
  } as unknown as Call;
  const outcome = { kind: "completed", value: 1 } as const;
  await withCallbacks(async () => ({ outcome, durationMs: 1, entry: { id: "Kit.Tool", options: {} } as never, run }))(
    call,
    runtime,
  );
  return sent;
}

it("two users with one idempotency key get a message each, and repeats of one user's call the same", async () => {
  const [x, y, none] = [await eventOf("x"), await eventOf("y"), await eventOf(undefined)];
  expect(x?.id).toMatch(/^evt_/);
  expect((await eventOf("x"))?.id).toBe(x?.id);
  expect(new Set([x?.id, y?.id, none?.id]).size).toBe(3);
});

it("two runs with one idempotency key get a message each, and repeats of one run the same", async () => {
  const [one, other, unknown] = [
    await eventOf(undefined, "1"),
    await eventOf(undefined, "2"),
    await eventOf(undefined),
  ];
  expect((await eventOf(undefined, "1"))?.id).toBe(one?.id);
  expect(new Set([one?.id, other?.id, unknown?.id, (await eventOf("1"))?.id]).size).toBe(4);
  // Of a record that an earlier version has stored, which does not name its run: as that version made it.
  const about = ["call.finished", "key:one", "Kit.Tool", "call_1"];
  expect(unknown?.id).toBe(`evt_${await signer.sign(JSON.stringify(about))}`);
});
