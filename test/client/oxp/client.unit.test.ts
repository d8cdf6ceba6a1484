/** What the client makes of its options: addresses, credentials, and ids of calls. Other files send requests. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { OxpClient, type OxpClientOptions, type OxpInvalidInput, OxpUnauthorized } from "../../../src/client/oxp.ts";

const OK = () => Response.json({ result: { success: true, value: 1 } });

/** A client whose requests end here, and what it sends. */
function recording(options: Partial<OxpClientOptions> = {}, answer: (init: RequestInit) => Response = OK) {
  const sent: { readonly url: string; readonly init: RequestInit }[] = [];
  const client = new OxpClient({
    url: "https://tools.example",
    async fetch(url, init) {
      sent.push({ url, init });
      return answer(init);
    },
    ...options,
  });
  return { client, sent };
}

describe("the address", () => {
  it.each([
    ["https://tools.example", "https://tools.example/tools/call"],
    ["https://tools.example/", "https://tools.example/tools/call"],
    ["http://localhost:8787/calculator//", "http://localhost:8787/calculator/tools/call"],
    ["https://tools.example/tools", "https://tools.example/tools/call"],
    ["https://tools.example/tools/call", "https://tools.example/tools/call"],
    ["https://tools.example/calculator/tools/call/", "https://tools.example/calculator/tools/call"],
    ["https://tools.example/call", "https://tools.example/tools/call"],
    ["https://tools.example/toolshed", "https://tools.example/toolshed/tools/call"],
    ["https://tools.example/my-tools", "https://tools.example/my-tools/tools/call"],
  ])("%s: calls go to %s", async (url, expected) => {
    const { client, sent } = recording({ url });
    await client.call("A.B", {});
    expect(sent[0]?.url).toBe(expected);
  });

  it.each([
    ["tools.example", "url is not an address: write the whole of it"],
    ["", "url is not an address"],
    ["ftp://tools.example", "url begins with ftp:"],
    ["https://ada:hush@tools.example", "url has a user name or password"],
    ["https://tools.example/?key=hush", 'url ends in "?…"'],
    ["https://tools.example/#tools", 'or "#…"'],
    ["https://tools.example/mcp", "url ends in /mcp, which is the path of another protocol"],
    [
      "https://tools.example/math/opentool/call",
      "url ends in /math/opentool/call, which is the path of another protocol",
    ],
  ])("%s: %s", (url, problem) => {
    const make = () => recording({ url });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(problem);
    expect(make).not.toThrow("hush");
  });
});

