/** A deployment whose tools take files, and which has no place for them: the answers say so. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { callMcp, presign, serveFiles } from "../support/node/files.ts";
import { postJson } from "../support/node/http.ts";
import type { Long } from "../support/node/long.ts";

let server: Long;
let url: string;
beforeAll(async () => {
  server = await serveFiles({}, "");
  url = server.url;
});
afterAll(() => server?.stop());

it("refuses uploads with 501, and says what its operator has to do", async () => {
  const { status, body } = await presign(url, {});
  expect([status, body.message]).toEqual([501, expect.stringMatching(/stores no files: .* \(docs\/files\.md\)$/)]);
  expect((await fetch(`${url}/api/v1/files/x?download=a.b`)).status).toBe(501);
});

it("refuses calls with attachments as invalid, over every protocol, and runs others", async () => {
  const attachments = [{ file_id: "f" }];
  const message = "This server stores no files: call without attachments";
  const oxp = await postJson(`${url}/tools/call`, { request: { tool_id: "Kit.Take", context: { attachments } } });
  expect([oxp.status, oxp.body.parameter_errors]).toEqual([422, { attachments: message }]);
  const mcp = await callMcp(url, "Kit_Take", { attachments });
  expect(mcp.error).toMatchObject({ code: -32602, message: expect.stringContaining(message) });
  const host = await callMcp(url, "Kit_Take", { host_files: { file_id: "f", download_url: "https://example.com" } });
  expect(host.error.message).toContain(message);
  const rpc = { jsonrpc: "2.0", id: 1, method: "Kit_Take", context: { attachments } };
  const opentool = await postJson(`${url}/opentool/call`, rpc);
  expect(opentool.body.error).toMatchObject({ code: 422, message: expect.stringContaining(message) });
  expect((await callMcp(url, "Kit_Take", {})).result.content).toEqual([{ type: "text", text: "[]" }]);
});
