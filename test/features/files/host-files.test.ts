/** Where the redirects of a host may lead. wrangler's test harness follows them itself, so the host is a function here. */
import { describe, expect, it, vi } from "vitest";
import { ConcurrencyLimit } from "../../../src/core/lib/concurrency-limit.ts";
import type { Files } from "../../../src/core/ports/files.ts";
import { BUFFERS, fetchHostFile } from "../../../src/features/files/host-files.ts";

const NEVER = new AbortController().signal;

/** Fetches the first of these addresses, each of which redirects to the next. @returns the problem, and what was asked */
async function follow(...urls: string[]) {
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request) => {
    asked.push(String(input));
    const location = urls[asked.length];
    if (location !== undefined) return new Response(null, { status: 302, headers: { location } });
    return new Response("a", { headers: { "content-length": "1" } });
  };
  const files = {
    maxBytes: 10,
    buffers: new ConcurrencyLimit(BUFFERS),
    receive: async () => "stored",
  } as unknown as Files;
  const reference = { fileId: "f", origin: "https://tools.example" };
  const [download = ""] = urls;
  const problem = await fetchHostFile(reference, download, "id", "key:one", files, { fetch, log: () => {} }, NEVER);
  return { problem, asked };
}

it("may be redirected, also within its host", async () => {
  const { problem, asked } = await follow("https://host.example/a", "/b", "https://other.example/c");
  expect(problem).toBeUndefined();
  expect(asked).toEqual(["https://host.example/a", "https://host.example/b", "https://other.example/c"]);
});

it.each(["http://other.example/c", "ftp://other.example/c", "file:///etc/passwd"])(
  "is not fetched if it is redirected to %s: anyone on the way could change it",
  async (location) => {
    const { problem, asked } = await follow("https://host.example/a", location);
    expect(problem).toBe("leads to an address that is not https; attach it again");
    expect(asked).toEqual(["https://host.example/a"]);
  },
);

it("is not redirected for ever", async () => {
  const { problem, asked } = await follow(...Array.from({ length: 50 }, (_, at) => `https://host.example/${at}`));
  expect(problem).toBe("could not be fetched: its host answered 302; attach it again");
  expect(asked).toHaveLength(6);
});

describe("bodies of unknown length, which are held in memory", () => {
  const reference = { fileId: "f" };
  /** Fetches files of a call each, until its test lets them be stored. */
  function fetching(count: number, turns = new ConcurrencyLimit(BUFFERS), signal = NEVER, principals = count) {
    let held = 0;
    let most = 0;
    const stored = Promise.withResolvers<void>();
    const files = {
      maxBytes: 10,
      buffers: turns,
      async receive() {
        most = Math.max(most, ++held);
        await stored.promise;
        held--;
        return "stored";
      },
    } as unknown as Files;
    const fetch = async () => new Response("a");
    const one = (at: number) =>
      fetchHostFile(
        reference,
        "https://host.example/a",
        `${at}`,
        `${principals} p${at % principals}`,
        files,
        { fetch, log: () => {} },
        signal,
      );
    return { all: Array.from({ length: count }, (_, at) => one(at)), store: () => stored.resolve(), most: () => most };
  }

  it("are eight at a time: half of an isolate's memory", async () => {
    const { all, store, most } = fetching(40);
    await expect.poll(most).toBe(8);
    store();
    expect(await Promise.all(all)).toEqual(Array(40).fill(undefined));
    expect(most()).toBe(8);
  });

  it("are two at a time of one principal, so that nobody keeps the others waiting", async () => {
    const turns = new ConcurrencyLimit(BUFFERS);
    const slow = fetching(40, turns, NEVER, 1);
    await expect.poll(slow.most).toBe(2);
    const other = fetching(1, turns, NEVER, 2);
    other.store();
    expect(await other.all[0]).toBeUndefined();
    slow.store();
    await Promise.all(slow.all);
    expect(slow.most()).toBe(2);
  });

  it("of a request that was cut short keep their place no longer than a call may take", () => {
    vi.useFakeTimers();
    try {
      const turns = new ConcurrencyLimit(BUFFERS);
      for (let at = 0; at < 8; at++) expect(turns.begin(`p${at}`)).toBeDefined();
      expect(turns.begin("other")).toBeUndefined();
      vi.advanceTimersByTime(BUFFERS.forMs);
      expect(turns.begin("other")).toBeDefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it("do not begin when their call is over, even if there is room then", async () => {
    const turns = new ConcurrencyLimit({ most: 1, each: 1, forMs: 60_000 });
    const other = turns.begin("other");
    const controller = new AbortController();
    const waiting = turns.take("one", controller.signal, async () => "begun");
    // Within the pause between two looks.
    controller.abort(new Error("over"));
    other?.end();
    await expect(waiting).rejects.toThrow("over");
    expect(turns.begin("one")).toBeDefined();
  });

  it("wait no longer than their call", async () => {
    const turns = new ConcurrencyLimit(BUFFERS);
    const others = fetching(8, turns);
    await expect.poll(others.most).toBe(8);
    const { all } = fetching(1, turns, AbortSignal.timeout(50));
    expect(await all[0]).toBe("could not be fetched; attach it again");
    others.store();
    await Promise.all(others.all);
  });
});