describe("credentials", () => {
  it.each(["", "hush\n", " hush", "hu sh", "hüsh", 7 as never, null as never])("%j is refused", async (value) => {
    for (const member of ["apiKey", "token"]) {
      const make = () => recording({ [member]: value });
      expect(make).toThrow(TypeError);
      expect(make).toThrow(`${member} must be visible ASCII`);
      expect(make).not.toThrow("hush");
    }
    const late = recording({ token: () => value });
    await expect(late.client.call("A.B", {})).rejects.toThrow("token must be visible ASCII");
    expect(late.sent).toEqual([]);
  });

  it("are not shown with the client", () => {
    const { client } = recording({ apiKey: "hush-hush", token: "hush-hush", context: { user_id: "hush-hush" } });
    expect(Reflect.ownKeys(client)).toEqual([]);
  });

  it("are asked for once by requests that overlap, also after a 401", async () => {
    let asked = 0;
    const token = async () => `token-${++asked}`;
    const accepted = (init: RequestInit) => new Headers(init.headers).get("authorization") === "Bearer token-2";
    const { client, sent } = recording({ token }, (init) =>
      accepted(init) ? OK() : new Response("", { status: 401 }),
    );
    await Promise.all([1, 2, 3].map(() => client.call("A.B", {})));
    expect([asked, sent.length]).toEqual([2, 6]);
  });

  it("may fail to come, and come with the next call", async () => {
    let asked = 0;
    const reason = new Error("the sign-in is away");
    const token = () => (asked++ === 0 ? Promise.reject(reason) : "fresh");
    const { client } = recording({ token });
    await expect(client.call("A.B", {})).rejects.toBe(reason);
    expect((await client.call("A.B", {})).value).toBe(1);
  });

  it("that do not come in ten seconds are asked for again, after a call that waited for them was cancelled", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    const token = () => (asked++ === 0 ? new Promise<string>(() => {}) : "fresh");
    const { client } = recording({ token });
    void client.call("A.B", {});
    const waiting = () => client.call("A.B", {}, { signal: AbortSignal.timeout(20) });
    await expect(waiting()).rejects.toThrow("timeout");
    await expect(waiting()).rejects.toThrow("timeout");
    expect(asked).toBe(1);
    vi.setSystemTime(Date.now() + 10_001);
    await expect(waiting()).rejects.toThrow("timeout");
    expect((await client.call("A.B", {})).value).toBe(1);
    expect(asked).toBe(2);
  });

  it("may fail to come after the call was cancelled, unheard", async () => {
    const token = () => new Promise<string>((_, reject) => setTimeout(() => reject(new Error("late")), 5));
    const { client } = recording({ token });
    await expect(client.call("A.B", {}, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
    // Had nobody listened, vitest would fail this file.
    await new Promise((resume) => setTimeout(resume, 20));
  });

  it("are kept when there is no response", async () => {
    let asked = 0;
    const token = () => `token-${++asked}`;
    const { client } = recording({ token, retry: false }, () => {
      throw new TypeError("fetch failed");
    });
    for (const _ of [1, 2]) await expect(client.call("A.B", {})).rejects.toMatchObject({ reason: "unreachable" });
    expect(asked).toBe(1);
  });

  it("are asked for no more than once more by a request", async () => {
    let asked = 0;
    const { client, sent } = recording({ token: () => `token-${++asked}` }, () => new Response("", { status: 401 }));
    await expect(client.call("A.B", {})).rejects.toThrow(OxpUnauthorized);
    expect([asked, sent.length]).toEqual([2, 2]);
  });
});

describe("a call", () => {
  it("has a new id each time", async () => {
    const { client } = recording();
    const ids = await Promise.all([1, 2, 3].map(async () => (await client.call("A.B")).callId));
    expect(new Set(ids).size).toBe(3);
  });

  it("may have no limit of time", async () => {
    const fetch = () => new Promise<Response>((resolve) => setTimeout(() => resolve(OK()), 20));
    const { client } = recording({ fetch, timeoutMs: Number.POSITIVE_INFINITY, retry: false });
    expect((await client.call("A.B")).value).toBe(1);
  });

  it("with an input that is not JSON is a mistake of the caller, and is not sent", async () => {
    const { client, sent } = recording();
    await expect(client.call("A.B", { n: 1n })).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });
});

it("a secret that a server makes the name of a parameter is in no error", async () => {
  const secret = "secret-0123456789";
  const fetch = async () => Response.json({ parameter_errors: { [secret]: "is wrong" } }, { status: 422 });
  const client = new OxpClient({ url: "http://server", fetch, context: { secrets: [{ id: "KEY", value: secret }] } });
  const error = await client.call("Math.Add").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ parameterErrors: { "[redacted]": "is wrong" } });
  expect((error as OxpInvalidInput).promptText).not.toContain(secret);
});

it("a result with a number that loses digits is not returned as another number", async () => {
  const answering = (value: string) =>
    recording({}, () => new Response(`{"result":{"success":true,"value":${value}}}`)).client.call("A.B", {});
  await expect(answering('{"id":9007199254740993}')).rejects.toMatchObject({
    code: "unreadable",
    message: expect.stringContaining("has the number 9007199254740993, which loses digits in JavaScript"),
  });
  expect(await answering('["9007199254740993",9007199254740991,1e300]')).toMatchObject({
    value: ["9007199254740993", 9007199254740991, 1e300],
  });
});

