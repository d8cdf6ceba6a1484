import * as v from "valibot";
import { defineTool, retryAfterMs, ToolError } from "#tool";

const API = "https://api.twilio.com/2010-04-01/Accounts/";

/** Shorter than a tool's own time limit, after which the server would tell the caller to try again. */
const REQUEST_TIMEOUT_MS = 20_000;

/** What Twilio answers, as far as it is read: to a message, to the question for numbers, to what it refuses. */
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
  // With the secret set on the Worker, each message costs its owner money, whoever sends it.
  scopes: ["sms:send"],
  rate: 10,
  requirements: { secrets: ["TWILIO_API_KEY"] },
  // The number to send from, or the SID of a messaging service. Left out: the account's first phone number.
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
      throw new ToolError("The secret TWILIO_API_KEY is not of a form that Twilio takes", {
        developerMessage: "It is AccountSid:AuthToken, or AccountSid:ApiKeySid:ApiKeySecret",
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
      // Whatever its answer looks like, what Twilio has taken is done: a failure would ask for a second message.
      const answer = (await response.json<Answer | null>().catch(() => null)) ?? {};
      if (!response.ok) throw refusal(response, answer, secret);
      return answer;
    };

    const unreached = new ToolError("Twilio could not be reached; nothing was sent", { canRetry: true });
    const from =
      ctx.env.TWILIO_FROM ||
      (await ask("/IncomingPhoneNumbers.json?PageSize=1", unreached)).incoming_phone_numbers?.[0]?.phone_number;
    if (typeof from !== "string") throw new ToolError("There is no phone number to send from: set TWILIO_FROM");
    // The last moment at which a caller that has gone can still be spared the message.
    ctx.signal.throwIfAborted();
    // The request may have arrived, and sending it again may send the message twice: a person decides.
    const unsure = new ToolError("The connection to Twilio broke: the message may or may not have been sent");
    const sender = /^MG/.test(from) ? "MessagingServiceSid" : "From";
    const form = new URLSearchParams({ To: to, [sender]: from, Body: message });
    const { status } = await ask("/Messages.json", unsure, form);
    return { status: typeof status === "string" ? status : "accepted" };
  },
});

function refusal(response: Response, { code, message }: Answer, secret: string): ToolError {
  const { status } = response;
  // Twilio's messages name the path that was asked for, and with it the account.
  const said = secret.split(":").reduce((text, part) => text.replaceAll(part, "…"), message ?? `status ${status}`);
  return new ToolError(`Twilio refused: ${said}`, {
    developerMessage: `Twilio error ${code}`,
    // A gateway says 502 and 504 when it lost sight of the request: the message may be on its way. The codes are about
    // a recipient that is no phone number: a model can write it better.
    canRetry: [429, 500, 503].includes(status) || /^212(11|14|17)$/.test(`${code}`),
    retryAfterMs: retryAfterMs(response),
  });
}
