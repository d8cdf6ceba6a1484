/** Limits on what the objects behind sessions store: bounded for each stream, and nothing once it is over. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { readLines } from "../../src/core/lib/read-lines.ts";
import { Mailbox } from "../../src/stores/object-relay.ts";
import { call, endSession, handshake, listenTo, mailboxOf, mcp, request, streamed } from "../support/mcp.ts";
import { contentOf, NOTHING } from "../support/objects.ts";

const { MAILBOX } = env as unknown as { MAILBOX: DurableObjectNamespace<Mailbox> };
const newBox = () => MAILBOX.getByName(crypto.randomUUID());

type Session = Record<string, string>;

/** Calls a tool that reports these steps as progress. */
const report = (session: Session, steps: unknown[]) =>
  streamed(
    request("tools/call", { name: "Talk_Report", arguments: { steps }, _meta: { progressToken: "t" } }),
    session,
  );

const kept = (box: DurableObjectStub<Mailbox>) =>
  runInDurableObject(box, (_, { storage }) => {
    const [table] = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'messages'");
    if (table === undefined) return { at: [], size: 0 };
    const rows = [...storage.sql.exec<{ at: number; size: number }>("SELECT at, LENGTH(text) AS size FROM messages")];
    return { at: rows.map(({ at }) => at), size: rows.reduce((sum, { size }) => sum + size, 0) };
  });

const stored = (box: DurableObjectStub<Mailbox>) => runInDurableObject(box, (_, { storage }) => contentOf(storage));

describe("a stream that its client left", () => {
  it("keeps the last 64,000 characters of a tool's later messages, however many there are", async () => {
    const session = await handshake();
    const steps = [
      { progress: 0.5, pause: 500 },
      ...Array.from({ length: 10 }, (_, n) => ({ progress: n + 1, pause: 20, padding: 20_000 })),
    ];
    const stream = await report(session, steps);
    await stream.next();
    await stream.close();
    // Until the call has ended, which nobody follows.
    await vi.waitFor(async () => expect((await kept(mailboxOf(session))).at).toContain(12), { timeout: 5_000 });
    const { at, size } = await kept(mailboxOf(session));
    expect(size).toBeLessThanOrEqual(64_000 + 1_000);
    expect(at.filter((position) => position > 1 && position < 9)).toEqual([]);
  });

  it("keeps 250,000 characters with questions: the oldest, which were answered, are dropped", async () => {
    const posts = vi.spyOn(Mailbox.prototype, "post");
    const session = await handshake("2025-11-25", { elicitation: {} });
    const stream = await streamed(call("Talk_AskMany", { times: 10, padding: 60_000 }), session);
    await stream.next();
    for (let time = 0; time < 10; time++) {
      const question = await stream.nextData();
      await mcp({ jsonrpc: "2.0", id: question.id, result: { action: "decline" } }, session);
    }
    expect((await stream.nextData()).result.structuredContent).toEqual({ value: "asked 10 times" });
    await vi.waitFor(() => expect(posts.mock.calls.map(([, , done]) => done)).toContain(true));
    const posted = posts.mock.calls.flatMap(([, entries]) => entries);
    const size = posted.reduce((sum, { text }) => sum + text.length, 0);
    expect(size).toBeGreaterThan(60_000);
    expect(size).toBeLessThanOrEqual(250_000);
    posts.mockRestore();
  });

  it("keeps no progress message that is larger by itself, and the response however large it is", async () => {
    const session = await handshake();
    const steps = [
      { progress: 0.5, pause: 500 },
      { progress: 1, padding: 70_000 },
      { progress: 2, message: "small" },
    ];
    const stream = await report(session, steps);
    const { id = "" } = (await stream.next()) ?? {};
    await stream.close();
    const events = await (await listenTo(session, { "last-event-id": id })).rest();
    const sent = events.flatMap(({ data }) => data?.params?.progress ?? data?.result?.structuredContent?.value ?? []);
    expect(sent.filter((one) => one !== 0.5)).toEqual([2, "3 steps"]);
  });

  it("costs one post for all messages while nobody follows it, and one for those of a second when somebody does", async () => {
    const posts = vi.spyOn(Mailbox.prototype, "post");
    const session = await handshake();
    const messages = (from: number) => Array.from({ length: 20 }, (_, n) => ({ progress: from + n, pause: 20 }));
    const steps = [...messages(1), { progress: 50, pause: 1_500 }, ...messages(100)];
    const stream = await report(session, steps);
    const { id = "" } = (await stream.next()) ?? {};
    await stream.close();
    const posted = () => posts.mock.calls.map(([, entries, done]) => [entries.map(({ at }) => at), done]);
    // The connection was noticed to be gone before or after some messages; the rest waits until the client returns.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(posted().length).toBeLessThanOrEqual(1);
    const back = Date.now();
    const again = await listenTo(session, { "last-event-id": id });
    expect((await again.rest()).filter(({ data }) => data?.method === "notifications/progress")).toHaveLength(41);
    // At the hang-up, at the return, then at most once a second, and at the end.
    expect(posted().length).toBeLessThanOrEqual(4 + Math.ceil((Date.now() - back) / 1_000));
    expect(posted().at(-1)?.[1]).toBe(true);
    posts.mockRestore();
  });

  it("keeps 1 MB in the mailbox, and the last message in any case", async () => {
    const box = newBox();
    const text = "x".repeat(400_000);
    for (let at = 1; at <= 20; at++) await box.post("a", [{ at, text }], false);
    expect(await kept(box)).toEqual({ at: [19, 20], size: 800_000 });
    await box.post("a", [{ at: 21, text: text.repeat(4) }], true);
    expect(await kept(box)).toEqual({ at: [21], size: 1_600_000 });
  });

  it("is ended for a client that does not read it, and can be resumed", async () => {
    const box = newBox();
    const text = "x".repeat(900_000);
    const follower = await box.follow("a", 0);
    for (let at = 1; at <= 40; at++) await box.post("a", [{ at, text }], at === 40);
    let read = 0;
    for await (const line of readLines(follower as ReadableStream<Uint8Array>)) if (line !== "") read++;
    expect(read).toBeLessThan(30);
    const again = readLines((await box.follow("a", read)) as ReadableStream<Uint8Array>);
    for await (const line of again) expect(line.startsWith("40 ")).toBe(true);
  });
});