describe("a call that still runs", () => {
  const failure = (developer_message: string | undefined) => ({
    result: { success: false, error: { message: "Later", can_retry: true, developer_message } },
  });
  const answered = (message: string | undefined, headers = {}) => Response.json(failure(message), { headers });
  /** Its body began before the call had ended. */
  const late = (message: string) =>
    new Response(`  ${JSON.stringify(failure(message))}`, { headers: { "content-type": "application/json" } });

  it.each<[string, () => Response, boolean]>([
    ["a header says so", () => answered(undefined, { "Idempotency-Running": "true" }), true],
    // docs/limits.md, Silent calls: its headers were sent before that was known.
    ["a line of a late answer says so", () => late("More\nidempotency-running: true"), true],
    ["a line of the tool's says so", () => answered("More\nidempotency-running: true"), false],
    ["a sentence only mentions it", () => answered("We send idempotency-running: true"), false],
  ])("%s", async (_, answer, isRunning) => {
    const { client } = recording({ retry: false }, answer);
    await expect(client.call("A.B", {})).rejects.toMatchObject({ code: "tool-failed", isRunning });
  });
});

describe("what a less exact server says is kept", () => {
  const failed = (more: object) => Response.json({ result: { success: false, ...more } });
  it.each<[string, () => Response, string]>([
    ["a text as error", () => failed({ error: "boom" }), "boom"],
    ["a message of the result", () => failed({ message: "boom" }), "boom"],
    ["an error within an error", () => failed({ error: { error: { message: "boom" } } }), "boom"],
    ["a detail", () => failed({ error: { code: 7, detail: "boom" } }), "boom"],
    ["an empty message, and a reason", () => failed({ error: { message: "", reason: "boom" } }), "boom"],
    ["an error in place of the result", () => Response.json({ error: "boom" }), "has no result, and says: boom"],
    ["an error object in place of it", () => Response.json({ error: { message: "boom" } }), "and says: boom"],
    ["plain text in place of JSON", () => new Response("boom"), "it is not JSON, but text/plain, and says: boom"],
    ["400, with a text as error", () => Response.json({ error: "boom" }, { status: 400 }), "boom"],
    ["400 in plain text", () => new Response("boom", { status: 400 }), "the status 400: boom"],
    ["401, with a detail", () => Response.json({ detail: "boom" }, { status: 401 }), "boom"],
    ["422, with an error", () => Response.json({ error: { message: "boom" } }, { status: 422 }), "boom"],
    ["500 in plain text", () => new Response("boom", { status: 500 }), "the status 500: boom"],
    ["a list of errors", () => failed({ error: [{ message: "one" }, "boom"] }), "one; boom"],
    ["errors within an error", () => failed({ error: { errors: ["boom"] } }), "boom"],
    [
      "422, with a list of details",
      () => Response.json({ detail: [{ loc: ["a"], msg: "boom" }] }, { status: 422 }),
      "boom",
    ],
    ["503, with a title", () => Response.json({ title: "boom" }, { status: 503 }), "the status 503: boom"],
  ])("%s", async (_, answer, message) => {
    const { client } = recording({ retry: false }, answer);
    const error = await client.call("A.B", {}).catch((error) => error);
    expect(error.message).toContain(message);
    expect(error.message).not.toContain("does not say why");
  });

  it("and a message of OXP's own is kept as long as it is", async () => {
    const message = "x".repeat(2_000);
    const answers = [failed({ error: { message } }), Response.json({ message }, { status: 400 })];
    for (const answer of answers) {
      const { client } = recording({ retry: false }, () => answer);
      expect((await client.call("A.B", {}).catch((error) => error)).message).toContain(message);
    }
  });

  it("but neither a page, nor what the client sent, nor any amount of text", async () => {
    const says = async (answer: Response) => {
      const { client } = recording({ retry: false, apiKey: "hush-hush" }, () => answer);
      return (await client.call("A.B", {}).catch((error) => error)).message;
    };
    const html = { headers: { "content-type": "text/html" }, status: 500 };
    expect(await says(new Response("<p>boom</p>", html))).not.toContain("boom");
    expect(await says(failed({ error: "not hush-hush" }))).toBe("not [redacted]");
    expect((await says(new Response("x".repeat(10_000), { status: 500 }))).length).toBeLessThan(700);
  });
});
