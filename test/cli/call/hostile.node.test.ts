/** `npm run call` with servers that are after the person's machine: their terminal, their files, their network, their time. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { NotDone } from "../../../src/cli/call/protocols/connection.ts";
import { recorder } from "../../../src/cli/call/recorder.ts";
import { runCall } from "../../support/node/call.ts";
import { isSlow } from "../../support/tier.ts";

const ROOT = `${import.meta.dirname}/../../..`;
/** Sets the title of a terminal, colours, and both again as C1 controls; turns the direction of text. */
const TRICKS = "\u001b]0;title\u0007\u001b[31m\u009b31m\u202e";
/** What a terminal would obey. */
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

const tool = (name: string, properties: object, more: object = {}) => ({
  ...{ id: `Odd.${name}@1.0.0`, name: `Odd_${name}`, version: "1.0.0", description: "Is odd.", output_schema: {} },
  input_schema: { parameters: { type: "object", properties } },
  ...more,
});
const LISTING = [
  tool(
    `Tricks${TRICKS}`,
    { [`p${TRICKS}`]: { enum: [`a b${TRICKS}`], default: TRICKS }, q: { type: [`t${TRICKS}`], format: TRICKS } },
    { name: "Odd_Tricks", version: `1.0.0${TRICKS}` },
  ),
  tool("True", { anything: true, nothing: false, list: { type: "array", items: true }, either: { anyOf: [true] } }),
];

