/** When attempts are made again, how many, and how long the waits are, on a simulated clock. */
import { describe, expect, it, vi } from "vitest";
import { attempt } from "../../../src/client/oxp/retry.ts";
import {
  type OxpError,
  OxpInvalidInput,
  OxpNoResponse,
  OxpRefused,
  OxpStatus,
  OxpToolFailed,
  OxpUnauthorized,
  OxpUnreadable,
  type Retry,
  type RetryOptions,
} from "../../../src/client/oxp.ts";
import { simulated } from "./clock.ts";

const ABOUT = { callId: "c-1", attempts: 1 };
const toolFailed = (more: object) => {
  const plain = { message: "no", developerMessage: undefined, canRetry: true, retryAfterMs: undefined };
  return new OxpToolFailed({ ...plain, additionalPromptContent: undefined, isRunning: false, ...more }, ABOUT);
};
const failed = (retryAfterMs?: number) => toolFailed({ retryAfterMs });
const running = (retryAfterMs?: number) => toolFailed({ retryAfterMs, isRunning: true });
const refused = (retryAfterMs?: number) =>
  new OxpRefused({ message: "no", developerMessage: undefined, missing: undefined, retryAfterMs }, ABOUT);
const status = (code: number, retryAfterMs?: number) => new OxpStatus(code, "no", retryAfterMs, ABOUT);
const noResponse = (reason: OxpNoResponse["reason"]) => new OxpNoResponse(reason, "no", ABOUT);

/**
 * Makes attempts that fail with these errors, the last of them again and again if `endless`.
 *
 * @param takesMs how long each attempt takes
 */
async function follow(
  errors: readonly OxpError[],
  options: RetryOptions = {},
  { endless = false, random = 0.5, takesMs = 0 } = {},
) {
  const clock = simulated(random);
  const heard: Retry[] = [];
  let attempts = 0;
  const once = async (number: number) => {
    expect(number).toBe(++attempts);
    clock.pass(takesMs);
    const error = errors[number - 1] ?? (endless ? errors.at(-1) : undefined);
    if (error) throw error;
    return "done";
  };
  const end = await attempt(once, { ...options, clock }, { onRetry: (retry) => heard.push(retry) }).catch((e) => e);
  return { attempts, slept: clock.slept, end, heard };
}

describe("without a wait of the server's", () => {
  it("waits for a random part of a time that doubles, four attempts in all", async () => {
    expect(await follow([failed()], {}, { endless: true })).toMatchObject({
      attempts: 4,
      slept: [250, 500, 1_000],
      end: { code: "tool-failed" },
    });
    expect((await follow([failed()], {}, { endless: true, random: 0 })).slept).toEqual([0, 0, 0]);
    expect((await follow([failed()], {}, { endless: true, random: 0.999 })).slept).toEqual([499.5, 999, 1_998]);
  });

  it("waits no longer than the longest wait", async () => {
    const { attempts, slept } = await follow(
      [failed()],
      { attempts: 50, minDelayMs: 1_000, maxDelayMs: 5_000 },
      { endless: true, random: 0.999 },
    );
    expect(attempts).toBe(50);
    expect(slept.slice(0, 5)).toEqual([999, 1_998, 3_996, 4_995, 4_995]);
    expect(Math.max(...slept)).toBe(4_995);
  });

  it("ends with the first attempt that succeeds", async () => {
    expect(await follow([failed(), failed()])).toMatchObject({ attempts: 3, end: "done" });
  });
});

describe("with a wait of the server's", () => {
  it("waits exactly that long", async () => {
    expect(await follow([failed(1_234), refused(5_000), status(429, 60_000)])).toMatchObject({
      attempts: 4,
      slept: [1_234, 5_000, 60_000],
      end: "done",
    });
  });

  it.each([10 * 365 * 86_400_000, 60_001, Number.POSITIVE_INFINITY])("gives up if it is %d ms", async (wait) => {
    expect(await follow([failed(wait)])).toMatchObject({ attempts: 1, slept: [], end: { retryAfterMs: wait } });
  });

  it.each([-1, -1e300, Number.NaN])("takes %d for none", async (wait) => {
    expect(await follow([failed(wait)])).toMatchObject({ attempts: 2, slept: [250], end: "done" });
  });
});

