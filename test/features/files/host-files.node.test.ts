/** Files that a host attaches (`openai/fileParams`): fetched from a real server, and given to the tool like uploads. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callMcp, presign, serveFiles, upload } from "../../support/node/files.ts";
import { post } from "../../support/node/http.ts";
import type { Long } from "../../support/node/long.ts";

let server: Long;
let url: string;
/** Where the host keeps its files. */
let host: string;
const asked: IncomingMessage[] = [];
const NINE_MIB = 9 * 1_048_576;

/** The files of the host, by their paths. */
const FILES: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/plain": (response) => response.writeHead(200, { "content-type": "text/csv", "content-length": 3 }).end("a,b"),
  "/unknown-length": (response) => {
    response.write("a,");
    response.end("b");
  },
  "/large-unknown": (response) => {
    for (let at = 0; at < 9; at++) response.write(Buffer.alloc(NINE_MIB / 9));
    response.end();
  },
  "/too-large": (response) => response.writeHead(200, { "content-length": 100_000_001 }).write("a"),
  "/moved": (response) => response.writeHead(302, { location: "/plain" }).end(),
  "/refused": (response) => response.writeHead(403).end("secret of the host"),
};

const answering = createServer((request, response) => {
  asked.push(request);
  const answer = FILES[new URL(request.url ?? "", "http://host").pathname];
  if (answer) answer(response);
  else response.writeHead(404).end();
});

beforeAll(async () => {
  await new Promise<void>((listening) => answering.listen(0, "127.0.0.1", listening));
  const address = `127.0.0.1:${(answering.address() as AddressInfo).port}`;
  host = `http://${address}`;
  server = await serveFiles({ ALLOWED_HOSTS: address });
  url = server.url;
});
afterAll(async () => {
  answering.close();
  await server?.stop();
});

const file = (path: string, more: object = {}) => ({
  download_url: `${host}${path}`,
  file_id: crypto.randomUUID(),
  ...more,
});
const take = (host_files: unknown, more: object = {}) => callMcp(url, "Kit_Take", { host_files, ...more });
// biome-ignore lint/suspicious/noExplicitAny: what the tool returns
const taken = ({ result }: any) => JSON.parse(result.content[0].text);
const fetches = (path: string) => asked.filter(({ url }) => url?.startsWith(path)).length;

