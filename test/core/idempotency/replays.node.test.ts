/**
 * One principal with several people or tokens: repeating a key and input gives nobody another's session, nor anything
 * that only a broader token may see.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SECRET, shared } from "../../support/node/attacks/tokens.ts";
import { bearer, below, MCP_WAYS, MODERN_META, send, withHeaders } from "../../support/node/attacks/wire.ts";
import { Attempt, type Client, register, signIn } from "../../support/node/sign-in/person.ts";
import { openPlace, type Place } from "../../support/node/sign-in/place.ts";

const head = `import * as v from "valibot";
import { defineTool } from "#tool";
export default defineTool({
  version: "1.0.0",`;
const TOOLS = {
  "memo/add.ts": `${head}
  description: "Adds a note, and returns all of them.",
  session: true,
  input: v.object({ text: v.pipe(v.string(), v.description("The note.")) }),
  async run({ text }, ctx) {
    const notes = [...((await ctx.session?.get<string[]>("notes")) ?? []), text];
    await ctx.session?.set("notes", notes);
    return { notes };
  },
});`,
  "memo/sign.ts": `${head}
  description: "Asks for a name, and keeps it.",
  session: true,
  async run(_, ctx) {
    const before = await ctx.session?.get<string[]>("notes");
    const { content } = await ctx.elicit("name", { message: "Who?", fields: { name: { type: "string" } } });
    return { before: before ?? [], name: content?.name ?? "nobody" };
  },
});`,
  "memo/view.ts": `${head}
  description: "Shows what its caller may see.",
  run: (_, ctx) => (/memo:(all|bill|audit)/.test(String(ctx.principal.scopes)) ? "everything" : "a little"),
});`,
  "memo/pin.ts": `${head}
  description: "Asks for a number, and returns it.",
  async run(_, ctx) {
    const { content } = await ctx.elicit("pin", { message: "Which?", fields: { pin: { type: "string" } } });
    return { pin: content?.pin ?? "none" };
  },
});`,
  "memo/whole.ts": `${head}
  description: "Shows everything.",
  scopes: ["memo:all"],
  run: () => "everything",
});`,
};

/** Scopes that a narrow caller's catalog never mentions: required together with others, or in another toolkit. */
const ELSEWHERE = {
  "memo/export.ts": `${head}
  description: "Exports everything.",
  scopes: ["memo:bill", "memo:export"],
  run: () => "everything",
});`,
  "audit/read.ts": `${head}
  description: "Reads the audit.",
  scopes: ["memo:audit"],
  run: () => "everything",
});`,
};

let place: Place;
let url: string;
let app: Client;
beforeAll(async () => {
  place = await openPlace(
    { ...TOOLS, ...ELSEWHERE },
    { change: (settings) => settings.replace("[vars]", `[vars]\nJWT_SECRET = "${SECRET}"`) },
  );
  url = place.url;
  app = await register(url);
});
afterAll(() => place?.stop());

const META = { ...MODERN_META, "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };

/** Calls a tool over 2026-07-28, and returns the answer. */
async function call(
  token: string,
  name: string,
  args: object,
  { path = "", ...more }: Readonly<Record<string, unknown>> & { path?: string } = {},
) {
  const sent = MCP_WAYS["2026-07-28"]("tools/call", { name });
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, ...more, _meta: META } };
  return (await send(url, below(path, withHeaders({ ...sent, body }, bearer(token))))).body;
}
const answered = (name: string, value: string) => ({
  inputResponses: { [name]: { action: "accept", content: { [name]: value } } },
});
const CONFLICT = { error: { code: -32602 } };

/** Signs in one more person with the key. */
async function person(key: string, scopes: string[] = []) {
  const attempt = new Attempt(url, app);
  const tokens = (await attempt.exchange(await signIn(url, attempt, key, { scopes }))).body;
  return { token: tokens.access_token as string, renew: () => attempt.refresh(tokens.refresh_token) };
}

describe("two people who signed in with one API key, and send the same idempotency key and input", () => {
  it("the second gets the result, but not the first one's session handle", async () => {
    const { text: key } = await place.makeKey();
    const [one, two] = [await person(key), await person(key)];
    const milk = { text: "buy milk", idempotency_key: "1" };
    const { session } = (await call(one.token, "Memo_Add", milk)).result._meta;
    await call(one.token, "Memo_Add", { text: "PIN 4711", session });
    for (const other of [two.token, key]) {
      const { result } = await call(other, "Memo_Add", milk);
      expect(result).toMatchObject({ structuredContent: { notes: ["buy milk"] }, _meta: { replayed: true } });
      expect(result._meta).not.toHaveProperty("session");
      expect(JSON.stringify(result)).not.toContain("session: ");
    }
  });

  it("the first one's own repeat returns the handle, also with a renewed token", async () => {
    const one = await person((await place.makeKey()).text);
    const milk = { text: "buy milk", idempotency_key: "1" };
    await call(one.token, "Memo_Add", milk);
    const renewed: string = (await one.renew()).body.access_token;
    const { session, replayed } = (await call(renewed, "Memo_Add", milk)).result._meta;
    expect(replayed).toBe(true);
    const { result } = await call(one.token, "Memo_Add", { text: "eggs", session });
    expect(result.structuredContent).toEqual({ notes: ["buy milk", "eggs"] });
  });

  it("the second does not get the first one's answers in its session; the first does", async () => {
    const { text: key } = await place.makeKey();
    const [one, two] = [await person(key), await person(key)];
    const sign = { idempotency_key: "1" };
    const { requestState } = (await call(one.token, "Memo_Sign", sign)).result;
    const first = await call(one.token, "Memo_Sign", sign, { requestState, ...answered("name", "Ada") });
    expect(first.result.structuredContent).toEqual({ before: [], name: "Ada" });
    expect(await call(two.token, "Memo_Sign", sign)).toMatchObject(CONFLICT);
    const again = (await call(one.token, "Memo_Sign", sign)).result;
    expect(again).toMatchObject({ structuredContent: { name: "Ada" }, _meta: { replayed: true } });
    expect(again._meta.session).toEqual(expect.any(String));
  });
});

