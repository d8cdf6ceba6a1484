/** A caller's attached files reach a tool over every protocol, with the same rules. */
import { describe, expect, it } from "vitest";
import { hashOf, newCaller, presign, uploaded } from "../support/files.ts";
import { HOST, send } from "../support/http.ts";
import { call, mcp } from "../support/mcp.ts";
import { eventsOf, postRpc } from "../support/opentool.ts";
import { postCall } from "../support/oxp.ts";

/** A call's result: the tool's value, or the message of its refusal and the status of the answer. */
interface Came {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the tool returns
  readonly value?: any;
  readonly refused?: string;
  readonly status: number;
}

interface Given {
  readonly key?: string;
  /** Headers that tell who calls. */
  readonly caller?: Record<string, string>;
}

/** Calls a tool with this value as attachments, where the protocol has them; undefined omits them. */
type Attach = (tool: string, attachments: unknown, given?: Given) => Promise<Came>;

const WAYS: Record<string, Attach> = {
  async OXP(tool, attachments, { key, caller } = {}) {
    const context = attachments === undefined ? {} : { context: { attachments } };
    const request = { tool_id: `Echo.${tool}`, input: {}, ...context, ...(key && { call_id: key }) };
    const { status, body } = await postCall({ request }, undefined, caller);
    const refused = body.parameter_errors ? JSON.stringify(body.parameter_errors) : body.message;
    return { status, value: body.result?.value, refused };
  },
  async MCP(tool, attachments, { key, caller } = {}) {
    const args = { ...(attachments !== undefined && { attachments }), ...(key && { idempotency_key: key }) };
    const { status, body } = await mcp(call(`Echo_${tool}`, args), caller);
    return { status, value: body.result?.structuredContent, refused: body.error?.message };
  },
  async OpenTool(tool, attachments, { key, caller } = {}) {
    const context = attachments === undefined ? {} : { context: { attachments } };
    const request = { jsonrpc: "2.0", id: 1, method: `Echo_${tool}`, params: {}, ...context };
    const headers = { ...caller, ...(key && { "idempotency-key": key }) };
    const { status, body } = await postRpc(request, "/opentool/call", headers);
    return { status, value: body.error ? undefined : body.result, refused: body.error?.message };
  },
  async "OpenTool's stream"(tool, attachments, { key, caller } = {}) {
    const context = attachments === undefined ? {} : { context: { attachments } };
    const { status, text } = await send("/opentool/streamCall", {
      method: "POST",
      headers: { "content-type": "application/json", ...caller, ...(key && { "idempotency-key": key }) },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: `Echo_${tool}`, params: {}, ...context }),
    });
    const { error, result } = eventsOf(text)[1]?.data ?? {};
    return { status, value: error ? undefined : result, refused: error?.message };
  },
};

const named = (file_id: string) => ({ file_id });

