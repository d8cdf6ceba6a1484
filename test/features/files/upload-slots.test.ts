/**
 * Whose call finds the page that an earlier one named, if its caller cannot be asked. A file must never reach another
 * user: whoever may be one of several gets it by its file_id alone.
 */
import { describe, expect, it } from "vitest";
import type { ToolRun } from "../../../src/core/call/run-tool.ts";
import { GRANT, PARTITION, type Principal } from "../../../src/core/model/principal.ts";
import type { Files } from "../../../src/core/ports/files.ts";
import { Uploads } from "../../../src/features/files/uploads.ts";

const principal = (id: string, more: object = {}): Principal => ({ id, scopes: [], reach: [], ...more });
const KEY = principal("key:one");
const USER = principal("jwt:ada");

/** Asks as this caller. @returns the slot of the page, and what the caller is told */
async function asked(who: Principal, caller: object, isLocal = false, takesFromAnyone = true) {
  const slots: (string | undefined)[] = [];
  const files = {
    maxBytes: 10,
    takesFromAnyone,
    placed: async () => undefined,
    find: async () => ["awaited"],
    async place(_partition: string, _page: object, _origin: string, _ms: number, slotOf: (url: string) => string) {
      slots.push(await slotOf("https://x/page"));
      return { id: "the-file", url: "https://x/page" };
    },
  } as unknown as Files;
  const tool = {
    caller: { principal: who, context: {}, input: {}, ...caller },
    context: { canAsk: () => false, idempotencyKey: "the call's" },
    primitive: { id: "Kit.Ask", options: {} },
    granted: {},
    runtime: { isLocal },
  } as unknown as ToolRun;
  const error = await new Uploads(tool, files).upload("file", { message: "Choose." }).catch((error) => error);
  return { slot: slots[0], message: String(error.question?.message ?? error.message) };
}

describe("the page of", () => {
  it.each<[string, Principal, object]>([
    ["a call with an idempotency key", KEY, { key: "k" }],
    ["a call in a session", KEY, { sessionId: "s" }],
    ["a key's user who is named", KEY, { context: { userId: "ada" } }],
    ["a sign-in with a key", principal("key:one", { [GRANT]: "g" }), {}],
    ["a token with a subject", USER, {}],
  ])("%s is found by its repeat", async (_, who, caller) => {
    const { slot, message } = await asked(who, caller);
    expect(slot).toMatch(/^[0-9a-f]{64}$/);
    expect(message).toContain("and then call again");
  });

  it.each<[string, Principal, object]>([
    ["a plain API key, which many may share", KEY, {}],
    ["a session that this call begins", KEY, { sessionId: "s", beginsSession: true }],
    ["a token without a subject", principal("jwt:x", { [PARTITION]: () => "p" }), {}],
    ["nobody in particular", principal("anonymous", { [PARTITION]: () => "p" }), { context: { userId: "ada" } }],
  ])("%s is in no slot: its file is attached by its id", async (_, who, caller) => {
    const { slot, message } = await asked(who, caller);
    expect(slot).toBeUndefined();
    expect(message).toContain('attach it with the file_id "the-file", and call again');
  });

  it("a call with the idempotency key of another sign-in's call is another page", async () => {
    const slotOf = async (grant: string) =>
      (await asked(principal("key:one", { [GRANT]: grant }), { key: "call_1" })).slot;
    expect(await slotOf("a")).toBe(await slotOf("a"));
    expect(await slotOf("a")).not.toBe(await slotOf("b"));
  });

  it("the owner, on their own machine, is found", async () => {
    expect((await asked(principal("anonymous"), {}, true)).slot).toBeDefined();
  });
});

describe("strangers of a public deployment", () => {
  const stranger = principal("anonymous", { [PARTITION]: () => "p" });

  it("cannot upload: nobody is asked, and there is no page", async () => {
    const { slot, message } = await asked(stranger, { key: "k" }, false, false);
    expect([slot, message]).toEqual([undefined, "Only callers with a credential of their own can upload files here"]);
  });

  it("can under npm start, where they are the owner; so can those with a credential", async () => {
    expect((await asked(stranger, { key: "k" }, true, false)).slot).toBeDefined();
    expect((await asked(KEY, { key: "k" }, false, false)).slot).toBeDefined();
  });
});
