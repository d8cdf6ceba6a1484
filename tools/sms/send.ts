import * as v from "valibot";
import { defineTool, retryAfterMs, ToolError } from "#tool";

const API = "https://api.twilio.com/2010-04-01/Accounts/";

/** Shorter than the tool's time limit, because after that the server tells the caller to try again. */
const REQUEST_TIMEOUT_MS = 20_000;

/** The parts of Twilio's responses that are used: for a message, for the list of numbers, and for an error. */
interface Answer {
  readonly status?: unknown;
  readonly incoming_phone_numbers?: readonly { readonly phone_number: string }[];
  readonly code?: number;
  readonly message?: string;
}

export default defineTool({
  version: "0.1.2",
  description: "Sends SMS messages using Twilio. Requires a valid TWILIO_API_KEY.",
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  // If the secret is set on the Worker, its owner pays for each message, whoever sends it.
  scopes: ["sms:send"],
  rate: 10,
  requirements: { secrets: ["TWILIO_API_KEY"] },
  // The number to send from, or the SID of a messaging service. The default is the account's first phone number.
  env: ["TWILIO_FROM"],
  input: v.object({
    to: v.pipe(v.string(), v.description("Recipient phone number.")),
    message: v.pipe(v.string(), v.description("Message content to send.")),
  }),
  output: v.object({
    status: v.pipe(v.string(), v.description("Status of the SMS sending operation.")),
  }),
  async run({ to, message }, ctx) {
    const secret = ctx.secrets.TWILIO_API_KEY.trim();
    const [, account, key, password] = /^(AC[0-9a-f]{32}):(?:(SK[0-9a-f]{32}):)?([!-9;-~]+)$/i.exec(secret) ?? [];
    if (account === undefined) {
      throw new ToolError("The secret TWILIO_API_KEY is not in a form that Twilio accepts", {
        developerMessage: "Use AccountSid:AuthToken or AccountSid:ApiKeySid:ApiKeySecret",
      });
    }
    const ask = async (path: string, lost: ToolError, body?: URLSearchParams): Promise<Answer> => {
      const response = await ctx
        .fetch(API + account + path, {
          ...(body && { method: "POST", body }),
          headers: { authorization: `Basic ${btoa(`${key ?? account}:${password}`)}` },
          signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        })
        .catch(() => {
          throw lost;
        });
      // If the response is ok but unreadable, Twilio has accepted the message: a failure would cause a second one.
      const answer = (await response.json<Answer | null>().catch(() => null)) ?? {};
      if (!response.ok) throw refusal(response, answer, secret);
      return answer;
    };

    const unreached = new ToolError("Twilio could not be reached; nothing was sent", { canRetry: true });
    const from =
      ctx.env.TWILIO_FROM ||
      (await ask("/IncomingPhoneNumbers.json?PageSize=1", unreached)).incoming_phone_numbers?.[0]?.phone_number;
    if (typeof from !== "string") throw new ToolError("There is no phone number to send from: set TWILIO_FROM");
    // The last chance to stop before the message goes out, if the caller has given up.
    ctx.signal.throwIfAborted();
    // Not retryable: the request may have arrived, so a second one may send the message twice. Let the user decide.
    const unsure = new ToolError("The connection to Twilio broke: the message may or may not have been sent");
    const sender = /^MG/.test(from) ? "MessagingServiceSid" : "From";
    const form = new URLSearchParams({ To: to, [sender]: from, Body: message });
    const { status } = await ask("/Messages.json", unsure, form);
    return { status: typeof status === "string" ? status : "accepted" };
  },
});

function refusal(response: Response, { code, message }: Answer, secret: string): ToolError {
  const { status } = response;
  // Twilio's messages contain the request's path, and with it the account.
  const reason = secret.split(":").reduce((text, part) => text.replaceAll(part, "…"), message ?? `status ${status}`);
  return new ToolError(`Twilio refused: ${reason}`, {
    developerMessage: `Twilio error ${code}`,
    // Not 502 and 504: a gateway lost the connection, and the message may be on its way. The codes mean that the
    // recipient is not a valid phone number, which a model can correct.
    canRetry: [429, 500, 503].includes(status) || /^212(11|14|17)$/.test(`${code}`),
    retryAfterMs: retryAfterMs(response),
  });
}