describe("a file of the host", () => {
  it("is listed as ChatGPT requires it: an argument of its own, which _meta names", async () => {
    const response = await post(`${url}/mcp`, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    const { result } = (await response.json()) as { result: { tools: Record<string, never>[] } };
    const listed = result.tools.find(({ name }) => name === "Kit_Take") as unknown as {
      _meta: unknown;
      inputSchema: { properties: Record<string, { type: string; items: unknown }> };
    };
    expect(listed._meta).toEqual({ "openai/fileParams": ["host_files"] });
    const { host_files } = listed.inputSchema.properties;
    const text = { type: "string" };
    expect([host_files?.type, host_files?.items]).toEqual([
      "array",
      {
        type: "object",
        properties: { download_url: text, file_id: text, mime_type: text, file_name: text },
        required: ["download_url", "file_id"],
      },
    ]);
  });

  it("reaches the tool like an upload, with the name and type that the host says", async () => {
    const { body } = await presign(url, { filename: "own.bin" });
    await upload(body.upload_url, [Buffer.from("own")], 3);
    const given = file("/plain?signature=1", { mime_type: "text/x-table", file_name: "folder/q3.csv" });
    const files = taken(await take([given], { attachments: [{ file_id: body.file_id }] }));
    expect(files).toMatchObject([
      { name: "own.bin", type: "a/b", text: "own" },
      { name: "q3.csv", type: "text/x-table", text: "a,b", size: 3, read: 3 },
    ]);
    expect(await (await fetch(files[1].url)).text()).toBe("a,b");
    expect(asked.at(-1)?.headers["accept-encoding"]).toBe("identity");
  });

  it("may come alone instead of in a list, without name and type, redirected, or of unknown length", async () => {
    expect(taken(await take(file("/plain")))).toMatchObject([{ name: "plain", type: "text/csv", text: "a,b" }]);
    expect(taken(await take([file("/moved")]))).toMatchObject([{ name: "moved", text: "a,b" }]);
    expect(taken(await take([file("/unknown-length")]))).toMatchObject([
      { text: "a,b", type: "application/octet-stream" },
    ]);
    expect(taken(await take([]))).toEqual([]);
    expect(taken(await take(null))).toEqual([]);
  });

  it("is fetched once, also if the call is repeated with another signature", async () => {
    const given = file("/plain?once&signature=1");
    const again = { ...given, download_url: `${given.download_url}2` };
    const before = fetches("/plain?once");
    const idempotency_key = crypto.randomUUID();
    const first = await take([given], { idempotency_key });
    const repeated = await take([again], { idempotency_key });
    expect(taken(repeated)).toEqual(taken(first));
    expect(repeated.result._meta).toEqual({ replayed: true });
    expect(taken(await take([again]))).toMatchObject([{ text: "a,b" }]);
    expect(fetches("/plain?once") - before).toBe(1);
    const other = await take([file("/plain")], { idempotency_key });
    expect(JSON.stringify(other)).toContain("was already used with other arguments");
  });

  it.each<[string, string, RegExp]>([
    ["that the host refuses", "/refused", /could not be fetched: its host answered 403; attach it again/],
    ["that is too large", "/too-large", /is too large: it may have 100000000 bytes, or 8388608 if/],
    ["of unknown length that is over 8 MiB", "/large-unknown", /is too large: it may have/],
  ])("%s is refused, and the message says so", async (_, path, message) => {
    const given = file(path);
    const { error } = await take([given]);
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
    expect(error.message).toContain(`host_files.0: The file "${given.file_id}"`);
    expect(error.message).not.toContain("secret");
  });

  it.each([
    ["http://example.com/a", /has a download_url that is not https/],
    ["file:///etc/passwd", /has a download_url that is not https/],
    ["nonsense", /has a download_url that is not https/],
    ["https://10.0.0.1/a", /is at an address that is not on the public internet/],
    ["http://localhost:1/a", /is at an address that is not on the public internet/],
  ])("at %s is refused", async (download_url, message) => {
    const { error } = await take([{ download_url, file_id: "f" }]);
    expect(error.message).toMatch(message);
  });

  it.each([["text"], [7], [[{}]], [[{ file_id: "f" }]], [[{ download_url: "https://example.com" }]]])(
    "%j is refused, and the message says what it must be",
    async (host_files) => {
      const { error } = await take(host_files);
      expect(error.message).toContain('must be a list of objects with the strings "download_url" and "file_id"');
    },
  );
});

describe("a long tool", () => {
  it("gets the files in its task, too: uploads, and those of the host, which it fetches once", async () => {
    const { body } = await presign(url, {});
    await upload(body.upload_url, [Buffer.from("own")], 3);
    const before = fetches("/plain?long");
    const args = { name: "x", attachments: [{ file_id: body.file_id }], host_files: [file("/plain?long")] };
    const value = taken(await callMcp(url, "Kit_Work", args));
    expect(value).toMatchObject({ prepared: ["own", "a,b"], texts: ["own", "a,b"] });
    expect(await (await fetch(value.urls[0])).text()).toBe("own");
    expect(value.urls[0].startsWith(`${url}/api/v1/files/`)).toBe(true);
    expect(fetches("/plain?long") - before).toBe(1);
  });

  it("whose file is missing does not run: the caller learns which", async () => {
    const { error } = await callMcp(url, "Kit_Work", { name: "y", attachments: [{ file_id: "gone" }] });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('attachments.0: The file "gone"') });
  });
});
