import { expect, it } from "vitest";
import { callTool } from "#test";
import definition from "./send.ts";

const ACCOUNT = "AC0123456789abcdef0123456789abcdef";
const KEY = "SK00112233445566778899aabbccddeeff";
const PASSWORD = "t0psecret-t0psecret-t0psecret-32";
const MESSAGES = `POST https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/Messages.json`;
const HELLO = { to: "+4915112345678", message: "Grüße & 1+1" };

const queued = () => Response.json({ sid: "SM1", status: "queued" }, { status: 201 });

/** Sends a message; `reply` answers the request. */
async function send(reply: () => Response = queued, secret = `${ACCOUNT}:${PASSWORD}`, from = "+15005550006") {
  const result = await callTool("SMS.Send", HELLO, {
    secrets: { TWILIO_API_KEY: secret },
    env: { TWILIO_FROM: from },
    fetch: { [MESSAGES]: reply },
  });
  const returned = JSON.stringify(result.error ?? result.value);
  // OXP 1.0: no part of a secret ever appears in a response.
  for (const part of [ACCOUNT, KEY, PASSWORD]) expect(returned).not.toContain(part);
  return result;
}

it.each([
  [`${ACCOUNT}:${PASSWORD}`, `${ACCOUNT}:${PASSWORD}`],
  // An API key signs in for its account.
  [`${ACCOUNT}:${KEY}:${PASSWORD}`, `${KEY}:${PASSWORD}`],
])("sends a message and returns Twilio's status (%#)", async (secret, credentials) => {
  const { value, requests } = await send(queued, secret);
  expect(value).toEqual({ status: "queued" });
  expect(requests.map(({ headers }) => headers.get("authorization"))).toEqual([`Basic ${btoa(credentials)}`]);
  const form = Object.fromEntries((await requests[0]?.formData()) ?? []);
  expect(form).toEqual({ To: HELLO.to, From: "+15005550006", Body: HELLO.message });
});

it("sends through a messaging service", async () => {
  const service = `MG${ACCOUNT.slice(2)}`;
  const { requests } = await send(queued, undefined, service);
  expect((await requests[0]?.formData())?.get("MessagingServiceSid")).toBe(service);
});

it("says what to do if there is no number to send from", async () => {
  const { error, requests } = await send(queued, undefined, "");
  expect(error?.message).toBe("There is no phone number to send from: set TWILIO_FROM in the settings file");
  expect(requests).toEqual([]);
});

it.each([
  "TWILIO_SECRET_VALUE",
  PASSWORD,
  ACCOUNT,
  `${ACCOUNT}:`,
  `${KEY}:${PASSWORD}`,
  `${ACCOUNT}:${PASSWORD}:${KEY}`,
  `${ACCOUNT}/../x:${PASSWORD}`,
])("a secret of another form is refused without a request and without a word of it (%#)", async (secret) => {
  const { error, requests } = await send(queued, secret);
  expect(error?.message).toBe("The secret TWILIO_API_KEY is not in a form that Twilio accepts");
  expect(error?.canRetry).toBe(false);
  expect(JSON.stringify(error)).not.toContain(secret);
  expect(requests).toEqual([]);
});

const problem = (status: number, code: number, message: string) => () =>
  Response.json({ status, code, message, more_info: "https://www.twilio.com/docs/errors" }, { status });

it.each([
  // A model can correct a number.
  [400, 21211, "The 'To' number +1 is not a valid phone number.", true],
  [400, 21617, "The concatenated message body exceeds the 1600 character limit", false],
  [401, 20003, "Authenticate", false],
])("passes on Twilio's refusal %i, %i", async (status, code, message, canRetry) => {
  const { error } = await send(problem(status, code, message));
  expect(error).toMatchObject({ message: `Twilio refused: ${message}`, developerMessage: `Twilio error ${code}` });
  expect(error?.canRetry).toBe(canRetry);
});

it("removes the account from Twilio's message", async () => {
  const { error } = await send(problem(404, 20404, `The resource /Accounts/${ACCOUNT}/Messages.json was not found`));
  expect(error?.message).toContain("/Accounts/…/Messages.json was not found");
});

it.each([
  [429, true],
  [500, true],
  [503, true],
  // If a gateway lost the connection, no one knows whether the message is on its way.
  [502, false],
  [504, false],
])("on %i: can be sent again: %s", async (status, canRetry) => {
  const { error } = await send(() => new Response("busy", { status, headers: { "retry-after": "3" } }));
  expect(error).toMatchObject({ canRetry, retryAfterMs: 3_000 });
});

it("is not sent again if the connection breaks: the message might arrive twice", async () => {
  const { error } = await send(() => {
    throw new TypeError("Network connection lost");
  });
  expect(error?.message).toBe("The connection to Twilio broke: the message may or may not have been sent");
  expect(error?.canRetry).toBe(false);
});

it.each(["<html>", "null"])("is sent if Twilio accepted it, even if its answer is %s", async (body) => {
  expect((await send(() => new Response(body, { status: 201 }))).value).toEqual({ status: "accepted" });
});

it("prevents toll fraud: callers need its scope, and have a rate", async () => {
  const { error } = await callTool("SMS.Send", HELLO, { scopes: [] });
  expect(error).toMatchObject({ reason: "scope", message: "It needs the scopes sms:send" });
  expect(definition.rate).toBe(10);
});
