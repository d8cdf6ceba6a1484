/** The pure rules of the outbox: when it tries again, why it failed, where it sends, which delivery is next. */
import { describe, expect, it } from "vitest";
import { matches } from "../../../src/features/outbox/object/matches.ts";
import { problemOfError, problemOfStatus } from "../../../src/features/outbox/object/problem.ts";
import { MAX_ATTEMPTS, readRetryAfter, waitAfter } from "../../../src/features/outbox/object/schedule.ts";
import { SendQueue } from "../../../src/features/outbox/object/send-queue.ts";
import { readCallback } from "../../../src/features/outbox/read-callback.ts";
import { wrongTarget } from "../../../src/features/outbox/target.ts";

const MINUTE_MS = 60_000;

describe("waitAfter", () => {
  it("waits 1, 5, 30 minutes, 2 and 12 hours, and up to a tenth more, and then gives up", () => {
    const waits = (random: number) => [1, 2, 3, 4, 5].map((attempts) => waitAfter(attempts, undefined, random));
    expect(waits(0)).toEqual([1, 5, 30, 120, 720].map((minutes) => minutes * MINUTE_MS));
    expect(waits(1)).toEqual([1.1, 5.5, 33, 132, 792].map((minutes) => Math.round(minutes * MINUTE_MS)));
    expect(MAX_ATTEMPTS).toBe(6);
    expect(waitAfter(6, undefined, 0)).toBeUndefined();
    expect(waitAfter(6, 1_000, 0)).toBeUndefined();
  });

  it("waits as long as the receiver asks, if that is longer, but no longer than 12 hours", () => {
    expect(waitAfter(1, 10 * MINUTE_MS, 0)).toBe(10 * MINUTE_MS);
    expect(waitAfter(2, MINUTE_MS, 0)).toBe(5 * MINUTE_MS);
    expect(waitAfter(1, 1e12, 0)).toBe(720 * MINUTE_MS);
  });
});

it("Retry-After is read in both forms", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(readRetryAfter("120", now)).toBe(120_000);
  expect(readRetryAfter("Thu, 01 Jan 2026 00:01:00 GMT", now)).toBe(60_000);
  expect(readRetryAfter("Wed, 31 Dec 2025 00:00:00 GMT", now)).toBe(0);
  for (const header of [null, "", "soon", "-1", "1e3x"]) expect(readRetryAfter(header, now)).toBeUndefined();
});

it("problems have the names of MCP Events, and a redirect one of its own", () => {
  const statuses = [301, 302, 307, 399, 400, 404, 429, 500, 503, 521, 522, 525];
  expect(statuses.map(problemOfStatus)).toEqual([
    ...["redirect", "redirect", "redirect", "redirect"],
    ...["http_4xx", "http_4xx", "http_4xx", "http_5xx", "http_5xx"],
    ...["connection_refused", "timeout", "tls_error"],
  ]);
  expect(problemOfError(new DOMException("late", "TimeoutError"))).toBe("timeout");
  expect(problemOfError(new Error("TLS handshake failed"))).toBe("tls_error");
  expect(problemOfError(new Error("Network connection lost."))).toBe("connection_refused");
  expect(problemOfError("nonsense")).toBe("connection_refused");
});

it("only https on the public internet, and allowed hosts, are targets", () => {
  expect(wrongTarget("https://example.com/hook", [])).toBeUndefined();
  expect(wrongTarget("http://127.0.0.1:8080/hook", ["127.0.0.1:8080"])).toBeUndefined();
  expect(wrongTarget("http://127.0.0.1:8081/hook", ["127.0.0.1:8080"])).toBe(
    "must begin with https://: http:// is for hosts in ALLOWED_HOSTS only",
  );
  expect(wrongTarget("https://192.168.1.1/", [])).toBe("must be on the public internet");
  for (const scheme of ["ftp", "httpx", "http+unix"]) {
    expect(wrongTarget(`${scheme}://127.0.0.1:8080/`, ["127.0.0.1:8080"])).toBe("must begin with https://");
  }
});

