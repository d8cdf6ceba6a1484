/** What `OpenToolClient` sends, and where to; and when it lets go of a connection. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FunctionCall, OpenToolClient, type OpenToolClientOptions } from "../../../src/client/opentool.ts";
import { freePort, until } from "../../support/node/fork.ts";
import { type Replaying, serveReplies } from "../support/replaying.ts";

const CALL = new FunctionCall("call-7", "add", { a: 1, text: "ä" });
const ONE = 'event:data\ndata:{"result":{"n":1}}\n\n';

let server: Replaying;
beforeAll(async () => {
  server = await serveReplies([
    { any: { echo: true } },
    { any: { body: ONE + ONE, ending: "hang" } },
    { any: { status: 307, redirects: true } },
  ]);
});
afterAll(() => server?.stop());

/** A request as the server got it. */
interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: unknown;
}

async function sentBy(options: Partial<OpenToolClientOptions>, callOptions = {}): Promise<Sent> {
  const client = new OpenToolClient({ url: `${server.url}/replies/0`, ...options });
  return (await client.call(CALL, callOptions)).result as unknown as Sent;
}

describe("a request", () => {
  it("is OpenTool's (OpenTool 1.0, Call Tool, Request Body)", async () => {
    const { method, headers, sent } = await sentBy({ apiKey: "the-key" }, { idempotencyKey: "order-1" });
    expect(method).toBe("POST");
    expect(sent).toEqual({ jsonrpc: "2.0", method: "add", params: { a: 1, text: "ä" }, id: "call-7" });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      authorization: "Bearer the-key",
      "idempotency-key": "order-1",
    });
  });

  it.each([undefined, ""])("has no credential and no key without one (%j)", async (apiKey) => {
    const { headers } = await sentBy({ apiKey });
    expect(headers).not.toHaveProperty("authorization");
    expect(headers).not.toHaveProperty("idempotency-key");
  });

  it("takes a key as it was read from a file", async () => {
    expect((await sentBy({ apiKey: "the-key\n" })).headers.authorization).toBe("Bearer the-key");
  });

  it.each([
    ["", "/opentool/call"],
    ["/", "/opentool/call"],
    ["//", "/opentool/call"],
    ["/opentool", "/opentool/call"],
    ["/opentool/", "/opentool/call"],
    ["/my-opentool", "/my-opentool/opentool/call"],
    ["/calculator/opentool", "/calculator/opentool/call"],
    ["/calculator?tenant=a#here", "/calculator/opentool/call?tenant=a"],
  ])("to the address %j goes to %s", async (path, expected) => {
    const seen: string[] = [];
    const client = new OpenToolClient({
      url: `http://host.example${path}`,
      fetch: async (url) => {
        seen.push(url);
        return Response.json({ result: {} });
      },
    });
    await client.call(CALL);
    expect(seen).toEqual([`http://host.example${expected}`]);
  });

  it("takes a URL object, and does not change it", async () => {
    const url = new URL(`${server.url}/replies/0`);
    expect((await sentBy({ url })).url).toBe("/replies/0/opentool/call");
    expect(url.pathname).toBe("/replies/0");
  });
});

describe("a client is not made", () => {
  it.each(["", "host", "/opentool", "localhost:8787", "ftp://host", "https://", "file:///opentool"])("of %j", (url) => {
    const message = "url must be the address of an OpenTool server, such as https://host/opentool";
    expect(() => new OpenToolClient({ url })).toThrow(new TypeError(message));
  });

  it.each(["https://host/mcp", "https://host/calculator/mcp/"])("of %s, another protocol's", (url) => {
    expect(() => new OpenToolClient({ url })).toThrow("which is the path of MCP: write /opentool instead, or nothing");
  });

  it("of an address with a password, which would be in messages", () => {
    const url = "https://me:hidden@host/";
    expect(() => new OpenToolClient({ url })).toThrow("url must not contain a user or password: pass apiKey");
  });

  it.each(["two words", "line\nbreak", "schlüssel", "€"])("with the key %j, which is not in the message", (apiKey) => {
    expect(() => new OpenToolClient({ url: "https://host", apiKey })).toThrow(
      new TypeError("apiKey must be visible ASCII characters, without spaces and line breaks"),
    );
  });

  it("nor a call with such an idempotency key", async () => {
    const wrong = new TypeError("idempotencyKey must be visible ASCII characters, without spaces and line breaks");
    await expect(sentBy({}, { idempotencyKey: "ü" })).rejects.toThrow(wrong);
    await expect(sentBy({}, { idempotencyKey: "" })).rejects.toThrow(wrong);
  });
});

