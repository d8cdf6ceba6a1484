import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
import { type Account, type Fetch, failure, request, toAccount } from "./_twilio.ts";

/** Twilio's limit for one message body (error 21617). */
const MAX_CHARACTERS = 1_600;

export default defineTool({
  version: "0.1.2",
  description: "Sends SMS messages using Twilio. Requires a valid TWILIO_API_KEY.",
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  requirements: { secrets: ["TWILIO_API_KEY"] },
  // The number to send from, or the SID of a messaging service. Left out: the account's first phone number.
  env: ["TWILIO_FROM"],
  input: v.object({
    to: v.pipe(
      v.string(),
      v.check((to) => to.trim() !== "", "Must not be empty"),
      v.description("Recipient phone number."),
    ),
    message: v.pipe(
      v.string(),
      v.check((message) => message.trim() !== "", "Must not be empty"),
      v.check((message) => [...message].length <= MAX_CHARACTERS, `Must have at most ${MAX_CHARACTERS} characters`),
      v.description("Message content to send."),
    ),
  }),
  output: v.object({
    status: v.pipe(v.string(), v.description("Status of the SMS sending operation.")),
  }),
  async run({ to, message }, ctx) {
    const account = toAccount(ctx.secrets.TWILIO_API_KEY);
    const { TWILIO_FROM } = ctx.env;
    const from = typeof TWILIO_FROM === "string" && TWILIO_FROM ? TWILIO_FROM : await firstNumber(ctx.fetch, account);
    // The last moment at which a caller that has gone can still be spared the message.
    ctx.signal.throwIfAborted();
    const sender = /^MG[0-9a-f]{32}$/i.test(from) ? { MessagingServiceSid: from } : { From: from };
    return { status: await send(ctx.fetch, account, new URLSearchParams({ To: to.trim(), ...sender, Body: message })) };
  },
});

async function send(fetch: Fetch, account: Account, form: URLSearchParams): Promise<string> {
  let response: Response;
  try {
    response = await request(fetch, account, "/Messages.json", form);
  } catch (cause) {
    // The request may have arrived, and sending it again may send the message twice: a person decides.
    throw new ToolError("The connection to Twilio broke: the message may or may not have been sent", {
      developerMessage: "Look into Twilio's message log before sending again",
      canRetry: false,
      cause,
    });
  }
  if (!response.ok) throw await failure(response, account);
  // Whatever its answer looks like, Twilio has taken the message: a failure from here on would ask for a second one.
  const sent = (await response.json().catch(() => null)) as { status?: unknown } | null;
  return typeof sent?.status === "string" ? sent.status : "accepted";
}

async function firstNumber(fetch: Fetch, account: Account): Promise<string> {
  let response: Response;
  try {
    response = await request(fetch, account, "/IncomingPhoneNumbers.json?PageSize=1");
  } catch (cause) {
    throw new ToolError("Twilio could not be reached; nothing was sent", {
      canRetry: true,
      retryAfterMs: 1_000,
      cause,
    });
  }
  if (!response.ok) throw await failure(response, account);
  const list = (await response.json().catch(() => null)) as {
    incoming_phone_numbers?: readonly { phone_number?: unknown }[];
  } | null;
  const number = list?.incoming_phone_numbers?.[0]?.phone_number;
  if (typeof number === "string") return number;
  throw new ToolError("The Twilio account has no phone number to send from", {
    developerMessage: "Buy a number in Twilio's console, or set the Worker variable TWILIO_FROM",
  });
}
