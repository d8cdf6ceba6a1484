/**
 * State handles: sessions for clients of a protocol without them (SEP-2567: "servers that need to maintain state across
 * tool calls do so by returning an identifier … and accepting it as a parameter on subsequent calls").
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../../../src/core/crypto/digest.ts";
import { call, EVERYTHING, handshake, mcp } from "../../../support/mcp.ts";
import { modern, type RequestOptions } from "../../../support/modern-client.ts";
import { call as callOxp } from "../../../support/oxp.ts";

const count = (args: object = {}, more: object = {}) =>
  modern("tools/call", { name: "Talk_Tally", arguments: args, ...more });

const { KV } = env as unknown as { KV: KVNamespace };
/** The key of one caller. */
const KEY = `trivet_${"a1".repeat(8)}_${"k".repeat(43)}`;
beforeAll(async () => {
  const record = { name: "test", scopes: [], created: 1, hash: await sha256(KEY) };
  await KV.put(`key:${"a1".repeat(8)}`, JSON.stringify(record));
});

/** Like {@link modern}, with an API key, and over https because keys require it. */
const named = (method: string, params: Readonly<Record<string, unknown>>, options: RequestOptions = {}) =>
  modern(method, params, { ...options, path: "https://trivet.test/mcp", headers: { authorization: `Bearer ${KEY}` } });
const countNamed = (args: object = {}) => named("tools/call", { name: "Talk_Tally", arguments: args });

/** The note that the model reads at the end of a result. */
function handleIn(content: { text: string }[]): string {
  const [, handle] = /^session: (\S+)$/.exec(content.at(-1)?.text ?? "") ?? [];
  if (handle === undefined) throw new Error(`no handle in ${JSON.stringify(content)}`);
  return handle;
}

