/** Bodies and keys whose bytes are not UTF-8 (RFC 8259, section 8.1): refused, and never read as U+FFFD. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { send } from "../support/http.ts";
import { shapeAt } from "../support/shapes.ts";

/** A call of a tool that counts its runs, with the given bytes as its key or as its one parameter. */
const KEYED = {
  "/tools/call": ['{"request":{"tool_id":"Counter.Bump","call_id":"', '","input":{"name":"utf-8"}}}'],
  "/mcp": [
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Counter_Bump","arguments":{"name":"utf-8","idempotency_key":"',
    '"}}}',
  ],
} as const;
const ECHO = {
  "/tools/call": ['{"request":{"tool_id":"Echo.Any","input":{"value":"', '"}}}'],
  "/mcp": ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Echo_Any","arguments":{"value":"', '"}}}'],
  "/opentool/call": ['{"jsonrpc":"2.0","id":1,"method":"Echo_Any","params":{"value":"', '"}}'],
  "/opentool/streamCall": ['{"jsonrpc":"2.0","id":1,"method":"Echo_Any","params":{"value":"', '"}}'],
} as const;

const utf8 = (text: string) => [...new TextEncoder().encode(text)];
const around = ([before, after]: readonly [string, string], bytes: readonly number[]) =>
  new Uint8Array([...utf8(before), ...bytes, ...utf8(after)]);

const HOW = ["with a Content-Length", "in pieces of unknown number"] as const;

function sendBytes(path: string, bytes: Uint8Array, how: (typeof HOW)[number]) {
  if (how === "with a Content-Length") {
    const headers = { "content-type": "application/json", "content-length": String(bytes.length) };
    return send(path, { method: "POST", headers, body: bytes });
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  return send(path, { method: "POST", headers: { "content-type": "application/json" }, body });
}

const NOT_UTF_8: [string, number[]][] = [
  ["a byte that never occurs", [0xff]],
  ["Latin-1", [0xe9]],
  ["an overlong form", [0xc0, 0xaf]],
  ["half a surrogate pair", [0xed, 0xa0, 0x80]],
  ["a character cut off", [0xf0, 0x9f, 0x98]],
  ["a number beyond Unicode's", [0xf4, 0x90, 0x80, 0x80]],
  ["a byte that continues nothing", [0x61, 0x80]],
];

describe.each(HOW)("a body sent %s", (how) => {
  describe.each(Object.entries(ECHO))("to POST %s", (path, parts) => {
    it.each(NOT_UTF_8)("with %s: 400, in the protocol's shape", async (_, bytes) => {
      const { status, body } = await sendBytes(path, around(parts, bytes), how);
      expect(status).toBe(400);
      v.parse(shapeAt(path, 400), body);
      expect(body.message ?? body.error.message).toBe("The request body is not valid UTF-8");
      if (path === "/mcp") expect(body.error.code).toBe(-32700);
    });

    it.each([
      ["U+FFFD itself", utf8("\ufffd")],
      ["U+FFFD by its number", utf8("\\ufffd")],
      ["a character of four bytes", utf8("😀")],
      ["a byte order mark within", utf8("a\ufeffb")],
    ])("with %s: is read, and returned unchanged", async (_, bytes) => {
      const { status, text } = await sendBytes(path, around(parts, bytes), how);
      expect(status).toBe(200);
      const sent = JSON.parse(
        `"${new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes))}"`,
      );
      expect(text).toContain(sent);
    });

    it("with a byte order mark before it: is read without it (Encoding standard, UTF-8 decode)", async () => {
      const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...around(parts, utf8("x"))]);
      expect((await sendBytes(path, bytes, how)).status).toBe(200);
    });
  });

  it.each(Object.entries(KEYED))(
    "to POST %s: two keys that differ in such bytes are different keys",
    async (path, parts) => {
      const begun = utf8(crypto.randomUUID());
      for (const last of [0xff, 0xfe]) {
        const { status, text } = await sendBytes(path, around(parts, [...begun, last]), how);
        expect([status, text.includes("replayed")]).toEqual([400, false]);
      }
    },
  );
});

describe("the Idempotency-Key header, which the runtime decodes as UTF-8", () => {
  const withKey = (path: keyof typeof ECHO, key: string) =>
    send(path, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: around(ECHO[path], utf8("x")),
    });

  it.each<[keyof typeof ECHO, number]>([
    ["/tools/call", 400],
    ["/opentool/call", 200],
    ["/mcp", 200],
  ])("with bytes that are not UTF-8 is refused: POST %s", async (path, status) => {
    const answer = await withKey(path, `${crypto.randomUUID()}\ufffd`);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(/dempotency.key.*1 to 255/i);
    expect(answer.text).not.toMatch(/"value":"x"/);
  });

  it("with non-ASCII characters is a key", async () => {
    expect((await withKey("/tools/call", `${crypto.randomUUID()}ä😀`)).status).toBe(200);
  });
});