it("an event matches if its data has every argument", () => {
  const matching = (args: object, data: object) =>
    matches({ name: "a.b", args: args as never }, { name: "a.b", data: data as never });
  expect(matching({}, { x: 1 })).toBe(true);
  expect(matching({ x: { b: 1, a: [2] } }, { x: { a: [2], b: 1 }, y: 2 })).toBe(true);
  expect(matching({ x: 1 }, { x: "1" })).toBe(false);
  expect(matching({ toString: null }, {})).toBe(false);
});

describe("readCallback", () => {
  const url = "https://example.com/hook";
  const paths = (raw: unknown) => {
    const read = readCallback(raw, "callback.", []);
    return "issues" in read ? read.issues.map(({ path }) => path) : [];
  };

  it("takes a URL, a token and a secret", () => {
    const secret = "s".repeat(32);
    expect(readCallback({ url, token: "abc", secret, more: 1 }, "", [])).toEqual({
      callback: { url, token: "abc", secret },
    });
    expect(readCallback({ url, token: null, secret: null }, "", [])).toEqual({ callback: { url } });
  });

  it("names every member that is wrong", () => {
    expect(paths("https://example.com")).toEqual(["callback"]);
    expect(paths({})).toEqual(["callback.url"]);
    expect(paths({ url: "http://example.com", token: "a b", secret: "short" })).toEqual([
      ...["callback.url", "callback.token", "callback.secret"],
    ]);
    for (const secret of ["s".repeat(31), "s".repeat(257), 5, `${"s".repeat(40)}\ud800`])
      expect(paths({ url, secret })).toEqual(["callback.secret"]);
    const long = [`a${"=".repeat(4_096)}`, "a".repeat(4_097), "="];
    for (const token of ["a\r\nb", "", 5, ...long]) expect(paths({ url, token })).toEqual(["callback.token"]);
  });
});

