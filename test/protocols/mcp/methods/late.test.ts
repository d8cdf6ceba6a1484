/** Calls whose tool runs past its time limit, and keys used with sessions (docs/once.md, docs/data.md). */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Claims } from "../../../../src/stores/claims-object.ts";
import { call, EVERYTHING, handshake, mcp, streamed } from "../../../support/mcp.ts";
import { modern } from "../../../support/modern-client.ts";

const fresh = () => crypto.randomUUID();
const late = (session: Record<string, string>, idempotency_key: string) =>
  mcp(call("Talk_Late", { idempotency_key }), session);

/** The stored result of such a call. A duplicate that comes too early gets the error that it is still running. */
async function replayed(session: Record<string, string>, key: string) {
  for (;;) {
    const answer = await late(session, key);
    if (!JSON.stringify(answer.body).includes("still running")) return answer;
  }
}

describe("a tool that uses its session after its time limit", () => {
  it("has its changes stored", async () => {
    const session = await handshake();
    const [one, two] = [fresh(), fresh()];
    await late(session, one);
    await replayed(session, one);
    await late(session, two);
    const { body } = await replayed(session, two);
    expect(body.result.content[0].text).toBe("1");
    expect(body.result._meta.replayed).toBe(true);
  });

  it("returns its result to no other session", async () => {
    const [session, other] = [await handshake(), await handshake()];
    const key = fresh();
    await late(session, key);
    expect((await replayed(session, key)).body.result._meta.replayed).toBe(true);
    expect((await late(other, key)).body.error.message).toContain("another session");
  });
});

describe("a call with a key that its client cancelled, of a tool that ignores ctx.signal", () => {
  it("does not run a second time, even if its tool throws an AbortError", async () => {
    const session = await handshake();
    const [name, idempotency_key] = [fresh(), fresh()];
    const runs = async () => (await mcp(call("Counter_Runs", { name }))).body.result.content[0].text;
    const send = () => mcp(call("Counter_EndsOtherwise", { name, idempotency_key }), session);
    const first = send();
    while ((await runs()) === "0") await new Promise((resume) => setTimeout(resume, 5));
    const params = { requestId: 1 };
    await mcp({ jsonrpc: "2.0", method: "notifications/cancelled", params }, session);
    await first;
    await mcp(call("Counter_LetGo", { name }));
    const { result } = (await send()).body;
    expect(result).toMatchObject({ isError: true, _meta: { replayed: true } });
    expect(await runs()).toBe("1");
  });

  it.each([
    ["never looked at ctx.signal", {}],
    ["looked at it before, and ends because its question does", { looks: true }],
  ])("does not run a second time if it was asking, and %s", async (_, more) => {
    const session = await handshake(undefined, EVERYTHING);
    const [name, idempotency_key] = [fresh(), fresh()];
    const message = call("Talk_ActFirst", { name, ...more, idempotency_key });
    const first = await streamed(message, session);
    expect((await first.nextData()).method).toBe("elicitation/create");
    await mcp({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, session);
    const { result } = (await mcp(message, session)).body;
    expect(result).toMatchObject({ isError: true, _meta: { replayed: true } });
    expect((await mcp(call("Counter_Runs", { name }))).body.result.content[0].text).toBe("1");
  });
});

describe("a session begun by a call with a key", () => {
  const tally = (args: object) => modern("tools/call", { name: "Talk_Tally", arguments: args });

  it("is different for another call with that key: guessing a key opens no session", async () => {
    const idempotency_key = fresh();
    const first = (await tally({ idempotency_key })).body.result._meta.session;
    const id = (handle: string) => handle.split(".")[0];
    const other = await modern("tools/call", { name: "Talk_Keep", arguments: { idempotency_key, characters: 0 } });
    expect(id(other.body.result._meta.session)).not.toBe(id(first));
    expect((await tally({ idempotency_key })).body.result._meta).not.toHaveProperty("session");
  });
});

describe("a timed-out call of an anonymous caller that began a session", () => {
  const send = (name: string, args: object = {}) => modern("tools/call", { name, arguments: args });

  it("does not reveal the session's values to others: its handle was returned with the timeout", async () => {
    const [name, idempotency_key] = [fresh(), fresh()];
    const first = await send("Talk_LateTally", { name, idempotency_key });
    const { session } = first.body.result._meta;
    await send("Talk_Tally", { session });
    await mcp(call("Counter_LetGo", { name }));
    const { body } = await send("Talk_LateTally", { name, idempotency_key });
    expect(body.error?.message).toContain("another session");
    const own = await send("Talk_LateTally", { name, idempotency_key, session });
    expect(own.body.result).toMatchObject({ structuredContent: 1, _meta: { replayed: true, session } });
  });
});

describe("a replayed failure", () => {
  it("is marked as a replay", async () => {
    const send = () => mcp(call("Counter_Bump", { name: "n", ending: "failed", idempotency_key: key }), {});
    const key = fresh();
    expect((await send()).body.result._meta).not.toHaveProperty("replayed");
    expect((await send()).body.result._meta.replayed).toBe(true);
  });
});

describe("a duplicate that waited", () => {
  const { CLAIMS } = env as unknown as { CLAIMS: DurableObjectNamespace };

  it("does not claim a key that became free while it waited: its client may have gone, and nothing would run", async () => {
    const object = CLAIMS.getByName(`ghost ${fresh()}`) as unknown as Claims;
    const attempt = (token: string) => ({ fingerprint: "f", token, leaseMs: 60_000, keepMs: 60_000 });
    await object.claim("k", attempt("runner"), 0);
    const ghost = object.claim("k", attempt("ghost"), 5_000);
    await new Promise((resume) => setTimeout(resume, 20));
    await object.release("k", "runner");
    expect(await ghost).toEqual({ state: "running", untilMs: 0 });
    expect(await object.claim("k", attempt("next"), 0)).toEqual({ state: "claimed", again: false });
  });
});
