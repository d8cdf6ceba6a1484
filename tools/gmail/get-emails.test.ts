import { exports } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import definition from "./get-emails.ts";

const TOKEN = "ya29.a0AfH6SMC-not_a_real/token";

interface Result {
  readonly success: boolean;
  readonly value?: { readonly emails: unknown[] };
  readonly error?: Record<string, unknown>;
}

async function post(request: Record<string, unknown>) {
  const response = await exports.default.fetch("http://localhost/tools/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ request: { tool_id: "Gmail.GetEmails@1.2.0", ...request } }),
  });
  return { status: response.status, text: await response.text() };
}

async function getEmails(input: unknown = {}, token = TOKEN): Promise<Result> {
  const context = { authorization: [{ id: "google", token }], user_id: "user_123" };
  const { status, text } = await post({ input, context });
  expect(status).toBe(200);
  // OXP 1.0: no part of a token ever appears in a response.
  expect(text).not.toContain(token);
  return (JSON.parse(text) as { result: Result }).result;
}

/** Records the requests that go out, and answers each of them. */
function gmail(answer: (url: URL) => Response) {
  const sent: Request[] = [];
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init);
    sent.push(request);
    return answer(new URL(request.url));
  });
  return { sent, spy };
}

function message(id: string, subject: string, snippet: string): Response {
  return Response.json({ id, snippet, payload: { headers: [{ name: "Subject", value: subject }] } });
}

afterEach(() => {
  vi.restoreAllMocks();
});

it("lists what the search finds, then reads each message's subject and snippet", async () => {
  const { sent } = gmail(({ pathname }) => {
    if (pathname.endsWith("/messages")) return Response.json({ messages: [{ id: "a1" }, { id: "b2" }] });
    return pathname.endsWith("/a1")
      ? message("a1", "Hello", "it&#39;s &lt;b&gt; &amp;amp;")
      : message("b2", "Re: Hi", "");
  });
  const { value } = await getEmails({ query: "is:unread from:a@b.c" });
  expect(value).toEqual({
    emails: [
      { id: "a1", subject: "Hello", snippet: "it's <b> &amp;" },
      { id: "b2", subject: "Re: Hi", snippet: "" },
    ],
  });
  const base = "https://gmail.googleapis.com/gmail/v1/users/me/messages";
  expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `GET ${base}?q=is%3Aunread+from%3Aa%40b.c&maxResults=10`,
    `GET ${base}/a1?format=metadata&metadataHeaders=Subject`,
    `GET ${base}/b2?format=metadata&metadataHeaders=Subject`,
  ]);
  for (const { headers } of sent) expect(headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
});

it("reads the messages in parallel", async () => {
  let open = 0;
  let most = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { pathname } = new URL((input as Request).url);
    if (pathname.endsWith("/messages")) return Response.json({ messages: [{ id: "1" }, { id: "2" }, { id: "3" }] });
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 5));
    open--;
    return message("x", "s", "t");
  });
  expect((await getEmails()).value?.emails).toHaveLength(3);
  expect(most).toBe(3);
});

it("without a query asks for the newest, and an empty mailbox is an empty list", async () => {
  const { sent } = gmail(() => Response.json({ resultSizeEstimate: 0 }));
  expect((await getEmails()).value).toEqual({ emails: [] });
  expect(new URL(sent[0]?.url ?? "").search).toBe("?maxResults=10");
});

it("leaves out a message that was deleted in between, and takes one without a subject", async () => {
  gmail(({ pathname }) => {
    if (pathname.endsWith("/messages")) return Response.json({ messages: [{ id: "gone" }, { id: "bare" }] });
    return pathname.endsWith("/gone") ? new Response(null, { status: 404 }) : Response.json({ id: "bare" });
  });
  expect((await getEmails()).value).toEqual({ emails: [{ id: "bare", subject: "", snippet: "" }] });
});

const refusal = (code: number, status: string, reason: string) =>
  Response.json({ error: { code, status, message: `about ${TOKEN}`, errors: [{ reason }] } }, { status: code });

it.each([
  [401, "UNAUTHENTICATED", "authError", /expired/, false],
  [403, "PERMISSION_DENIED", "insufficientPermissions", /needs the scope gmail\.readonly/, false],
  [403, "PERMISSION_DENIED", "userRateLimitExceeded", /no more requests/, true],
  [404, "NOT_FOUND", "notFound", /no Gmail mailbox/, false],
  [400, "INVALID_ARGUMENT", "invalidArgument", /search query/, false],
  [429, "RESOURCE_EXHAUSTED", "rateLimitExceeded", /no more requests/, true],
  [418, "TEAPOT", "teapot", /failed with status 418/, false],
  [500, "INTERNAL", "backendError", /failed with status 500/, true],
])("says what Google's %i %s (%s) means", async (code, status, reason, words, canRetry) => {
  gmail(() => refusal(code, status, reason));
  const { success, error } = await getEmails();
  expect(success).toBe(false);
  expect(error?.message).toMatch(words);
  expect(error?.can_retry).toBe(canRetry);
});

it.each([429, 503])("on %i waits as long as Retry-After says", async (status) => {
  gmail(() => new Response("busy", { status, headers: { "retry-after": "7" } }));
  expect((await getEmails()).error).toMatchObject({ can_retry: true, retry_after_ms: 7_000 });
});

it("a failure of one message fails the call: half a list would look like a whole one", async () => {
  gmail(({ pathname }) =>
    pathname.endsWith("/messages") ? Response.json({ messages: [{ id: "1" }] }) : refusal(401, "UNAUTHENTICATED", "x"),
  );
  expect((await getEmails()).error?.message).toMatch(/expired/);
});

it("a broken connection or response may be tried again: reading has no effects", async () => {
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError(`Network connection lost with ${TOKEN}`));
  expect((await getEmails()).error).toMatchObject({ message: "Gmail could not be reached", can_retry: true });
  vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("<html>"));
  expect((await getEmails()).error).toMatchObject({ message: "Gmail could not be reached", can_retry: true });
});

it("sends no token that a header cannot carry, and does not repeat it", async () => {
  const { spy } = gmail(() => Response.json({}));
  expect((await getEmails({}, "abc\ndef")).error?.message).toBe("The Google token is not an OAuth access token");
  expect(spy).not.toHaveBeenCalled();
});

it("OXP 1.0: if requirements are present, the client MUST provide the required information", async () => {
  const { spy } = gmail(() => Response.json({}));
  const { status, text } = await post({ input: {} });
  expect(status).toBe(400);
  expect(JSON.parse(text)).toMatchObject({ missing_requirements: { user_id: true } });
  expect(text).toContain("google");
  expect(spy).not.toHaveBeenCalled();
});

it("has a scope and a rate, so that anonymous callers cannot read mail", () => {
  expect([definition.scopes, definition.rate]).toEqual([["gmail:read"], 60]);
});

it("reads 10 messages, however many the list returns", async () => {
  const { sent } = gmail(({ pathname }) =>
    pathname.endsWith("/messages")
      ? Response.json({ messages: Array.from({ length: 500 }, (_, index) => ({ id: `m${index}` })) })
      : message("m", "Hello", "Hi"),
  );
  expect((await getEmails()).value?.emails).toHaveLength(10);
  expect(sent).toHaveLength(11);
});
