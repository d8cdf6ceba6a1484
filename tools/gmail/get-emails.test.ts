import { expect, it } from "vitest";
import { callTool } from "#test";
import definition from "./get-emails.ts";

const TOKEN = "ya29.a0AfH6SMC-not_a_real/token";

/** Reads mail from a mailbox that replies like this. */
async function getEmails(reply: (url: URL) => Response | object | Promise<Response>, query?: string, token = TOKEN) {
  const result = await callTool("Gmail.GetEmails", query === undefined ? {} : { query }, {
    authorization: { google: token },
    userId: "user_123",
    fetch: ({ url }) => reply(new URL(url)),
  });
  // OXP 1.0: no part of a token ever appears in a response.
  expect(JSON.stringify([result.error, result.error ? undefined : result.value])).not.toContain(token);
  return result;
}

function message(id: string, subject: string, snippet: string): Response {
  return Response.json({ id, snippet, payload: { headers: [{ name: "Subject", value: subject }] } });
}

it("lists what the search finds, then reads each message's subject and snippet", async () => {
  const base = "https://gmail.googleapis.com/gmail/v1/users/me/messages";
  const options = {
    authorization: { google: TOKEN },
    userId: "user_123",
    fetch: {
      [`${base}?q=is%3Aunread+from%3Aa%40b.c&maxResults=10`]: { messages: [{ id: "a1" }, { id: "b2" }] },
      [`${base}/a1?format=metadata&metadataHeaders=Subject`]: message("a1", "Hello", "it&#39;s &lt;b&gt; &amp;amp;"),
      [`${base}/b2?format=metadata&metadataHeaders=Subject`]: message("b2", "Re: Hi", ""),
    },
  };
  const { value, requests } = await callTool("Gmail.GetEmails", { query: "is:unread from:a@b.c" }, options);
  expect(value).toEqual({
    emails: [
      { id: "a1", subject: "Hello", snippet: "it's <b> &amp;" },
      { id: "b2", subject: "Re: Hi", snippet: "" },
    ],
  });
  expect(requests).toHaveLength(3);
  for (const { headers } of requests) expect(headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
});

it("reads the messages in parallel", async () => {
  let open = 0;
  let most = 0;
  const { value } = await getEmails(async ({ pathname }) => {
    if (pathname.endsWith("/messages")) return Response.json({ messages: [{ id: "1" }, { id: "2" }, { id: "3" }] });
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 5));
    open--;
    return message("x", "s", "t");
  });
  expect(value.emails).toHaveLength(3);
  expect(most).toBe(3);
});

it("without a query asks for the newest, and an empty mailbox is an empty list", async () => {
  const { value, requests } = await getEmails(() => ({ resultSizeEstimate: 0 }));
  expect(value).toEqual({ emails: [] });
  expect(new URL(requests[0]?.url ?? "").search).toBe("?maxResults=10");
});

it("leaves out a message that was deleted in between, and takes one without a subject", async () => {
  const { value } = await getEmails(({ pathname }) => {
    if (pathname.endsWith("/messages")) return { messages: [{ id: "gone" }, { id: "bare" }] };
    return pathname.endsWith("/gone") ? new Response(null, { status: 404 }) : { id: "bare" };
  });
  expect(value).toEqual({ emails: [{ id: "bare", subject: "", snippet: "" }] });
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
  const { error } = await getEmails(() => refusal(code, status, reason));
  expect(error?.message).toMatch(words);
  expect(error?.canRetry).toBe(canRetry);
});

it.each([429, 503])("on %i waits as long as Retry-After says", async (status) => {
  const { error } = await getEmails(() => new Response("busy", { status, headers: { "retry-after": "7" } }));
  expect(error).toMatchObject({ canRetry: true, retryAfterMs: 7_000 });
});

it("a failure of one message fails the call: half a list would look like a whole one", async () => {
  const { error } = await getEmails(({ pathname }) =>
    pathname.endsWith("/messages") ? { messages: [{ id: "1" }] } : refusal(401, "UNAUTHENTICATED", "x"),
  );
  expect(error?.message).toMatch(/expired/);
});

it.each([
  ["connection", () => Promise.reject(new TypeError(`Network connection lost with ${TOKEN}`))],
  ["response", () => new Response("<html>")],
])("a broken %s may be tried again: reading has no effects", async (_, reply) => {
  const { error } = await getEmails(reply);
  expect(error).toMatchObject({ message: "Gmail could not be reached", canRetry: true });
});

it("sends no token that a header cannot carry, and does not repeat it", async () => {
  const { error, requests } = await getEmails(() => ({}), undefined, "abc\ndef");
  expect(error?.message).toBe("The Google token is not an OAuth access token");
  expect(requests).toEqual([]);
});

it("needs a token and a user id", async () => {
  const { error } = await callTool("Gmail.GetEmails");
  expect(error).toMatchObject({ reason: "requirements", message: 'It requires authorization "google", a user id' });
});

it("has a scope and a rate, so that anonymous callers cannot read mail", () => {
  expect([definition.scopes, definition.rate]).toEqual([["gmail:read"], 60]);
});
