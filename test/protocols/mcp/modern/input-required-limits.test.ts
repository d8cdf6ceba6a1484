/** Limits of questions: what a client must support, and what state proves (2026-07-28, basic/patterns/mrtr). */
import { afterEach, describe, expect, it, vi } from "vitest";
import source from "#catalog";
import { createApp } from "../../../../src/app.ts";
import { createCatalog } from "../../../../src/core/catalog/catalog.ts";
import { hmacSigner } from "../../../../src/core/crypto/signer.ts";
import type { Deployment } from "../../../../src/deployment.ts";
import { bodyLimit } from "../../../../src/http/body.ts";
import { inputRequired, readInputResponses } from "../../../../src/protocols/mcp/modern/input-required.ts";
import { Exchange, type Subject } from "../../../../src/protocols/mcp/transport/exchange.ts";
import { OPEN, OWNER, postTo } from "../../../support/app.ts";
import { call, EVERYTHING, handshake, mcp } from "../../../support/mcp.ts";
import { callModern, modern, modernRequest, type RequestOptions } from "../../../support/modern-client.ts";
import { rpc } from "../../../support/opentool.ts";
import { call as callOxp } from "../../../support/oxp.ts";

const NAME = { name: { action: "accept", content: { name: "Ann" } } };

async function ask(
  what: string,
  more: Record<string, unknown> = {},
  { capabilities = EVERYTHING, ...options }: RequestOptions = {},
) {
  return modern("tools/call", { name: "Talk_Ask", arguments: { what }, ...more }, { capabilities, ...options });
}

const stateOf = async (what: string): Promise<string> => (await ask(what)).body.result.requestState;

/** The question that the client cannot be asked, in words. */
const ASKED = new Map([
  ["elicitation by form", "What is your name?"],
  ["elicitation by URL", "Sign in."],
  ["sampling", "the caller's model."],
  ["roots", "the caller's roots."],
]);

describe("capabilities (Server Requirements, 7: MUST NOT send what the client has not declared)", () => {
  it.each([
    ["form", {}, { elicitation: { form: {} } }, "elicitation by form"],
    ["form", { sampling: {}, roots: {} }, { elicitation: { form: {} } }, "elicitation by form"],
    ["form", { elicitation: { url: {} } }, { elicitation: { form: {} } }, "elicitation by form"],
    ["page", { elicitation: {} }, { elicitation: { url: {} } }, "elicitation by URL"],
    ["page", { elicitation: { form: {} } }, { elicitation: { url: {} } }, "elicitation by URL"],
    ["sample", { elicitation: {} }, { sampling: {} }, "sampling"],
    ["roots", { sampling: {} }, { roots: {} }, "roots"],
    ["form", { elicitation: true }, { elicitation: { form: {} } }, "elicitation by form"],
    ["all", { elicitation: { form: {}, url: {} }, sampling: {} }, { roots: {} }, "roots"],
    ["two rounds", { sampling: {} }, { elicitation: { form: {} } }, "elicitation by form"],
  ])("%s of a client that declares %j: 400 and -32021, with what is missing (basic/index, _meta)", async (...of) => {
    const [what, capabilities, required, missing] = of;
    const { status, body } = await ask(what, {}, { capabilities, id: 3 });
    expect([status, body.id, body.error.code]).toEqual([400, 3, -32021]);
    expect(body.error.message).toBe(
      `The tool needs an answer first: ${ASKED.get(missing)} Only clients with the capability ${missing} can be asked, and this one does not declare it`,
    );
    expect(body.error.data).toEqual({ requiredCapabilities: required });
  });

  it.each([
    ["form", { elicitation: {} }],
    ["form", { elicitation: { form: {} } }],
    ["page", { elicitation: { url: {} } }],
    ["sample", { sampling: {} }],
    ["roots", { roots: { listChanged: true } }],
  ])("%s of a client that declares %j is asked (client/elicitation, Capabilities)", async (what, capabilities) => {
    expect((await ask(what, {}, { capabilities })).body.result.resultType).toBe("input_required");
  });

  it.each([
    [{}, []],
    [{ elicitation: {} }, ["form"]],
    [{ elicitation: { url: {} } }, ["page"]],
    [{ elicitation: { form: {}, url: {} }, roots: {} }, ["form", "page", "roots"]],
  ])("a tool can check for %j", async (capabilities, can) => {
    const { structuredContent } = (await ask("what it can", {}, { capabilities })).body.result;
    expect(structuredContent.answers).toEqual([can, "no model"]);
  });

  it("a tool may cope without them", async () => {
    const { structuredContent } = (await ask("or else", {}, { capabilities: {} })).body.result;
    expect(structuredContent.answers).toBe("CannotAsk");
  });

  it("are required for prompts and resources too", async () => {
    const prompt = await modern("prompts/get", { name: "Talk_AskFirst" });
    const resource = await modern("resources/read", { uri: "talk://secret" });
    for (const { status, body } of [prompt, resource]) expect([status, body.error.code]).toEqual([400, -32021]);
  });
});