describe("a session's handle is valid only on the path where it was issued", () => {
  const token = (toolkit = "") => shared({ sub: "grace", aud: `${url}${toolkit}/mcp` });

  it.each([
    ["", "/memo"],
    ["/memo", ""],
  ])("one of %j/mcp is unknown on %j/mcp", async (path, other) => {
    const { session } = (await call(token(path), "Memo_Add", { text: "mine" }, { path })).result._meta;
    const refused = (await call(token(other), "Memo_Add", { text: "hm", session }, { path: other })).result;
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("leave it out") }] });
    const on = (await call(token(path), "Memo_Add", { text: "more", session }, { path })).result;
    expect(on.structuredContent).toEqual({ notes: ["mine", "more"] });
  });

  it("as is one in a requestState", async () => {
    const { session } = (await call(token(), "Memo_Add", { text: "mine" })).result._meta;
    const { requestState } = (await call(token(), "Memo_Sign", { session })).result;
    const state = { requestState, ...answered("name", "Eve") };
    const refused = (await call(token("/memo"), "Memo_Sign", {}, { path: "/memo", ...state })).result;
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("leave it out") }] });
    const own = (await call(token(), "Memo_Sign", {}, state)).result;
    expect(own.structuredContent).toEqual({ before: ["mine"], name: "Eve" });
  });

  it("a replay on another path returns none", async () => {
    const milk = { text: "buy milk", idempotency_key: "path" };
    const { session } = (await call(token(), "Memo_Add", milk)).result._meta;
    await call(token(), "Memo_Add", { text: "PIN 4711", session });
    const { result } = await call(token("/memo"), "Memo_Add", milk, { path: "/memo" });
    expect(result).toMatchObject({ structuredContent: { notes: ["buy milk"] }, _meta: { replayed: true } });
    expect(result._meta).not.toHaveProperty("session");
  });
});

describe("a narrower token of one subject, with the key and input of a broader one's call", () => {
  const token = (sub: string, ...scopes: string[]) => shared({ sub, scope: scopes.join(" ") });

  it("does not get what the tool showed the broader one, however it calls", async () => {
    const view = { idempotency_key: "1" };
    const broad = (await call(token("a", "memo:all"), "Memo_View", view)).result;
    expect(broad.content[0].text).toContain("everything");
    expect(await call(token("a"), "Memo_View", view)).toMatchObject(CONFLICT);
    const oxp = { request: { tool_id: "Memo.View", call_id: "1", input: {} } };
    const answer = await send(url, { method: "POST", path: "/call", headers: bearer(token("a")), body: oxp });
    expect([answer.status, answer.text]).toEqual([400, expect.not.stringContaining("everything")]);
  });

  it.each([
    ["together with another that it lacks as well", "memo:bill", "/mcp"],
    ["in a toolkit only that it cannot see", "memo:audit", "/memo/mcp"],
  ])("does not get it if the scope that it lacks is required %s", async (_, scope, audience) => {
    const [sub, aud] = [scope, new URL(audience, url).href];
    const args = { idempotency_key: "1" };
    const as = (scopes: string) => shared({ sub, aud, scope: scopes });
    const path = audience === "/mcp" ? {} : { path: "/memo" };
    const broad = (await call(as(scope), "Memo_View", args, path)).result;
    expect(broad.content[0].text).toContain("everything");
    expect(await call(as(""), "Memo_View", args, path)).toMatchObject(CONFLICT);
  });

  it("does not get the broader one's answers", async () => {
    const pin = { idempotency_key: "1" };
    const broad = token("b", "memo:all");
    const { requestState } = (await call(broad, "Memo_Pin", pin)).result;
    const own = (await call(broad, "Memo_Pin", pin, { requestState, ...answered("pin", "4711") })).result;
    expect(own.structuredContent).toEqual({ pin: "4711" });
    expect(await call(token("b"), "Memo_Pin", pin)).toMatchObject(CONFLICT);
  });

  it("from signing in with a key for everything does not get what the key itself got", async () => {
    const { text: key } = await place.makeKey();
    const view = { idempotency_key: "1" };
    await call(key, "Memo_View", view);
    expect((await call(key, "Memo_View", view)).result._meta.replayed).toBe(true);
    const { token } = await person(key, ["memo:all"]);
    expect(await call(token, "Memo_View", view)).toMatchObject(CONFLICT);
  });

  it.each([
    ["the same scopes, in another order and with others that nothing here demands", ["openid", "memo:all"]],
    ["more scopes", ["memo:all", "more"]],
  ])("but a refreshed one with %s gets its result again", async (_, scopes) => {
    const view = { idempotency_key: crypto.randomUUID() };
    await call(token("c", "memo:all", "profile"), "Memo_View", view);
    const again = (await call(token("c", ...scopes), "Memo_View", view)).result;
    expect(again).toMatchObject({ content: [{ text: "everything" }], _meta: { replayed: true } });
  });

  it("that has more scopes since (step-up) gets what it got before", async () => {
    const view = { idempotency_key: "1" };
    await call(token("d"), "Memo_View", view);
    const again = (await call(token("d", "memo:all"), "Memo_View", view)).result;
    expect(again).toMatchObject({ content: [{ text: "a little" }], _meta: { replayed: true } });
  });
});