describe.each(Object.entries(WAYS))("over %s", (way, attach) => {
  it("files reach the tool in their order, with all that is known of them", async () => {
    const caller = newCaller();
    const one = await uploaded("a,b", caller);
    const other = await uploaded(new Uint8Array([0, 255, 1]), caller, { filename: "x.bin", content_type: "a/b" });
    const attachments = [{ file_id: other, more: 1 }, named(one)];
    const { value } = await attach("Files", attachments, { caller });
    expect(value.files).toMatchObject([
      { fileId: other, name: "x.bin", type: "a/b", size: 3, bytes: 3 },
      { fileId: one, name: "q3.csv", type: "text/csv", size: 3, text: "a,b", sha256: await hashOf("a,b") },
    ]);
    const download = await send(value.files[1].url.slice(HOST.length));
    expect([download.status, download.text]).toEqual([200, "a,b"]);
  });

  // MCP tools gateway, Attachments: "each element is { file_id, filename?, content_type? }", and is forwarded so.
  it.each([
    [
      { filename: "reports\\q3 ä.pdf", content_type: "application/pdf" },
      { name: "q3 ä.pdf", type: "application/pdf" },
    ],
    [{ filename: "a.txt" }, { name: "a.txt", type: "text/csv" }],
    [{ content_type: "text/plain; charset=utf-8" }, { name: "q3.csv", type: "text/plain; charset=utf-8" }],
    // Models write it for what they leave out.
    [
      { filename: "", content_type: null },
      { name: "q3.csv", type: "text/csv" },
    ],
  ])("a file is called in a call as its attachment says: %j", async (more, { name, type }) => {
    const caller = newCaller();
    const file_id = await uploaded("one", caller);
    const { value } = await attach("Files", [{ file_id, ...more }, named(file_id)], { caller });
    expect(value.files).toMatchObject([
      { fileId: file_id, name, type, size: 3 },
      { fileId: file_id, name: "q3.csv", type: "text/csv", size: 3 },
    ]);
    const { headers } = await send(value.files[0].url.slice(HOST.length));
    expect(headers.get("content-type")).toBe(type);
    expect(decodeURIComponent(headers.get("content-disposition") ?? "")).toBe(`attachment; filename*=UTF-8''${name}`);
  });

  it.each([
    ["filename", { filename: ".." }],
    ["filename", { filename: "a\u0000b" }],
    ["filename", { filename: "x".repeat(600) }],
    ["content_type", { content_type: "csv" }],
    ["content_type", { content_type: "text/csv\r\nx: y" }],
    // A download has it as a header: RFC 9110, section 5.6.3, knows no white space but these two.
    ...["\n", "\v", "\u2028", "\u00a0"].map((space): [string, object] => [
      "content_type",
      { content_type: `text/plain;${space}x=y` },
    ]),
  ])("what cannot be its %s is refused, with its place: %j", async (member, more) => {
    const caller = newCaller();
    const file_id = await uploaded("one", caller);
    const { refused } = await attach("Files", [{ file_id, ...more }], { caller });
    expect(refused).toContain(`attachments.0.${member}`);
  });

  it.each([[[]], [null], [undefined]])("%j is the same as no files", async (attachments) => {
    expect((await attach("Files", attachments)).value).toEqual({ files: [] });
  });

  it("a tool that does not declare that it takes files gets none, and runs", async () => {
    expect((await attach("FilesUnasked", [named("unknown")])).value).toEqual({ attachments: [] });
  });

  it("what is unknown, someone else's, or not uploaded yet is refused, with its place and what to do", async () => {
    const caller = newCaller();
    const own = await uploaded("x", caller);
    const foreign = await uploaded("x", newCaller());
    const { body: awaited } = await presign(undefined, caller);
    const attachments = ["nonsense", own, foreign, awaited.file_id].map(named);
    const { status, value, refused = "" } = await attach("Files", attachments, { caller });
    // JSON-RPC errors are a 200 with `error`.
    expect([status, value]).toEqual([way === "OXP" ? 422 : 200, undefined]);
    const gone = "does not exist, or has expired: upload it again, and attach the new file_id";
    for (const [at, message] of [
      [0, `The file "nonsense" ${gone}`],
      [2, `The file "${foreign}" ${gone}`],
      [3, `The file "${awaited.file_id}" has not been uploaded yet: send it to its upload_url, and call again`],
    ] as const) {
      const text = way === "OXP" ? JSON.stringify(message).slice(1, -1) : message;
      expect(refused).toMatch(new RegExp(`attachments\\.${at}"?: ?"?${RegExp.escape(text)}`));
    }
    expect(refused).not.toContain("attachments.1");
  });

  it("more than 20 are refused", async () => {
    expect((await attach("Files", Array(21).fill(named("x")))).refused).toContain("Must be at most 20 files");
  });

  it.each([[{}], ["file"], [7], [["file"]], [[null]], [[{}]], [[{ file_id: 1 }]], [[{ file_id: "f", filename: 1 }]]])(
    "%j is refused, and the message says what a list of files is",
    async (attachments) => {
      const { status, value, refused } = await attach("Files", attachments);
      expect(status).toBe(way === "OXP" ? 400 : 200);
      expect(value).toBeUndefined();
      expect(refused).toMatch(/ttachments must be a list of objects with the string "file_id"/);
    },
  );

  it("a repeat of a keyed call needs no file; the same key with other files is another call: refused", async () => {
    const caller = newCaller();
    const [one, other] = [await uploaded("one", caller), await uploaded("other", caller)];
    const given = { caller, key: crypto.randomUUID() };
    const { value } = await attach("Files", [named(one)], given);
    expect(value.files).toMatchObject([{ text: "one" }]);
    expect((await send(`/api/v1/files/${one}`, { method: "DELETE", headers: caller })).status).toBe(204);
    expect((await attach("Files", [named(one)], given)).value).toEqual(value);
    expect((await attach("Files", [named(other)], given)).value).toBeUndefined();
    expect((await attach("Files", undefined, given)).value).toBeUndefined();
  });

  it("a keyed call that lacked a file may be sent again when it is there", async () => {
    const caller = newCaller();
    const { body } = await presign(undefined, caller);
    const given = { caller, key: crypto.randomUUID() };
    expect((await attach("Files", [named(body.file_id)], given)).refused).toContain("has not been uploaded yet");
    await send(body.upload_url.slice(HOST.length), { method: "PUT", headers: body.headers, body: "x" });
    expect((await attach("Files", [named(body.file_id)], given)).value.files).toMatchObject([{ text: "x" }]);
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