describe("streamCall", () => {
  const streamed = (options = {}) =>
    new OpenToolClient({ url: `${server.url}/replies/1` }).streamCall(CALL, { ...options, idempotencyKey: "k" });

  it("closes the connection when the loop is left", async () => {
    const before = server.closed.length;
    for await (const { toolReturn } of streamed()) {
      expect(toolReturn.toJson()).toEqual({ id: "call-7", result: { n: 1 } });
      break;
    }
    await until(async () => server.closed.length > before);
  });

  it("ends with the caller's reason between two events, and closes the connection", async () => {
    const before = server.closed.length;
    const stop = new AbortController();
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const { toolReturn } of streamed({ signal: stop.signal })) {
        seen.push(toolReturn.result);
        if (seen.length === 2) setTimeout(() => stop.abort("enough"));
      }
    })();
    await expect(reading).rejects.toBe("enough");
    expect(seen).toEqual([{ n: 1 }, { n: 1 }]);
    await until(async () => server.closed.length > before);
  });
});

it("streamCall gives the events before the connection broke", async () => {
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const { toolReturn } of new OpenToolClient({ url: `${server.url}/replies/1` }).streamCall(CALL)) {
      seen.push(toolReturn.result);
      if (seen.length === 2) server.cut();
    }
  })();
  await expect(reading).rejects.toMatchObject({ name: "OpenToolServerNoAccessException", reason: "cut" });
  expect(seen).toEqual([{ n: 1 }, { n: 1 }]);
});

describe("without an answer", () => {
  it("a server that is not there is told by name in the cause", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const client = new OpenToolClient({ url });
    for (const asked of [client.version(), client.load(), client.call(CALL), client.streamCall(CALL).next()]) {
      await expect(asked).rejects.toMatchObject({
        name: "OpenToolServerNoAccessException",
        reason: "unreachable",
        cause: { message: expect.stringMatching(`^Cannot reach ${url}/opentool/`) },
      });
    }
  });

  it("a call's own time limit counts", async () => {
    const client = new OpenToolClient({ url: `${server.url}/replies/1`, timeoutMs: 600_000 });
    await expect(client.call(CALL, { timeoutMs: 50 })).rejects.toMatchObject({
      reason: "timeout",
      cause: { message: expect.stringContaining("within 50 ms") },
    });
  });

  it("Infinity means no limit, although timers have one", async () => {
    expect((await sentBy({ timeoutMs: Number.POSITIVE_INFINITY })).method).toBe("POST");
  });

  it("the key goes to no other host", async () => {
    const client = new OpenToolClient({ url: `${server.url}/replies/2`, apiKey: "the-key" });
    await expect(client.call(CALL)).rejects.toMatchObject({
      reason: "redirected",
      cause: { message: expect.stringContaining(`redirects to ${server.otherUrl}/opentool/call`) },
    });
    expect(server.strays).toEqual([]);
  });
});

it("a result with a number that loses digits is not returned as another number", async () => {
  const answer = (result: string) => new Response(`{"jsonrpc":"2.0","id":"call-7","result":${result}}`);
  const calling = (result: string) =>
    new OpenToolClient({ url: "https://tools.example", fetch: async () => answer(result) }).call(CALL);
  await expect(calling('{"id":-12345678901234567890}')).rejects.toThrow(
    "The result has the number -12345678901234567890, which loses digits in JavaScript: the tool has to send it as text",
  );
  expect((await calling('{"id":"12345678901234567890"}')).result).toEqual({ id: "12345678901234567890" });
});
