import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import definition from "./send.ts";

const ACCOUNT = "AC0123456789abcdef0123456789abcdef";
const KEY = "SK00112233445566778899aabbccddeeff";
const PASSWORD = "t0psecret-t0psecret-t0psecret-32";
const NUMBERS = `https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/IncomingPhoneNumbers.json?PageSize=1`;
const MESSAGES = `https://api.twilio.com/2010-04-01/Accounts/${ACCOUNT}/Messages.json`;
const HELLO = { to: "+4915112345678", message: "Grüße & 1+1" };

interface Result {
  readonly success: boolean;
  readonly value?: { readonly status: string };
  readonly error?: Record<string, unknown>;
}

async function post(input: unknown, secret: string) {
  const response = await exports.default.fetch("http://localhost/tools/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      request: { tool_id: "SMS.Send", input, context: { secrets: [{ id: "TWILIO_API_KEY", value: secret }] } },
    }),
  });
  const text = await response.text();
  // OXP 1.0: no part of a secret ever appears in a response.
  for (const part of [ACCOUNT, KEY, PASSWORD]) expect(text).not.toContain(part);
  return { status: response.status, body: JSON.parse(text) as { result: Result } };
}

async function send(secret = `${ACCOUNT}:${PASSWORD}`): Promise<Result> {
  return (await post(HELLO, secret)).body.result;
}

interface Sent {
  readonly call: string;
  readonly authorization: string | null;
  readonly form: Record<string, string>;
}

/** Records the requests that go out, and answers them: a GET with phone numbers, a message with the given response. */
function twilio(answer: () => Response, numbers = () => Response.json({ incoming_phone_numbers: [OWN_NUMBER] })) {
  const sent: Sent[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init);
    const { method, url, headers } = request;
    const form = method === "GET" ? {} : (Object.fromEntries(await request.formData()) as Record<string, string>);
    sent.push({ call: `${method} ${url}`, authorization: headers.get("authorization"), form });
    return method === "GET" ? numbers() : answer();
  });
  return sent;
}

const OWN_NUMBER = { phone_number: "+15005550006" };
const queued = () => Response.json({ sid: "SM1", status: "queued" }, { status: 201 });

function setFrom(value: string) {
  (env as unknown as Record<string, unknown>).TWILIO_FROM = value;
}

/** The callers that the rate limiter counted, and how many calls it allows. */
const counted: string[] = [];
let most = Infinity;

beforeEach(() => {
  counted.length = 0;
  most = Infinity;
  const limit = async ({ key }: { key: string }) => ({ success: counted.push(key) <= most });
  Object.assign(env, { RATE_10: { limit } });
});

afterEach(() => {
  vi.restoreAllMocks();
  delete (env as unknown as Record<string, unknown>).TWILIO_FROM;
});

it("sends from the account's first phone number and returns Twilio's status", async () => {
  const sent = twilio(queued);
  expect((await send()).value).toEqual({ status: "queued" });
  const authorization = `Basic ${btoa(`${ACCOUNT}:${PASSWORD}`)}`;
  expect(sent).toEqual([
    { call: `GET ${NUMBERS}`, authorization, form: {} },
    { call: `POST ${MESSAGES}`, authorization, form: { To: HELLO.to, From: "+15005550006", Body: HELLO.message } },
  ]);
});

it("an API key signs in for its account", async () => {
  const sent = twilio(queued);
  expect((await send(`${ACCOUNT}:${KEY}:${PASSWORD}`)).success).toBe(true);
  expect(sent[1]).toMatchObject({ call: `POST ${MESSAGES}`, authorization: `Basic ${btoa(`${KEY}:${PASSWORD}`)}` });
});

it.each([
  ["+15005550001", { From: "+15005550001" }],
  [`MG${ACCOUNT.slice(2)}`, { MessagingServiceSid: `MG${ACCOUNT.slice(2)}` }],
])("the Worker variable TWILIO_FROM says who sends: %s", async (from, sender) => {
  setFrom(from);
  const sent = twilio(queued);
  expect((await send()).success).toBe(true);
  expect(sent.map(({ form }) => form)).toEqual([{ To: HELLO.to, ...sender, Body: HELLO.message }]);
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
  const sent = twilio(queued);
  const { success, error } = await send(secret);
  expect(success).toBe(false);
  expect(error).toMatchObject({
    message: "The secret TWILIO_API_KEY is not in a form that Twilio accepts",
    can_retry: false,
  });
  expect(JSON.stringify(error)).not.toContain(secret);
  expect(sent).toEqual([]);
});