describe("requestState (Server Requirements, 4 and 5: attacker-controlled input)", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const changed: [string, (state: string) => unknown][] = [
    ["something added", (state) => `${state}-TAMPERED`],
    ["its first letter changed", (state) => (state[0] === "A" ? "B" : "A") + state.slice(1)],
    ["no signature", (state) => state.split(".")[0]],
    ["an empty signature", (state) => `${state.split(".")[0]}.`],
    ["one part more", (state) => `${state}.x`],
    ["the other way round", (state) => state.split(".").reverse().join(".")],
    ["other answers", (state) => `${btoa('{"until":9999999999,"answers":{}}')}.${state.split(".")[1]}`],
    ["nothing", () => ""],
    ["a text of the client's own", () => "state"],
    ["a number", () => 7],
    ["an object", () => ({})],
  ];
  it.each(changed)("with %s is rejected (MUST reject state that fails verification)", async (_, change) => {
    const requestState = change(await stateOf("form"));
    const { body } = await ask("form", { inputResponses: NAME, requestState });
    expect(body.error?.code).toBe(-32602);
    expect(body).not.toHaveProperty("result");
  });

  it("takes room for the answers in it until its call is over, as much as a body of as many objects", async () => {
    const bodies = bodyLimit(1_048_576);
    const newExchange = () =>
      new Exchange({
        context: {
          principal: { id: "key:one" },
          runtime: { signer: hmacSigner(async () => new Uint8Array(32)) },
          limits: { bodies, bodyBytes: 1_048_576 },
        },
      } as never);
    const subject = { method: "tools/call", about: ["Talk_Ask", {}], session: undefined } as unknown as Subject;
    const answered = new Map([["roots", { question: "hash", answer: { roots: Array(60_000).fill({}) } }]]);
    const asking = { kind: "asking", questions: new Map(), answered } as const;
    const { result } = (await inputRequired(newExchange(), subject, asking)) as { result: { requestState: string } };
    const calls = Array.from({ length: 3 }, newExchange);
    const read = (one: Exchange | undefined) => readInputResponses(one as Exchange, subject, result);
    for (const one of calls.slice(0, 2)) expect(await read(one)).toHaveProperty("answers");
    const { refused } = (await read(calls[2])) as { refused: object };
    expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "5" }, error: { code: -32600 } });
    calls[0]?.end();
    expect(await read(calls[2])).toHaveProperty("answers");
  });

  it("of other arguments is rejected", async () => {
    const requestState = await stateOf("form");
    expect((await ask("or else", { requestState })).body.error.code).toBe(-32602);
    const arguments_ = { name: "Talk_Ask", arguments: { what: "form", count: "x" }, requestState };
    const { body } = await modern("tools/call", arguments_, { capabilities: EVERYTHING });
    expect(body.error.code).toBe(-32602);
  });

  it("of the same arguments in another order is accepted", async () => {
    const of = (args: object, more = {}) =>
      modern("tools/call", { name: "Talk_Ask", arguments: args, ...more }, { capabilities: EVERYTHING });
    const { requestState } = (await of({ what: "form", count: "order" })).body.result;
    const again = await of({ count: "order", what: "form" }, { requestState, inputResponses: NAME });
    expect(again.body.result.resultType).toBe("complete");
  });

  it("of another tool, prompt or resource is rejected", async () => {
    const requestState = await stateOf("form");
    for (const [method, params] of [
      ["tools/call", { name: "Talk_FillIn", arguments: { what: "form" } }],
      ["prompts/get", { name: "Talk_AskFirst" }],
      ["resources/read", { uri: "talk://secret" }],
    ] as const) {
      const { body } = await modern(method, { ...params, requestState }, { capabilities: EVERYTHING });
      expect(body.error.code).toBe(-32602);
    }
  });

  it("expires after 15 minutes", async () => {
    const requestState = await stateOf("form");
    const answered = () => ask("form", { inputResponses: NAME, requestState });
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 14 * 60_000);
    expect((await answered()).body.result.resultType).toBe("complete");
    vi.setSystemTime(Date.now() + 2 * 60_000);
    expect((await answered()).body.error.code).toBe(-32602);
  });

  it("of another principal is rejected", async () => {
    const signer = hmacSigner(async () => new Uint8Array(32));
    const as = async (principal: string, more: object) => {
      const app = createApp({
        runtime: { catalog: createCatalog(source), signer, secret: () => undefined, log: () => {}, now: () => 0 },
        server: { name: "principals", version: "1" },
        limits: { bodyBytes: 10_000, pageSize: 10 },
        ...OPEN,
        guard: async () => ({ ...OWNER, id: principal }),
      } as unknown as Deployment);
      const params = { name: "Talk_Ask", arguments: { what: "form" }, ...more };
      const { message, headers } = modernRequest("tools/call", params, { capabilities: EVERYTHING });
      return (await postTo(app, "/mcp", message, headers)).body;
    };
    const { requestState } = (await as("Ann", {})).result;
    expect((await as("Bob", { requestState, inputResponses: NAME })).error.code).toBe(-32602);
    expect((await as("Ann", { requestState, inputResponses: NAME })).result.resultType).toBe("complete");
  });
});

