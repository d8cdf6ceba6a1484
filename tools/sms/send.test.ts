import { expect, it } from "vitest";
import { callTool } from "#test";
import definition from "./send.ts";

const ACCOUNT = "AC0123456789abcdef0123456789abcdef";
const KEY = "SK00112233445566778899aabbccddeeff";
const PASSWORD = "t0psecret-t0psecret-t0psecret-32";
const NUMBERS = `https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/IncomingPhoneNumbers.json?PageSize=1`;
const MESSAGES = `https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/Messages.json`;
const HELLO = { to: "+4915112345678", message: "Grüße & 1+1" };

type Reply = () => Response;

/** Sends a message; `reply` answers the request that sends it, and `numbers` the one for the account's numbers. */
async function send(reply: Reply, numbers: Reply = ownNumber, secret = `${ACCOUNT}:${PASSWORD}`) {
  const options = { secrets: { TWILIO_API_KEY: secret }, fetch: { [NUMBERS]: numbers, [`POST ${MESSAGES}`]: reply } };
  const result = await callTool("SMS.Send", HELLO, options);
  const returned = JSON.stringify(result.error ?? result.value);
  // OXP 1.0: no part of a secret ever appears in a response.
  for (const part of [ACCOUNT, KEY, PASSWORD]) expect(returned).not.toContain(part);
  return result;
}

const ownNumber = () => Response.json({ incoming_phone_numbers: [{ phone_number: "+15005550006" }] });
const queued = () => Response.json({ sid: "SM1", status: "queued" }, { status: 201 });

/** What the requests sent: who signed in, and the fields of the form. */
function sentIn(requests: readonly Request[]) {
  return Promise.all(
    requests.map(async (request) => ({
      authorization: request.headers.get("authorization"),
      form: request.method === "GET" ? {} : Object.fromEntries(await request.formData()),
    })),
  );
}

it("sends from the account's first phone number and returns Twilio's status", async () => {
  const { value, requests } = await send(queued);
  expect(value).toEqual({ status: "queued" });
  const authorization = `Basic ${btoa(`${ACCOUNT}:${PASSWORD}`)}`;
  expect(await sentIn(requests)).toEqual([
    { authorization, form: {} },
    { authorization, form: { To: HELLO.to, From: "+15005550006", Body: HELLO.message } },
  ]);
});

it("an API key signs in for its account", async () => {
  const { requests } = await send(queued, ownNumber, `${ACCOUNT}:${KEY}:${PASSWORD}`);
  const authorization = `Basic ${btoa(`${KEY}:${PASSWORD}`)}`;
  expect(await sentIn(requests)).toMatchObject([{ authorization }, { authorization }]);
});

it.each([
  ["+15005550001", { From: "+15005550001" }],
  [`MG${ACCOUNT.slice(2)}`, { MessagingServiceSid: `MG${ACCOUNT.slice(2)}` }],
])("the Worker variable TWILIO_FROM says who sends: %s", async (from, sender) => {
  const { requests } = await callTool("SMS.Send", HELLO, {
    secrets: { TWILIO_API_KEY: `${ACCOUNT}:${PASSWORD}` },
    env: { TWILIO_FROM: from },
    fetch: { [`POST ${MESSAGES}`]: queued },
  });
  expect(await sentIn(requests)).toMatchObject([{ form: { To: HELLO.to, ...sender, Body: HELLO.message } }]);
});

it.each([
  "TWILIO_SECRET_VALUE",
  PASSWORD,
  `${ACCOUNT}`,
  `${ACCOUNT}:`,
  `${KEY}:${PASSWORD}`,
  `${ACCOUNT}:${PASSWORD}:${KEY}`,
  `${ACCOUNT}/../x:${PASSWORD}`,
])("a secret of another form is refused without a request and without a word of it (%#)", async (secret) => {
  const { error } = await callTool("SMS.Send", HELLO, { secrets: { TWILIO_API_KEY: secret } });
  expect(error).toMatchObject({
    message: "The secret TWILIO_API_KEY is not in a form that Twilio accepts",
    canRetry: false,
  });
  expect(JSON.stringify(error)).not.toContain(secret);
});

const problem = (status: number, code: number, message: string) => () =>
  Response.json({ status, code, message, more_info: "https://www.twilio.com/docs/errors" }, { status });

it("passes on Twilio's error about a number, which the model can correct", async () => {
  const { error } = await send(problem(400, 21211, "The 'To' number +1 is not a valid phone number."));
  expect(error).toMatchObject({
    message: "Twilio refused: The 'To' number +1 is not a valid phone number.",
    developerMessage: "Twilio error 21211",
    canRetry: true,
  });
});

it("removes the account from Twilio's message", async () => {
  const message = `The requested resource /2010-04-01/Accounts/${ACCOUNT}/Messages.json was not found`;
  const { error } = await send(problem(404, 20404, message));
  expect(error?.message).toContain("/Accounts/…/Messages.json was not found");
  expect(error?.canRetry).toBe(false);
});

it("passes on that Twilio does not accept the credentials", async () => {
  const { error } = await send(queued, problem(401, 20003, "Authenticate"));
  expect(error?.message).toBe("Twilio refused: Authenticate");
  expect(error?.canRetry).toBe(false);
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

const broken = () => {
  throw new TypeError("Network connection lost");
};

it("a connection that breaks after the message went out is never tried again: it might arrive twice", async () => {
  expect((await send(broken)).error).toMatchObject({
    message: "The connection to Twilio broke: the message may or may not have been sent",
    canRetry: false,
  });
});

it("a connection that breaks before anything was sent may be tried again", async () => {
  const { error, requests } = await send(queued, broken);
  expect(error).toMatchObject({ message: expect.stringContaining("nothing was sent"), canRetry: true });
  expect(requests).toHaveLength(1);
});

it("a message that Twilio accepted is sent, even if the response cannot be read", async () => {
  expect((await send(() => new Response("<html>", { status: 201 }))).value).toEqual({ status: "accepted" });
});

it("an account without a phone number is told what to do", async () => {
  const { error } = await send(queued, () => Response.json({ incoming_phone_numbers: [] }));
  expect(error?.message).toBe("There is no phone number to send from: set TWILIO_FROM");
});

it.each([
  [21604, "A 'To' phone number is required."],
  [21602, "Message body is required."],
  [21617, "The concatenated message body exceeds the 1600 character limit"],
])("leaves it to Twilio to refuse a message, and says why (error %i)", async (code, said) => {
  const { error } = await send(problem(400, code, said));
  expect(error).toMatchObject({ message: `Twilio refused: ${said}`, canRetry: false });
});

it.each([{}, { to: "+1" }, { to: 1, message: "x" }])("%o fails the input schema", async (input) => {
  const { error } = await callTool("SMS.Send", input as never, { secrets: { TWILIO_API_KEY: `${ACCOUNT}:${KEY}` } });
  expect(error?.reason).toBe("invalid");
});

it("prevents toll fraud: callers need its scope", async () => {
  const { error } = await callTool("SMS.Send", HELLO, { scopes: [] });
  expect(error).toMatchObject({ reason: "scope", message: "It needs the scopes sms:send" });
});

it("sends 10 messages a minute for one caller, and refuses more before anything is sent", async () => {
  expect(definition.rate).toBe(10);
  const { error } = await callTool("SMS.Send", HELLO, {
    env: { RATE_10: { limit: async () => ({ success: false }) } },
  });
  expect(error).toMatchObject({
    reason: "busy",
    message: expect.stringContaining("More than 10 calls"),
    canRetry: true,
  });
});