const problem = (status: number, code: number, message: string) => () =>
  Response.json({ status, code, message, more_info: "https://www.twilio.com/docs/errors" }, { status });

it("passes on Twilio's error about a number, which the model can correct", async () => {
  twilio(problem(400, 21211, "The 'To' number +1 is not a valid phone number."));
  expect((await send()).error).toEqual({
    message: "Twilio refused: The 'To' number +1 is not a valid phone number.",
    developer_message: "Twilio error 21211",
    can_retry: true,
  });
});

it("removes the account from Twilio's message", async () => {
  twilio(problem(404, 20404, `The requested resource /2010-04-01/Accounts/${ACCOUNT}/Messages.json was not found`));
  const { error } = await send();
  expect(error?.message).toContain("/Accounts/…/Messages.json was not found");
  expect(error?.can_retry).toBe(false);
});

it("passes on that Twilio does not accept the credentials", async () => {
  twilio(queued, problem(401, 20003, "Authenticate"));
  const { error } = await send();
  expect(error?.message).toBe("Twilio refused: Authenticate");
  expect(error?.can_retry).toBe(false);
});

it.each([
  [429, true],
  [500, true],
  [503, true],
  // If a gateway lost the connection, no one knows whether the message is on its way.
  [502, false],
  [504, false],
])("on %i: can be sent again: %s", async (status, canRetry) => {
  twilio(() => new Response("busy", { status, headers: { "retry-after": "3" } }));
  expect((await send()).error).toMatchObject({ can_retry: canRetry, retry_after_ms: 3_000 });
});

it("a connection that breaks after the message went out is never tried again: it might arrive twice", async () => {
  twilio(() => {
    throw new TypeError("Network connection lost");
  });
  expect((await send()).error).toMatchObject({
    message: "The connection to Twilio broke: the message may or may not have been sent",
    can_retry: false,
  });
});

it("a connection that breaks before anything was sent may be tried again", async () => {
  const sent = twilio(queued, () => {
    throw new TypeError("Network connection lost");
  });
  expect((await send()).error).toMatchObject({ message: expect.stringContaining("nothing was sent"), can_retry: true });
  expect(sent).toHaveLength(1);
});

it("a message that Twilio accepted is sent, even if the response cannot be read", async () => {
  twilio(() => new Response("<html>", { status: 201 }));
  expect((await send()).value).toEqual({ status: "accepted" });
});

it("an account without a phone number is told what to do", async () => {
  twilio(queued, () => Response.json({ incoming_phone_numbers: [] }));
  const { error } = await send();
  expect(error?.message).toBe("There is no phone number to send from: set TWILIO_FROM");
});

it.each([
  [21604, "A 'To' phone number is required."],
  [21602, "Message body is required."],
  [21617, "The concatenated message body exceeds the 1600 character limit"],
])("leaves it to Twilio to refuse a message, and says why (error %i)", async (code, said) => {
  twilio(problem(400, code, said));
  expect((await send()).error).toMatchObject({ message: `Twilio refused: ${said}`, can_retry: false });
});

it.each([{}, { to: "+1" }, { to: 1, message: "x" }])(
  "%o fails the input schema before anything is sent",
  async (input) => {
    const sent = twilio(queued);
    expect((await post(input, `${ACCOUNT}:${PASSWORD}`)).status).toBe(422);
    expect(sent).toEqual([]);
  },
);

it("prevents toll fraud: anonymous callers lack its scope, even if the secret is set on the Worker", () => {
  expect(definition.scopes).toEqual(["sms:send"]);
});

it("sends 10 messages a minute for one caller, and refuses more before anything is sent", async () => {
  expect(definition.rate).toBe(10);
  const sent = twilio(queued);
  most = 1;
  expect((await send()).success).toBe(true);
  sent.length = 0;
  const { status, body } = await post(HELLO, `${ACCOUNT}:${PASSWORD}`);
  expect([status, (body as unknown as { message: string }).message]).toEqual([
    429,
    expect.stringContaining("More than 10 calls"),
  ]);
  expect(sent).toEqual([]);
  expect(new Set(counted).size).toBe(1);
});
