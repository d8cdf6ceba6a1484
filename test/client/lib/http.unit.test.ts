/** `openRequest`: what happens to a request that is ended while nobody waits for it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fetch, openRequest, type RequestLimits } from "../../../src/client/lib/http.ts";

const sleep = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

/** A response that stays open after its first piece, and ends as `fetch` ends one. At once, so that no limit is over. */
const fetch: Fetch = async (_, { signal }) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("one"));
        signal?.addEventListener("abort", () => controller.error(signal.reason));
      },
    }),
  );

describe("while the caller is busy with a piece of the body", () => {
  /** Reads a piece, waits, and reads on. @returns what is thrown then */
  async function readSlowly(limits: RequestLimits, between: () => Promise<unknown>) {
    const { chunks } = await openRequest("http://server", {}, { ...limits, fetch });
    const pieces = chunks();
    expect(await pieces.next()).toEqual({ done: false, value: "one" });
    await between();
    const thrown = await pieces.next().catch((error: unknown) => error);
    // Node reports a rejection that nobody handles after the microtasks.
    await sleep(10);
    return thrown;
  }

  it("the signal ends it, and no rejection is left over, which would end the process", async () => {
    const end = new AbortController();
    const reason = new Error("mine");
    expect(await readSlowly({ signal: end.signal }, async () => end.abort(reason))).toBe(reason);
    expect(unhandled).toEqual([]);
  });

  it("so does the time limit", async () => {
    expect(await readSlowly({ timeoutMs: 20 }, () => sleep(60))).toMatchObject({ reason: "timeout" });
    expect(unhandled).toEqual([]);
  });
});