describe("what is tried again", () => {
  const FINAL = [
    ...[toolFailed({ canRetry: false }), toolFailed({ canRetry: false, retryAfterMs: 1 }), refused()],
    ...[new OxpInvalidInput("no", {}, ABOUT), new OxpUnauthorized("no", undefined, ABOUT)],
    ...[status(429), status(503), status(500, 1), status(502, 1), status(404, 1), status(403, 1)],
    ...[noResponse("too-large"), noResponse("redirected"), new OxpUnreadable("no", ABOUT)],
  ];
  it.each(FINAL.map((error) => [error.name, error] as const))("not %s (%o)", async (_, error) => {
    expect(await follow([error])).toMatchObject({ attempts: 1, slept: [], end: error });
  });

  const PASSING = [failed(), running(), refused(1), status(429, 1), status(503, 1)];
  const CONNECTIONS = [noResponse("unreachable"), noResponse("cut"), noResponse("timeout")];
  it.each([...PASSING, ...CONNECTIONS].map((error) => [error.name, error] as const))("%s (%o)", async (_, error) => {
    expect(await follow([error])).toMatchObject({ attempts: 2, end: "done" });
  });

  it("no call without a response, if connections are left out", async () => {
    for (const error of CONNECTIONS)
      expect(await follow([error], { connections: false })).toMatchObject({ attempts: 1 });
    for (const error of PASSING) expect(await follow([error], { connections: false })).toMatchObject({ attempts: 2 });
  });

  it("no error that is not the client's", async () => {
    expect(await follow([new TypeError("a mistake") as never])).toMatchObject({
      attempts: 1,
      end: TypeError("a mistake"),
    });
  });

  it("nothing with false", async () => {
    const once = vi.fn(() => Promise.reject(failed(1)));
    await expect(attempt(once, false, {})).rejects.toThrow(OxpToolFailed);
    expect(once).toHaveBeenCalledExactlyOnceWith(1);
  });
});

describe("a call that runs", () => {
  it("is polled for as long as there is time, and polls are no failures", async () => {
    const polls = await follow([running(10_000)], { totalMs: 600_000 }, { endless: true, takesMs: 45_000 });
    // 45 s and a wait of 10 s, until the next poll would begin after 600 s.
    expect(polls).toMatchObject({ attempts: 11, end: { isRunning: true, callId: "c-1" } });
    expect(new Set(polls.slept)).toEqual(new Set([10_000]));
    expect(polls.heard.every(({ isRunning }) => isRunning)).toBe(true);
  });

  it("is not polled at once, whatever the server says", async () => {
    const { slept } = await follow([running(0), running(), running(-5), running(1)]);
    expect(slept).toEqual([500, 500, 500, 500]);
  });

  it("may lose its connection now and then: failures count in a row", async () => {
    const cut = noResponse("cut");
    const some = [cut, cut, cut, running(1_000), cut, cut, cut, running(1_000), failed(), failed(), failed()];
    expect(await follow(some)).toMatchObject({ attempts: 12, end: "done" });
    expect(await follow([running(1_000), cut, cut, cut, cut])).toMatchObject({ attempts: 5, end: cut });
  });
});

describe("limits", () => {
  it("begins no attempt after the total time, in which requests count", async () => {
    const first = await follow([failed(1_000)], { attempts: 99, totalMs: 3_500 }, { endless: true });
    expect(first).toMatchObject({ attempts: 4, slept: [1_000, 1_000, 1_000] });
    const slow = await follow([failed(1_000)], { attempts: 99, totalMs: 3_500 }, { endless: true, takesMs: 1_000 });
    expect(slow).toMatchObject({ attempts: 2, slept: [1_000] });
  });

  it("makes a single attempt with 1", async () => {
    expect(await follow([failed(1)], { attempts: 1 })).toMatchObject({ attempts: 1 });
  });

  it("says before each wait why, how long, and after how many requests", async () => {
    const [first, second] = [failed(100), status(503, 2_000)];
    expect((await follow([first, second])).heard).toEqual([
      { error: first, delayMs: 100, attempts: 1, isRunning: false },
      { error: second, delayMs: 2_000, attempts: 2, isRunning: false },
    ]);
  });
});

describe("the signal, on the real clock", () => {
  // Timers of platforms take 31 bits, some 25 days. A longer wait would end at once.
  it.each([7, 7_000])("ends a wait of %d days at once, with its reason", async (days) => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const wait = days * 86_400_000;
    const once = vi.fn(() => Promise.reject(failed(wait)));
    const onRetry = () => void setTimeout(() => stop.abort(reason), 20);
    const limits = { maxDelayMs: wait, totalMs: 2 * wait };
    await expect(attempt(once, limits, { signal: stop.signal, onRetry })).rejects.toBe(reason);
    expect(once).toHaveBeenCalledOnce();
  });

  it("makes no attempt after one that was aborted", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const once = vi.fn(async () => {
      stop.abort(reason);
      throw status(404);
    });
    await expect(attempt(once, {}, { signal: stop.signal })).rejects.toBe(reason);
    expect(once).toHaveBeenCalledOnce();
  });

  it("begins no wait after onRetry has aborted it", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const once = vi.fn(() => Promise.reject(failed(0)));
    const options = { signal: stop.signal, onRetry: () => stop.abort(reason) };
    await expect(attempt(once, {}, options)).rejects.toBe(reason);
    expect(once).toHaveBeenCalledOnce();
  });

  it("leaves nothing behind after a wait", async () => {
    const stop = new AbortController();
    const remove = vi.spyOn(stop.signal, "removeEventListener");
    const add = vi.spyOn(stop.signal, "addEventListener");
    let attempts = 0;
    const once = () => (++attempts < 3 ? Promise.reject(failed(0)) : Promise.resolve("done"));
    expect(await attempt(once, {}, { signal: stop.signal })).toBe("done");
    expect([add.mock.calls.length, remove.mock.calls.length]).toEqual([2, 2]);
  });
});
