/** Stored messages that are forwarded to a client which does not read: they stay where they are stored. */
import { expect, it, vi } from "vitest";
import type { RequestContext } from "../../../../src/http/request-context.ts";
import { forward } from "../../../../src/protocols/mcp/transport/change-stream.ts";

it("a client that does not read has 1 MiB and one message forwarded, and the rest when it reads on", async () => {
  const line = `${"x".repeat(100_000)}\n`;
  let taken = 0;
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (taken === 50) return controller.close();
        taken++;
        controller.enqueue(new TextEncoder().encode(line));
      },
    },
    { highWaterMark: 0 },
  );
  const heartbeat = new ReadableStream<Uint8Array>();
  const work: Promise<unknown>[] = [];
  const context = {
    request: new Request("http://trivet.test"),
    runtime: { defer: (promise: Promise<unknown>) => void work.push(promise) },
  } as unknown as RequestContext;
  const response = forward(context, source, (text, stream) => stream.send(text), { heartbeat });
  await vi.waitFor(() => expect(taken).toBeGreaterThan(10));
  // Longer than it takes to look whether there is room.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(taken).toBeLessThanOrEqual(12);
  const text = await response.text();
  expect(text.match(/x{100000}/g)).toHaveLength(50);
  await Promise.all(work);
});