describe("a tool that uses a session, called over 2026-07-28", () => {
  it("begins one, and returns its handle where a model reads it", async () => {
    const { body } = await count();
    expect(body.result.structuredContent).toEqual({ count: 1 });
    expect(handleIn(body.result.content)).toBe(body.result._meta.session);
  });

  it("continues with the returned handle, and with no other call's", async () => {
    const session = handleIn((await count()).body.result.content);
    await count();
    const second = await count({ session });
    expect(second.body.result.structuredContent).toEqual({ count: 2 });
    expect(handleIn(second.body.result.content)).toBe(session);
    expect((await count({ session })).body.result.structuredContent).toEqual({ count: 3 });
  });

  it.each([
    ["a text of its own", "abc"],
    ["another kind of handle", "a.b.c"],
    ["a number", 7],
  ])("refuses %s, and says what to do (SEP-2567: expired handles return useful errors)", async (_, session) => {
    const { body } = await count({ session });
    expect(body.result.isError).toBe(true);
    expect(body.result.content[0].text).toContain("leave it out");
  });

  it("refuses a handle whose signature was changed", async () => {
    const session = handleIn((await count()).body.result.content);
    const forged = session.slice(0, -2) + (session.endsWith("AA") ? "BB" : "AA");
    expect((await count({ session: forged })).body.result.isError).toBe(true);
  });

  it("does not accept an MCP session id as a handle", async () => {
    const { "mcp-session-id": session } = await handshake();
    expect((await count({ session })).body.result.isError).toBe(true);
  });

  it("begins the same session again for the same idempotency key, in _meta as well", async () => {
    const idempotency_key = crypto.randomUUID();
    const first = await countNamed({ idempotency_key });
    const again = await named("tools/call", { name: "Talk_Tally" }, { meta: { idempotency_key } });
    expect(again.body.result._meta.replayed).toBe(true);
    expect(again.body.result.structuredContent).toEqual({ count: 1 });
    const session = handleIn(again.body.result.content);
    expect((await countNamed({ session })).body.result.structuredContent).toEqual({ count: 2 });
    expect((await countNamed({ session: handleIn(first.body.result.content) })).body.result.structuredContent).toEqual({
      count: 3,
    });
  });

  it("begins a separate session for each caller of the same call with the same key: ids do not depend on the request", async () => {
    const jot = (note: string) => modern("tools/call", { name: "Talk_Jot", arguments: { note, idempotency_key: "1" } });
    // Each call must be retryable, so that its key is free for the next.
    const first = await jot("the door code is 7");
    expect(first.body.result.content[0].text).toContain("noted: the door code is 7");
    const second = await jot("the door code is 7");
    expect(second.body.result.content[0].text).not.toContain("7, the door code is 7");
    expect(handleIn(second.body.result.content)).not.toBe(handleIn(first.body.result.content));
  });

  it("returns a replay's session even if the tool did not use it", async () => {
    const idle = (more: object) => named("tools/call", { name: "Talk_Idle", arguments: more });
    const idempotency_key = crypto.randomUUID();
    const [first, again] = [await idle({ idempotency_key }), await idle({ idempotency_key })];
    expect(again.body.result._meta.replayed).toBe(true);
    await countNamed({ session: handleIn(first.body.result.content) });
    const { body } = await countNamed({ session: handleIn(again.body.result.content) });
    expect(body.result.structuredContent).toEqual({ count: 2 });
  });

  it("is refused with the key of another session's call, without a handle", async () => {
    const session = handleIn((await count()).body.result.content);
    const idempotency_key = crypto.randomUUID();
    const handleless = { idempotency_key };
    expect((await count({ idempotency_key, session })).body.result.structuredContent).toEqual({ count: 2 });
    expect((await count({ idempotency_key, session })).body.result._meta.replayed).toBe(true);
    const refused = await count(handleless);
    expect(refused.body.error.code).toBe(-32602);
    expect(JSON.stringify(refused.body)).not.toContain("session: ");
    const other = handleIn((await count()).body.result.content);
    expect((await count({ idempotency_key, session: other })).body.error.code).toBe(-32602);
  });

  it("replays a call that began a session to callers that continue that session", async () => {
    const idempotency_key = crypto.randomUUID();
    const session = handleIn((await count({ idempotency_key })).body.result.content);
    const { body } = await count({ idempotency_key, session });
    expect(body.result._meta).toMatchObject({ replayed: true, session });
    expect(body.result.structuredContent).toEqual({ count: 1 });
  });

  it("keeps what it wrote before it asked, and continues with that session", async () => {
    const draft = (args: object, more: object = {}) =>
      modern("tools/call", { name: "Talk_Draft", arguments: args, ...more }, { capabilities: EVERYTHING });
    const inputResponses = { sure: { action: "accept", content: {} } };
    const { requestState } = (await draft({})).body.result;
    const { content, structuredContent } = (await draft({}, { requestState, inputResponses })).body.result;
    expect(structuredContent).toEqual({ runs: 2, action: "accept" });
    const session = handleIn(content);
    const next = (await draft({ session })).body.result;
    const last = (await draft({ session }, { requestState: next.requestState, inputResponses })).body.result;
    expect([last.structuredContent.runs, handleIn(last.content)]).toEqual([4, session]);
  });

  it("continues in the session in which it asked, whatever handle the repeated call has", async () => {
    const draft = (args: object, more: object = {}) =>
      modern("tools/call", { name: "Talk_Draft", arguments: args, ...more }, { capabilities: EVERYTHING });
    const other = handleIn((await count()).body.result.content);
    const { requestState } = (await draft({})).body.result;
    const inputResponses = { sure: { action: "decline" } };
    const { content, structuredContent } = (await draft({ session: other }, { requestState, inputResponses })).body
      .result;
    expect(structuredContent).toEqual({ runs: 2, action: "decline" });
    expect(handleIn(content)).not.toBe(other);
  });

  it("is returned again for a call with a key that asked and was answered: its replay continues the session that it began", async () => {
    const idempotency_key = crypto.randomUUID();
    const draft = (more: object = {}, args: object = {}) =>
      named(
        "tools/call",
        { name: "Talk_Draft", arguments: { idempotency_key, ...args }, ...more },
        { capabilities: EVERYTHING },
      );
    const { requestState } = (await draft()).body.result;
    const inputResponses = { sure: { action: "accept", content: {} } };
    const first = (await draft({ requestState, inputResponses })).body.result;
    const replay = (await draft()).body.result;
    expect(replay._meta.replayed).toBe(true);
    expect(replay.structuredContent).toEqual(first.structuredContent);
    // Both handles are of one session: values written under one are read under the other.
    await countNamed({ session: handleIn(first.content) });
    const { body } = await countNamed({ session: handleIn(replay.content) });
    expect(body.result.structuredContent).toEqual({ count: 2 });
  });

  describe("called by anonymous callers behind one address, with the same key and input", () => {
    const bare = (more: object) => mcp(call("Talk_Tally", more));

    it.each([
      ["2026-07-28", count],
      ["without a handshake", bare],
    ])("%s: the second gets the result, but not the session, which may be another's", async (_, tally) => {
      const idempotency_key = crypto.randomUUID();
      const first = (await tally({ idempotency_key })).body.result;
      const session = handleIn(first.content);
      await tally({ session });
      const { body } = await tally({ idempotency_key });
      expect(body.result).toMatchObject({ structuredContent: { count: 1 }, _meta: { replayed: true } });
      expect(body.result._meta).not.toHaveProperty("session");
      expect(JSON.stringify(body)).not.toContain("session: ");
      // Only the caller that began the session can name it.
      const again = (await tally({ idempotency_key, session })).body.result;
      expect(again._meta).toMatchObject({ replayed: true, session });
    });

    it("at once: a caller that waits for the first one's run gets its result, but not its session", async () => {
      const idempotency_key = crypto.randomUUID();
      const both = await Promise.all([count({ idempotency_key }), count({ idempotency_key })]);
      const results = both.map(({ body }) => body.result);
      expect(results.map(({ structuredContent }) => structuredContent)).toEqual([{ count: 1 }, { count: 1 }]);
      expect(results.filter(({ _meta }) => _meta.session !== undefined)).toHaveLength(1);
    });

    const inputResponses = { sure: { action: "accept", content: {} } };
    const draft = (args: object, more: object = {}) =>
      modern("tools/call", { name: "Talk_Draft", arguments: args, ...more }, { capabilities: EVERYTHING });

    it("gets no result with another's answers; a caller that sends the same state again does", async () => {
      const idempotency_key = crypto.randomUUID();
      const { requestState } = (await draft({ idempotency_key })).body.result;
      const first = (await draft({ idempotency_key }, { requestState, inputResponses })).body.result;
      expect((await draft({ idempotency_key })).body.error.code).toBe(-32602);
      const again = (await draft({ idempotency_key }, { requestState, inputResponses })).body.result;
      expect(again).toMatchObject({ structuredContent: first.structuredContent, _meta: { replayed: true } });
      expect(handleIn(again.content)).toBe(handleIn(first.content));
    });

    it("gets no values of an older session that was named only when the call asked", async () => {
      const idempotency_key = crypto.randomUUID();
      const session = handleIn((await count()).body.result.content);
      const { requestState } = (await draft({ idempotency_key, session })).body.result;
      const first = (await draft({ idempotency_key }, { requestState, inputResponses })).body.result;
      expect(handleIn(first.content)).toBe(session);
      expect((await draft({ idempotency_key })).body.error.code).toBe(-32602);
    });

    it("over OXP: is refused, because it is in no session", async () => {
      const call_id = crypto.randomUUID();
      await count({ idempotency_key: call_id });
      const { status, text } = await callOxp("Talk.Tally", {}, { call_id });
      expect([status, text]).toEqual([400, expect.not.stringContaining('"count"')]);
    });
  });

  it("lists the argument for these clients, and not for those that have sessions", async () => {
    const schemaOf = (tools: { name: string; inputSchema: { properties: object } }[]) =>
      tools.find(({ name }) => name === "Talk_Tally")?.inputSchema.properties ?? {};
    expect(schemaOf((await modern("tools/list")).body.result.tools)).toHaveProperty("session");
    const old = await mcp({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { "mcp-protocol-version": "2025-11-25" });
    expect(schemaOf(old.body.result.tools)).not.toHaveProperty("session");
  });
});

describe("in other revisions and protocols", () => {
  it("the protocol's own session is used, and no handle is returned", async () => {
    const session = await handshake();
    await mcp(call("Talk_Tally"), session);
    const { body } = await mcp(call("Talk_Tally"), session);
    expect(body.result.structuredContent).toEqual({ count: 2 });
    expect(body.result.content).toHaveLength(1);
  });

  it("OXP has no sessions", async () => {
    expect((await callOxp("Talk.Tally", {})).body.result.value).toEqual({ count: 0 });
  });
});
