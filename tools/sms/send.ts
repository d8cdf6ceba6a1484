/** A tool with a secret, whose effect costs money: it never says "try again" if the message may be on its way. */
import * as v from "valibot";
import { defineTool, retryAfterMs, ToolError } from "#tool";

const SECRET = /^(AC[0-9a-f]{32}):(?:(SK[0-9a-f]{32}):)?([!-9;-~]+)$/i;

export default defineTool({
  version: "0.1.2",
  description: "Sends SMS messages using Twilio. Requires a valid TWILIO_API_KEY.",
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  // If the secret is set on the Worker, its owner pays for each message, whoever sends it.
  scopes: ["sms:send"],
  rate: 10,
  requirements: { secrets: ["TWILIO_API_KEY"] },
  env: ["TWILIO_FROM"],
  input: v.object({
    to: v.pipe(v.string(), v.description("Recipient phone number.")),
    message: v.pipe(v.string(), v.description("Message content to send.")),
  }),
  output: v.object({ status: v.pipe(v.string(), v.description("Status of the SMS sending operation.")) }),
  async run({ to, message }, ctx) {
    const secret = ctx.secrets.TWILIO_API_KEY.trim();
    const [, account = "", key = account, password] = SECRET.exec(secret) ?? [];
    if (password === undefined) {
      throw new ToolError("The secret TWILIO_API_KEY is not in a form that Twilio accepts", {
        developerMessage: "Use AccountSid:AuthToken or AccountSid:ApiKeySid:ApiKeySecret",
      });
    }
    const from = ctx.env.TWILIO_FROM;
    if (!from) throw new ToolError("There is no phone number to send from: set TWILIO_FROM in the settings file");
    const form = { To: to, [from.startsWith("MG") ? "MessagingServiceSid" : "From"]: from, Body: message };
    const init = {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${key}:${password}`)}` },
      body: new URLSearchParams(form),
      // Shorter than the tool's time limit, because after that the caller is told to try again.
      signal: AbortSignal.timeout(20_000),
    };
    const response = await ctx
      .fetch(`https://api.twilio.com/2010-04-01/Accounts/${account}/Messages.json`, init)
      .catch(() => {
        // The request may have arrived: let the user decide whether to send it again.
        throw new ToolError("The connection to Twilio broke: the message may or may not have been sent");
      });
    type Answer = { status?: string; code?: number; message?: string };
    const answer = (await response.json<Answer | null>().catch(() => null)) ?? {};
    // If the answer is ok but unreadable, Twilio has accepted the message: an error would cause a second one.
    if (response.ok) return { status: answer.status ?? "accepted" };
    // Twilio's messages contain the request's path, and with it the account.
    const said = answer.message ?? `status ${response.status}`;
    const safe = secret.split(":").reduce((text, part) => text.replaceAll(part, "…"), said);
    throw new ToolError(`Twilio refused: ${safe}`, {
      developerMessage: `Twilio error ${answer.code}`,
      // Not 502 and 504, after which the message may be on its way. The codes mean that `to` is not a valid phone
      // number, which a model can correct.
      canRetry: [429, 500, 503].includes(response.status) || /^212(11|14|17)$/.test(`${answer.code}`),
      retryAfterMs: retryAfterMs(response),
    });
  },
});
