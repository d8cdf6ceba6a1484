/** A tool that calls a service with its user's OAuth token, and says what each refusal means (docs/requirements.md). */
import * as v from "valibot";
import { defineTool, retryAfterMs, ToolError } from "#tool";

const MESSAGES = "https://gmail.googleapis.com/gmail/v1/users/me/messages";
const MEANINGS: Record<number, string> = {
  400: "Gmail does not accept this search query",
  401: "The Google token has expired: sign in to Google again",
  403: "The Google token may not read Gmail: it needs the scope gmail.readonly",
  429: "Gmail accepts no more requests for now",
};
const ESCAPED: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
type Message = { id: string; snippet?: string; payload?: { headers?: { value: string }[] } };
const Email = v.object({ id: v.string(), subject: v.string(), snippet: v.string() });

export default defineTool({
  version: "1.2.0",
  description: "Retrieves emails from Gmail using OAuth 2.0 authentication.",
  annotations: { readOnly: true, openWorld: true },
  // If the token is set on the Worker, callers read its owner's mail. Each call makes up to eleven requests.
  scopes: ["gmail:read"],
  rate: 60,
  requirements: {
    authorization: [{ id: "google", oauth2: { scopes: ["https://www.googleapis.com/auth/gmail.readonly"] } }],
    userId: true,
  },
  input: v.object({ query: v.optional(v.pipe(v.string(), v.description("Search query for filtering emails."))) }),
  output: v.object({ emails: v.pipe(v.array(Email), v.description("List of retrieved emails.")) }),
  async run({ query }, ctx) {
    const token = ctx.authorization.google;
    // Otherwise, Headers throws an error that may contain the token.
    if (/[^!-~]/.test(token)) throw new ToolError("The Google token is not an OAuth access token");
    const get = async <T>(path: string): Promise<T | undefined> => {
      const init = { headers: { authorization: `Bearer ${token}` }, signal: ctx.signal };
      const response = await ctx.fetch(MESSAGES + path, init).catch(lost);
      if (response.status === 404) return undefined;
      return response.ok ? response.json<T>().catch(lost) : refuse(response);
    };
    const search = new URLSearchParams({ ...(query && { q: query }), maxResults: "10" });
    const list = await get<{ messages?: Message[] }>(`?${search}`);
    if (list === undefined) throw new ToolError("This Google account has no Gmail mailbox");
    const emails = (list.messages ?? []).map(async ({ id }) => {
      const message = await get<Message>(`/${id}?format=metadata&metadataHeaders=Subject`);
      const subject = message?.payload?.headers?.[0]?.value ?? "";
      // A message may be deleted between the two requests: leave it out. Gmail escapes snippets for HTML.
      const snippet = message?.snippet?.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ESCAPED[name] ?? "") ?? "";
      return message ? [{ id, subject, snippet }] : [];
    });
    return { emails: (await Promise.all(emails)).flat() };
  },
});

const lost = (cause: unknown) => Promise.reject(new ToolError("Gmail could not be reached", { canRetry: true, cause }));

async function refuse(response: Response): Promise<never> {
  // Google's own message is not passed on, because it may repeat confidential parts of the request.
  const status = /(rateLimit|quota)Exceeded/i.test(await response.text()) ? 429 : response.status;
  const options = { canRetry: status === 429 || status >= 500, retryAfterMs: retryAfterMs(response) };
  throw new ToolError(MEANINGS[status] ?? `Gmail failed with status ${status}`, options);
}