const uploads: { method: string | undefined; path: string | undefined }[] = [];
let calls = 0;
let [atOnce, mostAtOnce] = [0, 0];
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = await textOf(request);
    const [, kind = "", path = ""] = /^\/(\w+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const json = (status: number, answer: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    if (path === "/tools") return json(200, { tools: LISTING });
    if (path === "/tools/call" && kind === "endless") return writeForever(response);
    if (path === "/tools/call") {
      return json(200, { result: { success: true, duration: 0, value: JSON.parse(body).request.input } });
    }
    if (path.endsWith("/presign-upload")) {
      if (kind === "html") return void response.end(`<html>${TRICKS}`);
      if (kind === "cut") return void response.destroy();
      if (kind === "moved") return void response.writeHead(307, { location: `${url}/inside/x` }).end();
      const upload_url = kind === "inward" ? `http://localhost:${portOf(server)}/inside/x` : `${url}/${kind}/upload`;
      return json(200, { file_id: "f", upload_url, method: "DELETE", headers: {} });
    }
    if (path === "/upload" || kind === "inside") {
      uploads.push({ method: request.method, path: request.url });
      return json(kind === "inside" ? 200 : 404, {});
    }
    if (path === "/mcp" && request.method === "POST" && kind !== "oxp") return mcp(kind, body, request, response);
    json(404, {});
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${portOf(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  calls = 0;
  uploads.length = 0;
});

const portOf = (of: Server) => (of.address() as AddressInfo).port;

async function textOf(request: IncomingMessage) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

function writeForever(response: ServerResponse, type = "application/json") {
  response.writeHead(200, { "content-type": type }).write("data: ");
  const blanks = Buffer.alloc(1 << 20, " ");
  const more = () => {
    while (!response.destroyed && response.write(blanks));
  };
  response.on("drain", more);
  more();
}

function mcp(kind: string, body: string, request: IncomingMessage, response: ServerResponse) {
  const { id, method } = JSON.parse(body);
  const answer = (more: object) =>
    void response
      .writeHead(id === undefined ? 202 : 200, { "content-type": "application/json" })
      .end(id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, ...more }));
  if (method === "initialize") {
    const serverInfo = { name: "theirs", version: "1" };
    return answer({ result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "tools/list") return answer({ result: { tools: [{ name: "go", inputSchema: { type: "object" } }] } });
  if (method === "resources/read" && kind === "links") {
    calls++;
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    setTimeout(() => {
      atOnce--;
      answer({ result: { contents: [{ uri: "maps://a", text: "x" }] } });
    }, 5);
    return;
  }
  if (method !== "tools/call") return answer({ error: { code: -32_601, message: "Method not found" } });
  calls++;
  if (kind === "endless") return writeForever(response, "text/event-stream");
  if (kind === "echo") return answer({ error: { code: -32_000, message: `no key: ${request.headers.authorization}` } });
  if (kind === "links") {
    const link = (at: number) => ({ type: "resource_link", uri: `maps://${at}`, name: `${at}` });
    const web = { type: "resource_link", uri: "https://maps.example/", name: "web" };
    return answer({ result: { content: [...Array.from({ length: 1_000 }, (_, at) => link(at)), web] } });
  }
  if (kind === "value") return answer({ result: { content: [], structuredContent: { text: TRICKS } } });
  answer({ result: { content: [{ type: "text", text: "made task 7" }], _meta: { task_id: "7", retry_after_ms: 1 } } });
}

const call = (kind: string, args: readonly string[], env: Record<string, string> = {}) =>
  runCall(ROOT, [...args, "--timeout", "20", "--url", `${url}/${kind}`], { env });
const overMcp = (kind: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
  call(kind, ["go", ...args, "--protocol", "mcp"], env);

describe("nothing that a terminal obeys is printed", () => {
  it.each([
    ["in a list", []],
    ["in help", ["Odd_Tricks", "--help"]],
    ["about an input", ["Odd_Tricks", "q=1", "x=1"]],
    ["about a version", ["Odd_Tricks@3"]],
  ])("%s", async (_, args) => {
    const { stdout, stderr } = await call("oxp", args);
    expect(stdout + stderr).toContain("Tricks");
    expect(stdout + stderr).not.toMatch(OBEYED);
  });

  it("in a result, which JSON can still say", async () => {
    const { stdout } = await overMcp("value");
    expect(stdout).not.toMatch(OBEYED);
    expect(JSON.parse(stdout)).toEqual({ text: TRICKS });
  });
});

it("a schema that is only true is a schema", async () => {
  const { stdout } = await call("oxp", []);
  expect(stdout).toContain("Odd.True [anything=…] [nothing=…] [list=…] [either=…]");
  const called = await call("oxp", ["Odd.True", "anything=1", "list=a", "list=2", "either=x"]);
  expect(JSON.parse(called.stdout)).toEqual({ anything: 1, list: ["a", 2], either: "x" });
});

it("a server that speaks OXP only is called over OXP", async () => {
  expect(await call("oxp", ["Odd.True"])).toMatchObject({ code: 0, stdout: "{}\n", stderr: "" });
});

it("a tool of others is called once, also if its result has a task_id", async () => {
  expect(await overMcp("task")).toMatchObject({ code: 0, stdout: "made task 7\n" });
  expect(calls).toBe(1);
});

it("a server cannot have more than 100 linked resources read, nor several at once", async () => {
  const { code, stderr } = await overMcp("links", ["--out", mkdtempSync(join(tmpdir(), "trivet-test-"))]);
  expect({ code, calls, mostAtOnce }).toEqual({ code: 0, calls: 101, mostAtOnce: 1 });
  expect(stderr).toContain("linked resources that were not read: 900");
  expect(stderr).toContain("web: https://maps.example/");
});

it("a key that a server repeats is not shown", async () => {
  const { stderr } = await overMcp("echo", [], { TRIVET_KEY: "trivet_very-secret" });
  expect(stderr).toBe("no key: Bearer [redacted]\n");
});

// The official client of MCP has no limit: the command ends after 128 MiB, which take a while.
it.runIf(isSlow)("an endless answer over mcp ends the command", () => endsAt("go", "mcp"));
it("an endless answer over oxp ends the command", () => endsAt("Odd.True", "oxp"));
it("an answer that is longer than the limit is cut off there", async () => {
  const failed: NotDone[] = [];
  const { fetch, last } = recorder((reason) => failed.push(reason), 1_000_000);
  const answer = await fetch(`${url}/endless/tools/call`, { method: "POST", body: "{}" });
  await expect(answer.text()).rejects.toThrow("is longer than 1000000 bytes");
  expect(failed).toMatchObject([{ reason: "unreachable" }]);
  expect(last()).toBeUndefined();
});

async function endsAt(name: string, protocol: string): Promise<void> {
  const { code, stderr } = await call("endless", [name, "--protocol", protocol]);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringMatching(/is longer than \d+ bytes/) });
}

describe("a file to upload", () => {
  const file = join(mkdtempSync(join(tmpdir(), "trivet-test-")), "q3.csv");
  writeFileSync(file, "a,b\n");

  it("is only put, and to the server that was named", async () => {
    expect(await overMcp("here", ["--attach", file])).toMatchObject({ code: 3 });
    expect(uploads).toEqual([{ method: "PUT", path: "/here/upload" }]);
  });

  it.each([
    ["inward", 3, "is not sent there"],
    ["moved", 4, "fetch failed|redirect"],
    ["html", 4, "does not say where files are uploaded to"],
    ["cut", 4, "There is no server at"],
  ])("is not sent elsewhere: %s", async (kind, code, said) => {
    const failed = await overMcp(kind, ["--attach", file]);
    expect(failed).toMatchObject({ code, stderr: expect.stringMatching(said) });
    expect(failed.stderr).not.toMatch(OBEYED);
    expect(failed.stderr).not.toContain("    at ");
    expect({ uploads, calls }).toEqual({ uploads: [], calls: 0 });
  });
});
