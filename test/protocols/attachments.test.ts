/** A caller's attached files reach a tool over every protocol, with the same rules. */
import { describe, expect, it } from "vitest";
import { send } from "../support/http.ts";
import { call, mcp } from "../support/mcp.ts";
import { eventsOf, postRpc } from "../support/opentool.ts";
import { call as callOxp } from "../support/oxp.ts";

/** A call's result: the tool's value, or the message of its refusal and the status of the answer. */
interface Came {
  readonly value?: unknown;
  readonly refused?: string;
  readonly status: number;
}

/** Calls a tool with this value as attachments, where the protocol has them; undefined omits them. */
type Attach = (tool: string, attachments: unknown, key?: string) => Promise<Came>;

const WAYS: Record<string, Attach> = {
  async OXP(tool, attachments, key) {
    const context = attachments === undefined ? {} : { context: { attachments } };
    const { status, body } = await callOxp(`Echo.${tool}`, {}, { ...context, ...(key && { call_id: key }) });
    return { status, value: body.result?.value, refused: body.message };
  },
  async MCP(tool, attachments, key) {
    const args = { ...(attachments !== undefined && { attachments }), ...(key && { idempotency_key: key }) };
    const { status, body } = await mcp(call(`Echo_${tool}`, args));
    return { status, value: body.result?.structuredContent, refused: body.error?.message };
  },
  async OpenTool(tool, attachments, key) {
    const context = attachments === undefined ? {} : { context: { attachments } };
    const request = { jsonrpc: "2.0", id: 1, method: `Echo_${tool}`, params: {}, ...context };
    const { status, body } = await postRpc(request, "/opentool/call", key ? { "idempotency-key": key } : {});
    return { status, value: body.error ? undefined : body.result, refused: body.error?.message };
  },
  async "OpenTool's stream"(tool, attachments, key) {
    const context = attachments === undefined ? {} : { context: { attachments } };
    const { status, text } = await send("/opentool/streamCall", {
      method: "POST",
      headers: { "content-type": "application/json", ...(key && { "idempotency-key": key }) },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: `Echo_${tool}`, params: {}, ...context }),
    });
    const { error, result } = eventsOf(text)[1]?.data ?? {};
    return { status, value: error ? undefined : result, refused: error?.message };
  },
};

const FILE = { file_id: "file_abc123", filename: "q3.pdf", content_type: "application/pdf" };
const READ = { fileId: "file_abc123", filename: "q3.pdf", contentType: "application/pdf" };

describe.each(Object.entries(WAYS))("over %s", (way, attach) => {
  it.each<[string, unknown, unknown]>([
    ["all that is known of a file", [FILE], [READ]],
    ["a file's id alone", [{ file_id: "f" }], [{ fileId: "f" }]],
    ["nulls for what is not known", [{ file_id: "f", filename: null, content_type: null }], [{ fileId: "f" }]],
    ["several, in their order", [FILE, { file_id: "g", more: 1 }], [READ, { fileId: "g" }]],
    ["an empty list", [], []],
    ["null", null, []],
    ["nothing", undefined, []],
  ])("%s", async (_, attachments, seen) => {
    expect((await attach("Files", attachments)).value).toEqual({ attachments: seen });
  });

  it("a tool gets files even if it does not declare them: declaring only lists them", async () => {
    expect((await attach("FilesUnasked", [FILE])).value).toEqual({ attachments: [READ] });
  });

  it.each([[{}], ["file"], [7], [["file"]], [[null]], [[{}]], [[{ file_id: 1 }]], [[{ file_id: "f", filename: 1 }]]])(
    "%j is refused, and the message says what a list of files is",
    async (attachments) => {
      const { status, value, refused } = await attach("Files", attachments);
      // JSON-RPC errors are a 200 with `error`.
      expect(status).toBe(way === "OXP" ? 400 : 200);
      expect(value).toBeUndefined();
      expect(refused).toMatch(/ttachments must be a list of objects with the string "file_id"/);
    },
  );

  it("the same key with other files is another call: refused", async () => {
    const key = crypto.randomUUID();
    expect((await attach("Files", [FILE], key)).value).toEqual({ attachments: [READ] });
    expect((await attach("Files", [FILE], key)).value).toEqual({ attachments: [READ] });
    expect((await attach("Files", [{ file_id: "other" }], key)).value).toBeUndefined();
    expect((await attach("Files", undefined, key)).value).toBeUndefined();
  });

  it("the same key with no files, in any notation, is the same call", async () => {
    const key = crypto.randomUUID();
    for (const none of [undefined, null, []]) {
      expect((await attach("Files", none, key)).value).toEqual({ attachments: [] });
    }
  });
});

it("OpenTool's context provides files and nothing else: no secret, no token, no user", async () => {
  const context = {
    authorization: [{ id: "google", token: "t" }],
    secrets: [{ id: "API_KEY", value: "v" }],
    user_id: "u",
  };
  const { body } = await postRpc({ jsonrpc: "2.0", id: 1, method: "Needs_Everything", params: {}, context });
  expect(body.error.message).toMatch(/authorization "google", secret "API_KEY", a user id/);
});
