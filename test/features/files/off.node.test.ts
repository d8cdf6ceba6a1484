/** A deployment whose tools take files, and which has no place for them: the answers say so. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { callMcp, presign, serveFiles } from "../../support/node/files.ts";
import { postJson } from "../../support/node/http.ts";
import { type Long, WORKFLOW } from "../../support/node/long.ts";

let server: Long;
let url: string;
beforeAll(async () => {
  server = await serveFiles({}, WORKFLOW);
  url = server.url;
});
afterAll(() => server?.stop());

const callOxp = (tool_id: string, more: object) => postJson(`${url}/tools/call`, { request: { tool_id, ...more } });
const callOpenTool = (method: string, more: object) =>
  postJson(`${url}/opentool/call`, { jsonrpc: "2.0", id: 1, method, ...more });

it("has no endpoints of files, like a deployment whose tools take none", async () => {
  expect((await presign(url, {})).status).toBe(404);
  expect((await fetch(`${url}/api/v1/files/x?download=a.b`)).status).toBe(404);
});

it("refuses calls with attachments as invalid, over every protocol, and runs others", async () => {
  const attachments = [{ file_id: "f" }];
  const message = "This server stores no files: call without attachments";
  for (const tool of ["Take", "Work"]) {
    const input = tool === "Work" ? { name: "x" } : {};
    const oxp = await callOxp(`Kit.${tool}`, { input, context: { attachments } });
    expect([oxp.status, oxp.body]).toEqual([
      422,
      expect.objectContaining({ parameter_errors: { attachments: message } }),
    ]);
    const error = { code: -32602, message: expect.stringContaining(message) };
    expect((await callMcp(url, `Kit_${tool}`, { ...input, attachments })).error).toMatchObject(error);
    const host_files = { file_id: "f", download_url: "https://example.com" };
    expect((await callMcp(url, `Kit_${tool}`, { ...input, host_files })).error).toMatchObject(error);
    const opentool = await callOpenTool(`Kit_${tool}`, { params: input, context: { attachments } });
    expect(opentool.body.error).toMatchObject({ code: 422, message: expect.stringContaining(message) });
  }
  expect((await callMcp(url, "Kit_Take", {})).result.content).toEqual([{ type: "text", text: "[]" }]);
  expect((await callMcp(url, "Kit_Take", { attachments: [], host_files: [] })).result.content).toEqual([
    { type: "text", text: "[]" },
  ]);
  expect((await callOxp("Kit.Take", {})).body.result.value).toEqual([]);
  expect((await callOpenTool("Kit_Take", {})).body.result).toEqual({ value: [] });
});

it("refuses malformed attachments as malformed", async () => {
  const mcp = await callMcp(url, "Kit_Take", { host_files: "f" });
  expect(mcp.error).toMatchObject({ code: -32602, message: expect.stringContaining("host_files must be a list") });
});

it("fails a tool that asks for a file, and says what its operator has to do", async () => {
  const { body } = await callOxp("Kit.Ask", {});
  const message = "This server stores no files: its operator has to bind FILES and FILE_RECORDS (docs/files.md)";
  expect(body.result).toMatchObject({ success: false, error: { message } });
});