describe("the mailbox of a session", () => {
  it("is not created by an end or a cancellation: anyone can open sessions", async () => {
    const [one, other] = [await handshake(), await handshake()];
    expect((await endSession(one)).status).toBe(204);
    const params = { requestId: 1 };
    await mcp({ jsonrpc: "2.0", method: "notifications/cancelled", params }, other);
    expect(await stored(mailboxOf(one))).toEqual(NOTHING);
    expect(await stored(mailboxOf(other))).toEqual(NOTHING);
  });

  it("is deleted with its session", async () => {
    const session = await handshake();
    await (await report(session, [{ progress: 1 }])).rest();
    await vi.waitUntil(async () => (await kept(mailboxOf(session))).at.length > 0, { timeout: 60_000 });
    await endSession(session);
    expect(await stored(mailboxOf(session))).toEqual(NOTHING);
  });

  it("keeps small messages that come together in one row, and gives them back one by one", async () => {
    const box = newBox();
    const entries = [1, 2, 3].map((at) => ({ at, text: `{"n":${at}}` }));
    await box.post("a", entries, false);
    expect((await kept(box)).at).toEqual([3]);
    await box.post("a", [{ at: 4, text: '{"n":4}' }], true);
    const read = await box.follow("a", 1);
    expect(await new Response(read).text()).toBe('2 {"n":2}\n3 {"n":3}\n4 {"n":4}\n');
  });

  it("is deleted when all its messages have expired, and can be filled again", async () => {
    const box = newBox();
    await box.post("a", [{ at: 1, text: "a text" }], true);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * 60_000 });
    expect(await runDurableObjectAlarm(box)).toBe(true);
    vi.useRealTimers();
    expect(await stored(box)).toEqual(NOTHING);
    await box.post("a", [{ at: 2, text: "another" }], true);
    expect(await kept(box)).toEqual({ at: [2], size: 7 });
  });
});

describe("DELETE", () => {
  it.each([
    ["that has run for a while", true],
    ["that has only just begun, which nobody watches yet", false],
  ])("ends the stream of a call %s", async (_, isWatched) => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    const meta = { _meta: { progressToken: 1 } };
    const args = { name, ms: 60_000, progress: true };
    const stream = await streamed(request("tools/call", { name: "Talk_Wait", arguments: args, ...meta }), session);
    await stream.nextData();
    if (isWatched) await new Promise((resume) => setTimeout(resume, 500));
    await endSession(session);
    await stream.rest();
    const how = await mcp(call("Talk_HowWaits", { name }));
    expect(how.body.result.structuredContent.value).toBe("AbortError");
  });
});
