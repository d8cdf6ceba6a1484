/** `ctx.upload` over every protocol: which page a user is sent to, who finds what was uploaded there, and for how long. */
import { describe, expect, it, vi } from "vitest";
import { travel } from "../../support/clock.ts";
import { hashOf, newCaller, uploaded } from "../../support/files.ts";
import { EVERYTHING, handshake, call as mcpCall, postMcp, streamed } from "../../support/mcp.ts";
import { modern } from "../../support/modern-client.ts";
import { postRpc } from "../../support/opentool.ts";
import { postCall } from "../../support/oxp.ts";
import { open, uploadOn } from "../../support/pages.ts";
import { linkIn } from "../../support/upload-link.ts";

const ACCEPT = { action: "accept" };
const REPORT = "a,b\n1,2\n";
/** Only ends a test that hangs, in milliseconds. */
const PATIENCE = 60_000;

/** A call of 2026-07-28, with the answers and the state of an earlier one. */
async function round(args: object, more: object, caller: Record<string, string>, capabilities: object = EVERYTHING) {
  const params = { name: "Echo_Upload", arguments: args, ...more };
  return (await modern("tools/call", params, { capabilities, headers: caller })).body;
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
const answered = ({ result }: any, answer: object = ACCEPT) => ({
  requestState: result.requestState,
  inputResponses: Object.fromEntries(Object.keys(result.inputRequests).map((name) => [name, answer])),
});

// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
const urlsOf = ({ result }: any): string[] =>
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  Object.values(result.inputRequests).map(({ params }: any) => params.url);

describe("over MCP 2026-07-28, in rounds", () => {
  it("is a question for a page; when the file is there, the call that asked gets it", async () => {
    const caller = newCaller();
    const asked = await round({}, {}, caller);
    expect(asked.result.inputRequests).toEqual({
      report: {
        method: "elicitation/create",
        params: {
          mode: "url",
          message: "Choose the report to summarize",
          url: expect.stringMatching(/^http:\/\/trivet\.test\/api\/v1\/files\/[\w-]{22}\/upload\?page=[\w-]+\.[\w-]+$/),
        },
      },
    });
    expect((await uploadOn(urlsOf(asked)[0] ?? "", REPORT)).status).toBe(201);
    const { result } = await round({}, answered(asked), caller);
    expect(result.structuredContent.came).toMatchObject([
      { name: "q3.csv", type: "text/csv", size: 8, text: REPORT, sha256: await hashOf(REPORT) },
    ]);
    // The next call is another one.
    const next = await round({}, {}, caller);
    expect(urlsOf(next)).not.toEqual(urlsOf(asked));
  });

  it("waits a while for a file that is not there yet, and then asks for it on the same page", async () => {
    const caller = newCaller();
    const asked = await round({}, {}, caller);
    const [url = ""] = urlsOf(asked);
    const soon = round({}, answered(asked), caller);
    await new Promise((resume) => setTimeout(resume, 300));
    expect((await uploadOn(url, REPORT)).status).toBe(201);
    expect((await soon).result.structuredContent.came).toMatchObject([{ text: REPORT }]);

    const other = await round({}, {}, caller);
    vi.useFakeTimers({ toFake: ["Date"] });
    // The clock of the Worker, which runs in this isolate.
    const clock = setInterval(() => vi.setSystemTime(Date.now() + 31_000), 1_000);
    const twice = await round({}, answered(other), caller).finally(() => {
      clearInterval(clock);
      vi.useRealTimers();
    });
    expect(Object.keys(twice.result.inputRequests)).toEqual(["report#2"]);
    expect(urlsOf(twice)).toEqual(urlsOf(other));
    expect((await uploadOn(urlsOf(twice)[0] ?? "", "late")).status).toBe(201);
    const { result } = await round({}, answered(twice), caller);
    expect(result.structuredContent.came).toMatchObject([{ text: "late" }]);
  });

  it("is nobody else's: another call with the same input, by the same caller, gets another page", async () => {
    const caller = newCaller();
    const [one, other] = [await round({}, {}, caller), await round({}, {}, caller)];
    expect(urlsOf(one)).not.toEqual(urlsOf(other));
    await uploadOn(urlsOf(one)[0] ?? "", "one");
    await uploadOn(urlsOf(other)[0] ?? "", "other");
    expect((await round({}, answered(other), caller)).result.structuredContent.came).toMatchObject([{ text: "other" }]);
    expect((await round({}, answered(one), caller)).result.structuredContent.came).toMatchObject([{ text: "one" }]);
  });

  it.each(["decline", "cancel"])("tells the tool that its user answered %s, and closes the page", async (action) => {
    const caller = newCaller();
    const asked = await round({}, {}, caller);
    const { result } = await round({}, answered(asked, { action }), caller);
    expect(result.structuredContent).toEqual({ came: [action] });
    await vi.waitFor(async () => expect((await open(urlsOf(asked)[0] ?? "")).status).toBe(410), PATIENCE);
    expect((await uploadOn(urlsOf(asked)[0] ?? "", REPORT)).status).toBe(410);
  });

  it("asks for several files one after the other, also with the same key", async () => {
    const caller = newCaller();
    const args = { keys: ["report", "report", "picture"] };
    const answers: object[] = [{}];
    const texts = ["one", "two", "three"];
    for (const text of texts) {
      const asked = await round(args, answers.at(-1) as object, caller);
      expect(urlsOf(asked)).toHaveLength(1);
      expect((await uploadOn(urlsOf(asked)[0] ?? "", text)).status).toBe(201);
      answers.push(answered(asked));
    }
    const { result } = await round(args, answers.at(-1) as object, caller);
    expect(result.structuredContent.came).toMatchObject(texts.map((text) => ({ text })));
  });

  it("refuses a client that cannot send its user to a page, and says what to do", async () => {
    const { error } = await round({}, {}, newCaller(), {});
    expect(error.data).toEqual({ requiredCapabilities: { elicitation: { url: {} } } });
    expect(error.message).toMatch(
      /^The tool needs an answer first: Choose the report to summarize\. Upload it at http/,
    );
    expect(error.message).toMatch(
      /attach it with the file_id "[\w-]{22}", and call again\. Or attach a file to the call/,
    );
  });
});

describe("over MCP 2025-11-25, during the call", () => {
  it("waits after the user's consent until the file is there, longer than the tool's time limit", async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const stream = await streamed(mcpCall("Echo_Upload"), session);
    const question = await stream.nextData();
    const { elicitationId, ...params } = question.params;
    expect(params).toEqual({ mode: "url", message: "Choose the report to summarize", url: expect.any(String) });
    await postMcp({ jsonrpc: "2.0", id: question.id, result: ACCEPT }, session);
    expect(await stream.isSilent(3_500)).toBe(true);
    expect((await uploadOn(params.url, REPORT)).status).toBe(201);
    expect(await stream.nextData()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/elicitation/complete",
      params: { elicitationId },
    });
    expect((await stream.nextData()).result.structuredContent.came).toMatchObject([{ name: "q3.csv", text: REPORT }]);
  });

  it("ends if the user declines; the page is closed then", async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const stream = await streamed(mcpCall("Echo_Upload"), session);
    const { id, params } = await stream.nextData();
    await postMcp({ jsonrpc: "2.0", id, result: { action: "decline" } }, session);
    expect((await stream.nextData()).result.structuredContent).toEqual({ came: ["decline"] });
    await vi.waitFor(async () => expect((await open(params.url)).status).toBe(410), PATIENCE);
  });

  it("a client without pages gets the link in words, and its session finds the file when it calls again", async () => {
    const session = await handshake("2025-11-25", { elicitation: {} });
    const ask = async () =>
      (await (await postMcp(mcpCall("Echo_Upload"), session)).json()) as never as {
        result: { isError?: boolean; content: { text: string }[]; structuredContent: object };
      };
    const { result } = await ask();
    expect(result.isError).toBe(true);
    const [{ text = "" } = {}] = result.content;
    expect(text).toContain("and then call again. Or attach a file to the call.");
    expect(linkIn((await ask()).result.content[0]?.text)).toBe(linkIn(text));
    expect((await uploadOn(linkIn(text), REPORT)).status).toBe(201);
    const other = await handshake("2025-11-25", { elicitation: {} });
    const foreign = await (await postMcp(mcpCall("Echo_Upload"), other)).text();
    expect(foreign).toContain("Upload it at");
    expect((await ask()).result.structuredContent).toMatchObject({ came: [{ text: REPORT }] });
    // It has a result, so the next call asks for another file.
    await vi.waitFor(async () => expect((await ask()).result.isError).toBe(true), PATIENCE);
  });
});

