/**
 * The events extension of MCP over real HTTP (SEP-3415, io.modelcontextprotocol/events): who may ask, listing, polling,
 * and what is refused. What streams do is in event-stream.node.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startProvider } from "../../../support/node/attacks/provider.ts";
import { ask, newCaller, now, serveEvents, tell } from "../../../support/node/events.ts";
import { type Long, modern, postModern } from "../../../support/node/long.ts";
import { startReceiver } from "../../../support/node/receiver.ts";

let server: Long;
let url: string;
beforeAll(async () => {
  server = await serveEvents();
  url = server.url;
});
afterAll(() => server?.stop());

const CHANGED = { name: "notes.changed" };

describe("server/discover", () => {
  it("announces the extension where SEP-3415 has it, and where ChatGPT reads it", async () => {
    const { result } = (await modern(url, "server/discover", {}, newCaller())).body;
    // Tasks announce theirs in the same place.
    expect(result.capabilities.extensions).toEqual({
      "io.modelcontextprotocol/tasks": {},
      "io.modelcontextprotocol/events": {},
    });
    expect(result.capabilities.events).toEqual({});
    expect(result.capabilities.tools).toEqual({ listChanged: true });
  });

  it("comes with a listing in pages of the size that is set", async () => {
    const paged = await server.also({ vars: { PAGE_SIZE: "3" } });
    try {
      const by = newCaller();
      const first = await ask(paged.url, "list", {}, by);
      expect(first).toMatchObject({ events: { length: 3 }, nextCursor: expect.any(String) });
      const second = await ask(paged.url, "list", { cursor: first.nextCursor }, by);
      expect(second.events.map(({ name }: { name: string }) => name)).toEqual(["task.finished"]);
      expect(second).not.toHaveProperty("nextCursor");
    } finally {
      await paged.stop();
    }
  });
});

describe("events/list", () => {
  it("describes each event: name, description, delivery, inputSchema, payloadSchema", async () => {
    const { events, resultType } = await ask(url, "list", {}, newCaller());
    expect(resultType).toBe("complete");
    expect(events.map(({ name }: { name: string }) => name)).toEqual([
      "notes.changed",
      "notes.grown",
      "notes.read",
      "task.finished",
    ]);
    expect(events[0]).toEqual({
      name: "notes.changed",
      description: "A note has changed.",
      delivery: ["webhook", "push", "poll"],
      inputSchema: {
        type: "object",
        properties: {
          list: { type: "string", description: "Only notes of this list." },
          id: { type: "number", description: "Only this note." },
        },
      },
      payloadSchema: {
        type: "object",
        properties: { id: { type: "number" }, list: { type: "string", default: "inbox" } },
        required: ["id"],
      },
    });
    // Without an input, there are no arguments; an author may leave out ways of delivery.
    expect(events[2]).toMatchObject({ delivery: ["push"], inputSchema: { type: "object", properties: {} } });
  });

  it("lists what a caller's scopes reach, and what its path has", async () => {
    const names = async (by: object, path = "/mcp") => {
      const { body } = await modern(url, "events/list", {}, { ...by, path });
      return body.result.events.map(({ name }: { name: string }) => name);
    };
    expect(await names(newCaller("notes notes:locks"))).toContain("notes.locked");
    expect(await names(newCaller(), "/jobs/mcp")).toEqual(["task.finished"]);
  });

  it("refuses a cursor that is not its own", async () => {
    const { code } = await ask(url, "list", { cursor: "nowhere" }, newCaller());
    expect(code).toBe(-32602);
  });
});

describe("events/poll", () => {
  it("refuses arguments that are too large to be kept", async () => {
    const by = newCaller();
    const poll = (list: string) => ask(url, "poll", { ...CHANGED, arguments: { list } }, by);
    expect(await poll("x".repeat(8_192))).toMatchObject({ code: -32602, message: expect.stringContaining("8192") });
    expect(await poll("x".repeat(8_000))).toMatchObject({ events: [] });
  });

  it('begins at once: "`null` = start from now […]. No historical events are replayed"', async () => {
    const by = newCaller();
    await tell(url, by, { name: "changed", data: { id: 1 } });
    for (const params of [{ ...CHANGED, cursor: null }, CHANGED, { ...CHANGED, cursor: null, maxAgeMs: 300_000 }]) {
      const result = await ask(url, "poll", params, by);
      expect(result).toMatchObject({ events: [], truncated: false, hasMore: false, resultType: "complete" });
      expect(result.cursor).toEqual(expect.any(String));
      expect(result.nextPollMs).toBeGreaterThan(0);
    }
  });

  it("gives what has happened after a cursor, and a new cursor", async () => {
    const by = newCaller();
    const cursor = await now(url, "notes.changed", by);
    await tell(url, by, { name: "changed", data: { id: 1, list: "a" } }, { name: "changed", data: { id: 2 } });
    const first = await ask(url, "poll", { ...CHANGED, cursor }, by);
    expect(first.events).toEqual([
      {
        eventId: expect.stringMatching(/./),
        name: "notes.changed",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        data: { id: 1, list: "a" },
      },
      expect.objectContaining({ data: { id: 2, list: "inbox" } }),
    ]);
    expect(new Set(first.events.map(({ eventId }: { eventId: string }) => eventId)).size).toBe(2);
    expect(await ask(url, "poll", { ...CHANGED, cursor: first.cursor }, by)).toMatchObject({ events: [] });
    // "Each poll request is self-contained": the same question has the same answer.
    expect((await ask(url, "poll", { ...CHANGED, cursor }, by)).events).toEqual(first.events);
  });

  it("gives no more than `maxEvents`, says that there are more, and goes on from its cursor", async () => {
    const by = newCaller();
    let cursor = await now(url, "notes.changed", by);
    await tell(url, by, ...[1, 2, 3].map((id) => ({ name: "changed" as const, data: { id } })));
    const ids: number[] = [];
    for (const hasMore of [true, true, false]) {
      const page = await ask(url, "poll", { ...CHANGED, cursor, maxEvents: 1 }, by);
      expect(page.hasMore).toBe(hasMore);
      ids.push(...page.events.map(({ data }: { data: { id: number } }) => data.id));
      cursor = page.cursor;
    }
    expect(ids).toEqual([1, 2, 3]);
  });

  it("leaves out events of other names, and those that do not match the arguments", async () => {
    const by = newCaller();
    const cursor = await now(url, "notes.changed", by);
    await tell(
      url,
      by,
      { name: "grown", data: { count: 5 } },
      { name: "changed", data: { id: 1, list: "a" } },
      { name: "changed", data: { id: 2, list: "b" } },
      { name: "grown", data: { count: 9 } },
    );
    const data = async (params: object) =>
      (await ask(url, "poll", { ...params, cursor }, by)).events.map((event: { data: object }) => event.data);
    expect(await data({ ...CHANGED, arguments: { list: "b" } })).toEqual([{ id: 2, list: "b" }]);
    expect(await data({ ...CHANGED, arguments: { list: "b", id: 1 } })).toEqual([]);
    expect(await data({ ...CHANGED, arguments: {} })).toHaveLength(2);
    // An event may decide by itself.
    expect(await data({ name: "notes.grown", arguments: { above: 6 } })).toEqual([{ count: 9 }]);
  });

  it('says that events are missing with `truncated`, a cursor to go on from, and no error: "Never a JSON-RPC error"', async () => {
    const by = newCaller();
    await tell(url, by, { name: "changed", data: { id: 1 } });
    for (const cursor of ["1", "no cursor of ours"]) {
      const result = await ask(url, "poll", { ...CHANGED, cursor }, by);
      expect(result).toMatchObject({ truncated: true, hasMore: false });
      expect(await ask(url, "poll", { ...CHANGED, cursor: result.cursor }, by)).toMatchObject({ truncated: false });
    }
    const cursor = await now(url, "notes.changed", by);
    await tell(url, by, { name: "changed", data: { id: 2 } });
    await new Promise((resume) => setTimeout(resume, 20));
    const old = await ask(url, "poll", { ...CHANGED, cursor, maxAgeMs: 1 }, by);
    expect(old).toMatchObject({ events: [], truncated: true });
  });

  it("tells a caller of its own events only", async () => {
    const [mine, yours] = [newCaller(), newCaller()];
    const cursor = await now(url, "notes.changed", yours);
    await tell(url, mine, { name: "changed", data: { id: 1 } });
    expect((await ask(url, "poll", { ...CHANGED, cursor }, yours)).events).toEqual([]);
  });
});

describe("what is refused", () => {
  const METHODS = ["poll", "stream", "subscribe"] as const;

  it.each(METHODS)("events/%s of an event that does not exist, or is hidden: -32011", async (method) => {
    for (const name of ["notes.none", "notes.locked"]) {
      expect(await ask(url, method, { name }, newCaller())).toMatchObject({ code: -32011, data: { kind: "event" } });
    }
  });

  it.each(METHODS)("events/%s with wrong parameters: -32602", async (method) => {
    const by = newCaller();
    for (const params of [
      {},
      { name: 1 },
      { ...CHANGED, arguments: [] },
      { ...CHANGED, arguments: { list: 12345 } },
      { ...CHANGED, arguments: { lisst: "b" } },
      { name: "notes.grown" },
      { ...CHANGED, cursor: 1 },
      { ...CHANGED, cursor: "1".repeat(65) },
      { ...CHANGED, maxAgeMs: -1 },
    ]) {
      expect(await ask(url, method, params, by), JSON.stringify(params)).toMatchObject({ code: -32602 });
    }
    expect(await ask(url, "poll", { ...CHANGED, maxEvents: 0 }, by)).toMatchObject({ code: -32602 });
  });

  it("a mode that the event does not offer: -32014, with what is not supported", async () => {
    const by = newCaller();
    const data = (value: string) => ({ code: -32014, data: { feature: "deliveryMode", value } });
    expect(await ask(url, "poll", { name: "notes.read" }, by)).toMatchObject(data("poll"));
    expect(await ask(url, "subscribe", { name: "notes.read" }, by)).toMatchObject(data("webhook"));
  });

  it("an event whose scopes a provider's token has not got: -32012, and a challenge to get them", async () => {
    const provider = await startProvider();
    const vars = { JWT_ISSUER: provider.issuer, JWT_JWKS_URL: provider.jwksUrl };
    const closed = await server.also({ vars });
    try {
      const token = provider.sign({ aud: `${closed.url}/mcp`, scope: "notes" });
      const by = { headers: { authorization: `Bearer ${token}` }, capabilities: {} };
      for (const method of ["poll", "stream", "subscribe"]) {
        const response = await postModern(closed.url, `events/${method}`, { name: "notes.locked" }, by);
        expect(response.status).toBe(403);
        expect(response.headers.get("www-authenticate")).toMatch(/error="insufficient_scope".*scope="[^"]*notes:locks/);
        expect((await response.json()) as object).toMatchObject({
          id: 1,
          error: { code: -32012, data: { scopes: ["notes:locks"] } },
        });
      }
    } finally {
      await closed.stop();
      provider.stop();
    }
  });

  it("a caller without a credential: -32012, and a challenge to get one", async () => {
    const open = await server.also({ closed: false });
    try {
      // Without a credential, nobody has events: they belong to one caller.
      for (const method of ["poll", "stream", "subscribe", "unsubscribe"]) {
        const response = await postModern(open.url, `events/${method}`, CHANGED, { capabilities: {} });
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
        expect((await response.json()) as object).toMatchObject({ id: 1, error: { code: -32012 } });
      }
      const { result } = (await modern(open.url, "server/discover", {}, { capabilities: {} })).body;
      expect(result.capabilities).not.toHaveProperty("events");
      expect(result.capabilities.extensions).toEqual({ "io.modelcontextprotocol/tasks": {} });
      // "404 Not Found […] -32601 (Method not found)": a method of an extension that is not announced. No 401, by which a
      // client would begin to sign in where it need not.
      const list = await postModern(open.url, "events/list", {}, { capabilities: {} });
      expect([list.status, list.headers.get("www-authenticate")]).toEqual([404, null]);
      const message = "Method not found: events/list. Events need an outbox, and a caller with a credential";
      expect((await list.json()) as object).toMatchObject({ id: 1, error: { code: -32601, message } });
    } finally {
      await open.stop();
    }
  });
});

describe("events/subscribe", () => {
  const URL = "https://receiver.example/hook";
  const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;

  it("refuses a callback or a secret that cannot be right: -32602", async () => {
    const by = newCaller();
    for (const delivery of [
      undefined,
      {},
      { url: "nowhere", secret: SECRET },
      { url: "http://receiver.example/hook", secret: SECRET },
      { url: URL },
      { url: URL, secret: SECRET.slice("whsec_".length) },
      { url: URL, secret: "whsec_not base64" },
      { url: URL, secret: `v1,${SECRET}` },
      { url: URL, secret: `whsec_${Buffer.alloc(23).toString("base64")}` },
      { url: URL, secret: `whsec_${Buffer.alloc(65).toString("base64")}` },
    ]) {
      const error = await ask(url, "subscribe", { ...CHANGED, delivery }, by);
      expect(error, JSON.stringify(delivery)).toMatchObject({ code: -32602 });
      // It is a secret.
      expect(JSON.stringify(error)).not.toContain(SECRET);
    }
    const delivery = { url: URL, secret: SECRET };
    expect(await ask(url, "subscribe", { ...CHANGED, delivery, ttlMs: -1 }, by)).toMatchObject({ code: -32602 });
    expect(await ask(url, "subscribe", { ...CHANGED, delivery: { ...delivery, mode: "mail" } }, by)).toMatchObject({
      code: -32014,
    });
  });

  it("says what the receiver did with the challenge: -32015, and later in words of MCP why a delivery failed", async () => {
    const receiver = await startReceiver();
    const open = await server.also({ vars: { ALLOWED_HOSTS: receiver.host } });
    try {
      const by = newCaller();
      const subscribe = (path: string) =>
        ask(open.url, "subscribe", { ...CHANGED, delivery: { url: receiver.url(path), secret: SECRET } }, by);
      const answers = [
        ["/ok", "ok", "challenge_failed", /did not send/],
        ["/redirect", { status: 302, headers: { location: "/elsewhere" } }, "challenge_failed", /not followed/],
        ["/login", { status: 401, body: "who is there?" }, "challenge_failed", /4xx/],
        ["/fails", "fail", "challenge_failed", /5xx/],
      ] as const;
      for (const [path, behaviour, reason, told] of answers) {
        receiver.onChallenge(path, behaviour);
        const error = await subscribe(path);
        expect(error).toEqual({ code: -32015, message: expect.stringMatching(told), data: { reason } });
        // "MUST NOT include raw response bodies, headers, or status lines from the endpoint" (Webhook Delivery Status).
        expect(JSON.stringify(error)).not.toMatch(/302|401|elsewhere|who is there/);
      }
      receiver.on("/news", "redirect");
      expect(await subscribe("/news")).toMatchObject({ id: expect.any(String) });
      await tell(open.url, by, { name: "changed", data: { id: 1 } });
      // "one of `connection_refused`, `timeout`, `tls_error`, `http_4xx`, `http_5xx`, `challenge_failed`".
      await vi.waitFor(
        async () => expect(await subscribe("/news")).toMatchObject({ deliveryStatus: { lastError: "http_4xx" } }),
        { timeout: 10_000, interval: 50 },
      );
    } finally {
      await open.stop();
      await receiver.stop();
    }
  });

  it("names what stands before a secret that some services show so", async () => {
    for (const before of ["v1,", "v1, ", " v1,", "v1a,"]) {
      const delivery = { url: URL, secret: before + SECRET };
      const { message } = await ask(url, "subscribe", { ...CHANGED, delivery }, newCaller());
      expect(message).toBe(`params.delivery.secret: Leave out "${before.trim()}": the secret begins with "whsec_"`);
    }
  });

  it("events/unsubscribe of a subscription that there is not: -32011", async () => {
    const by = newCaller();
    const params = { ...CHANGED, arguments: {}, delivery: { url: URL } };
    expect(await ask(url, "unsubscribe", params, by)).toMatchObject({ code: -32011, data: { kind: "subscription" } });
    expect(await ask(url, "unsubscribe", CHANGED, by)).toMatchObject({ code: -32602 });
  });
});