describe("idempotency", () => {
  it("a call that asks does not use up its key, and is stored once it is answered", async () => {
    const count = crypto.randomUUID();
    const args = { what: "form", count, idempotency_key: crypto.randomUUID() };
    const of = (more: object) =>
      modern("tools/call", { name: "Talk_Ask", arguments: args, ...more }, { capabilities: EVERYTHING });
    const first = await of({});
    expect(first.body.result.resultType).toBe("input_required");
    expect((await of({})).body.result.resultType).toBe("input_required");
    const { requestState } = first.body.result;
    const last = await of({ requestState, inputResponses: NAME });
    expect(last.body.result.structuredContent.answers.content).toEqual({ name: "Ann" });
    const again = await of({ requestState, inputResponses: { name: { action: "decline" } } });
    expect(again.body.result._meta.replayed).toBe(true);
    expect(again.body.result.structuredContent).toEqual(last.body.result.structuredContent);
    const runs = await callModern("Counter_Runs", { name: count });
    expect(runs.body.result.structuredContent).toBe(3);
  });
});

describe("without a client that can be asked", () => {
  it("OXP answers 400 with the question", async () => {
    const { status, text } = await callOxp("Talk.Ask", { what: "form" });
    expect(status).toBe(400);
    expect(text).toContain("What is your name?");
  });

  it("OpenTool answers an error with the question", async () => {
    const { body } = await rpc("Talk_Ask", { what: "form" });
    expect(body.error.message).toContain("What is your name?");
  });

  it.each([
    ["bare", {}],
    ["that names its revision", { "mcp-protocol-version": "2025-11-25" }],
  ])("a legacy client %s gets a failed result", async (_, headers) => {
    const { status, body } = await mcp(call("Talk_Ask", { what: "form" }), headers);
    expect(status).toBe(200);
    expect(body.result.isError).toBe(true);
    expect(body.result.content[0].text).toContain("elicitation");
  });

  it("so does a session without the capability, and a tool can check for it", async () => {
    const session = await handshake("2025-11-25", { roots: {} });
    const headers = { ...session, accept: "text/event-stream" };
    expect((await mcp(call("Talk_Ask", { what: "form" }), headers)).body.result.isError).toBe(true);
    const { body } = await mcp(call("Talk_Ask", { what: "what it can" }), headers);
    expect(body.result.structuredContent.answers).toEqual([["roots"], "no model"]);
    // Without a stream the server cannot ask.
    const plain = await mcp(call("Talk_Ask", { what: "what it can" }), session);
    expect(plain.body.result.structuredContent.answers).toEqual([[], "no model"]);
  });
});