describe("for callers that cannot be asked", () => {
  const oxp = async (more: object, caller: Record<string, string>, input: object = {}) =>
    (await postCall({ request: { tool_id: "Echo.Upload", input, ...more } }, undefined, caller)).body;

  it("OXP: the refusal has the link, and the same call_id finds the file", async () => {
    const caller = newCaller();
    const call_id = crypto.randomUUID();
    const { message } = await oxp({ call_id }, caller);
    expect(message).toContain("Choose the report to summarize. Upload it at http://trivet.test/api/v1/files/");
    expect(linkIn((await oxp({ call_id }, caller)).message)).toBe(linkIn(message));
    expect(linkIn((await oxp({ call_id: crypto.randomUUID() }, caller)).message)).not.toBe(linkIn(message));
    expect((await uploadOn(linkIn(message), REPORT)).status).toBe(201);
    const { result } = await oxp({ call_id }, caller);
    expect(result.value.came).toMatchObject([{ name: "q3.csv", text: REPORT }]);
    // Replayed.
    expect((await oxp({ call_id }, caller)).result.value).toEqual(result.value);
  });

  it("another call with the same call_id gets a page of its own", async () => {
    const caller = newCaller();
    const call_id = crypto.randomUUID();
    const one = linkIn((await oxp({ call_id }, caller, { note: "one" })).message);
    const other = linkIn((await oxp({ call_id }, caller, { note: "other" })).message);
    expect(other).not.toBe(one);
    await uploadOn(one, REPORT);
    expect((await oxp({ call_id }, caller, { note: "other" })).message).toContain("Upload it at");
    expect((await oxp({ call_id }, caller, { note: "one" })).result.value.came).toMatchObject([{ text: REPORT }]);
  });

  it("finds the file also after its page has closed", async () => {
    const caller = newCaller();
    const call_id = crypto.randomUUID();
    await uploadOn(linkIn((await oxp({ call_id }, caller)).message), REPORT);
    travel(61 * 60_000);
    try {
      expect((await oxp({ call_id }, caller)).result.value.came).toMatchObject([{ text: REPORT }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("keeps the file for a call that may run again", async () => {
    const caller = newCaller();
    const call_id = crypto.randomUUID();
    const fails = { fails: true };
    const { message } = await oxp({ call_id }, caller, fails);
    await uploadOn(linkIn(message), REPORT);
    for (const _ of [1, 2]) {
      const { result } = await oxp({ call_id }, caller, fails);
      expect(result.error).toMatchObject({ message: "Not now", can_retry: true });
    }
  });

  it("without a key, nobody knows whose call it is: the file is attached by its id, by its owner alone", async () => {
    const caller = newCaller();
    const { message } = await oxp({}, caller);
    const [, file_id = ""] = /with the file_id "([\w-]+)"/.exec(message) ?? [];
    expect(linkIn((await oxp({}, caller)).message)).not.toBe(linkIn(message));
    await uploadOn(linkIn(message), REPORT);
    expect((await oxp({}, caller)).message).toContain("Upload it at");
    const attach = async (who: Record<string, string>) => {
      const request = { tool_id: "Echo.Files", context: { attachments: [{ file_id }] } };
      return (await postCall({ request }, undefined, who)).body;
    };
    expect((await attach(caller)).result.value.files).toMatchObject([{ name: "q3.csv", text: REPORT }]);
    expect((await attach(newCaller())).parameter_errors).toBeDefined();
  });

  it("OpenTool: the same, with an Idempotency-Key", async () => {
    const headers = { ...newCaller(), "idempotency-key": crypto.randomUUID() };
    const rpc = async () =>
      (await postRpc({ jsonrpc: "2.0", id: 1, method: "Echo_Upload", params: {} }, "/opentool/call", headers)).body;
    const { error } = await rpc();
    expect((await uploadOn(linkIn(error.message), REPORT)).status).toBe(201);
    expect((await rpc()).result.came).toMatchObject([{ text: REPORT }]);
  });

  it("too many files: the call fails, says so, and may be repeated", async () => {
    const caller = newCaller();
    for (let count = 0; count < 100; count++) await oxp({}, caller);
    const { result } = await oxp({}, caller);
    expect(result.error).toMatchObject({ message: expect.stringContaining("too many files"), can_retry: true });
  });
});

describe("the author's mistakes", () => {
  it("in `accept` are an internal error for the caller", async () => {
    const { body } = await postCall({ request: { tool_id: "Echo.Upload", input: { accept: ["csv"] } } });
    expect(body.result.error.message).toBe("The tool failed because of an internal error.");
  });
});

it("a file from the page, one that was uploaded and one of a host are the same to the tool", async () => {
  const caller = newCaller();
  const asked = await round({}, {}, caller);
  await uploadOn(urlsOf(asked)[0] ?? "", REPORT);
  const { result } = await round({}, answered(asked), caller);
  const id = await uploaded(REPORT, caller);
  const request = { tool_id: "Echo.Files", context: { attachments: [{ file_id: id }] } };
  const { body } = await postCall({ request }, undefined, caller);
  const same = ({ name, type, size, sha256 }: Record<string, unknown>) => ({ name, type, size, sha256 });
  expect(same(body.result.value.files[0])).toEqual(same(result.structuredContent.came[0]));
});