describe("queues", () => {
  type Sent = ReturnType<typeof item>;
  const item = (host: string, n: number) => ({ key: `${host} ${n}`, url: `https://${host}/`, host });
  const order = (n: number, host = "a"): Sent => ({ ...item(host, n), url: `https://${host}/?order=${n}` });
  const NOW = Date.parse("2026-01-01");
  const take = (queues: SendQueue<Sent>, now = NOW) => {
    const taken: string[] = [];
    for (let next = queues.next(now); next; next = queues.next(now)) taken.push(next.key);
    return taken;
  };
  const send = (queues: SendQueue<Sent>, one: Sent, wasGood: boolean) => {
    queues.add(one);
    expect(take(queues)).toEqual([one.key]);
    queues.end(one, wasGood, NOW);
  };

  it("give no host more than two connections, and take turns", () => {
    const queues = new SendQueue<Sent>();
    for (const host of ["a", "b", "c", "d"]) for (let n = 0; n < 3; n++) queues.add(item(host, n));
    expect(take(queues)).toEqual(["a 0", "b 0", "c 0", "d 0", "a 1", "b 1"]);
    queues.end(item("a", 0), true, NOW);
    expect(take(queues)).toEqual(["c 1"]);
  });

  it("have all receivers that have failed share two connections, after the others", () => {
    const queues = new SendQueue<Sent>();
    for (const host of ["a", "b", "c"]) send(queues, item(host, 0), false);
    for (const host of ["a", "b", "c", "d"]) queues.add(item(host, 1));
    expect(take(queues)).toEqual(["d 1", "a 1", "b 1"]);
    queues.end(item("a", 1), true, NOW);
    queues.add(item("a", 2));
    expect(take(queues)).toEqual(["a 2", "c 1"]);
  });

  describe("if a URL of a host has failed,", () => {
    it("have its other URLs share two connections, even if some of them answer", () => {
      const queues = new SendQueue<Sent>();
      for (const host of ["a", "b", "c"]) {
        send(queues, order(0, host), false);
        send(queues, order(1, host), true);
      }
      for (const host of ["a", "b", "c"]) for (const n of [1, 2]) queues.add(order(n, host));
      for (const n of [0, 1]) queues.add(order(n, "good"));
      expect(take(queues)).toEqual(["a 1", "b 1", "good 0", "good 1"]);
      queues.end(order(1, "a"), true, NOW);
      expect(take(queues)).toEqual(["c 1"]);
    });

    it("send to its other URLs first", () => {
      const queues = new SendQueue<Sent>();
      send(queues, order(0), false);
      for (let n = 0; n < 5; n++) queues.add({ ...order(0), key: `a dead ${n}` });
      expect(take(queues)).toEqual(["a dead 0", "a dead 1"]);
      for (const n of [1, 2, 3]) queues.add(order(n));
      queues.end({ ...order(0), key: "a dead 0" }, false, NOW);
      expect(take(queues)).toEqual(["a 1"]);
      queues.end(order(1), true, NOW);
      expect(take(queues)).toEqual(["a 2"]);
    });

    it("send to it while other URLs wait for their two connections", () => {
      const queues = new SendQueue<Sent>();
      for (const host of ["a", "b", "c"]) send(queues, order(0, host), false);
      for (const host of ["a", "b", "c"]) for (const n of [1, 2, 3]) queues.add(order(n, host));
      queues.add({ ...order(0, "c"), key: "c again" });
      expect(take(queues)).toEqual(["a 1", "b 1", "c again"]);
    });

    it("hold nothing against its other URLs after ten minutes", () => {
      const queues = new SendQueue<Sent>();
      for (const host of ["a", "b", "c"]) send(queues, order(0, host), false);
      for (const host of ["a", "b", "c"]) queues.add(order(1, host));
      expect(take(queues, NOW + 599_999)).toHaveLength(2);
      expect(take(queues, NOW + 600_000)).toHaveLength(1);
    });
  });

  it("keep the order of messages when their receiver fails and when it recovers", () => {
    const queues = new SendQueue<Sent>();
    for (const n of [0, 1, 2, 3, 4]) queues.add(item("a", n));
    queues.add({ ...item("a", 5), url: "https://a/other" });
    expect(take(queues)).toEqual(["a 0", "a 1"]);
    for (const n of [0, 1]) queues.end(item("a", n), false, NOW);
    expect(take(queues)).toEqual(["a 5", "a 2"]);
    queues.add(item("a", 6));
    queues.end(item("a", 5), undefined, NOW);
    queues.end(item("a", 2), true, NOW);
    queues.add(item("a", 7));
    expect(take(queues)).toEqual(["a 3", "a 4"]);
    for (const n of [3, 4]) queues.end(item("a", n), true, NOW);
    expect(take(queues)).toEqual(["a 6", "a 7"]);
  });

  it("forget the URL that failed first when 10,000 others have: a caller may have any number of them", () => {
    const queues = new SendQueue<Sent>();
    for (let n = 0; n <= 10_000; n++) send(queues, item(`host ${n}`, 0), false);
    for (const host of ["host 1", "host 0"]) queues.add(item(host, 1));
    expect(take(queues)).toEqual(["host 0 1", "host 1 1"]);
  });

  it("take nothing twice", () => {
    const queues = new SendQueue<Sent>();
    for (let times = 0; times < 2; times++) queues.add(item("a", 0));
    expect(take(queues)).toEqual(["a 0"]);
    queues.add(item("a", 0));
    expect(take(queues)).toEqual([]);
    expect(queues.isIdle).toBe(false);
    queues.end(item("a", 0), undefined, NOW);
    expect([queues.isIdle, queues.isEmpty]).toEqual([true, true]);
  });
});
