/** When an open stream ends because of its credential. That real keys end real streams is in transport/revoked. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RequestContext } from "../../src/http/request-context.ts";
import { keepChecking } from "../../src/http/sse.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** How often a stream has ended after each of these answers to a check. */
async function endsAfter(...answers: (number | undefined)[]): Promise<number[]> {
  let ends = 0;
  const left = [...answers];
  const recheck = () => {
    const status = left.shift();
    return status === undefined ? undefined : new Response(null, { status });
  };
  keepChecking({ recheck } as unknown as RequestContext, () => ends++);
  const seen: number[] = [];
  for (let count = answers.length; count > 0; count--) {
    await vi.advanceTimersByTimeAsync(15_000);
    seen.push(ends);
  }
  return seen;
}

describe("an open stream", () => {
  it("goes on while the store of keys cannot be reached, and ends once its credential is refused", async () => {
    expect(await endsAfter(undefined, 503, 503, 401, 401)).toEqual([0, 0, 0, 1, 1]);
  });

  it.each([401, 403])("ends at %i", async (status) => {
    expect(await endsAfter(undefined, status)).toEqual([0, 1]);
  });
});
