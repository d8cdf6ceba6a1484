import * as v from "valibot";
import { defineTool, retryAfterMs, ToolError } from "#tool";

const MESSAGES = "https://gmail.googleapis.com/gmail/v1/users/me/messages";
const MAX_EMAILS = 10;

interface MessageList {
  readonly messages?: readonly { readonly id: string }[];
}

interface Message {
  readonly id: string;
  readonly snippet?: string;
  readonly payload?: { readonly headers?: readonly { readonly name: string; readonly value: string }[] };
}

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
  input: v.object({
    query: v.optional(v.pipe(v.string(), v.description("Search query for filtering emails."))),
  }),
  output: v.object({
    emails: v.pipe(
      v.array(v.object({ id: v.string(), subject: v.string(), snippet: v.string() })),
      v.description("List of retrieved emails."),
    ),
  }),
  async run({ query }, ctx) {
    const token = ctx.authorization.google;
    // Otherwise, Headers throws an error that may contain the token.
    if (/[^!-~]/.test(token)) throw new ToolError("The Google token is not an OAuth access token");

    const get = async (address: string): Promise<Response> => {
      const init = { headers: { authorization: `Bearer ${token}` }, signal: ctx.signal };
      const response = await ctx.fetch(address, init).catch(unreadable);
      if (!response.ok && response.status !== 404) throw await refusal(response);
      return response;
    };
    const search = new URLSearchParams({ ...(query && { q: query }), maxResults: `${MAX_EMAILS}` });
    const found = await get(`${MESSAGES}?${search}`);
    if (!found.ok) throw new ToolError("This Google account has no Gmail mailbox");
    const { messages = [] } = await found.json<MessageList>().catch(unreadable);
    const emails = messages.slice(0, MAX_EMAILS).map(async ({ id }) => {
      const response = await get(`${MESSAGES}/${encodeURIComponent(id)}?format=metadata&metadataHeaders=Subject`);
      // A message may be deleted between the two requests. Leave it out.
      return response.ok ? [toEmail(await response.json<Message>().catch(unreadable))] : [];
    });
    return { emails: (await Promise.all(emails)).flat() };
  },
});

const MEANINGS: Record<number, string> = {
  400: "Gmail does not accept this search query",
  401: "The Google token has expired: sign in to Google again",
  403: "The Google token may not read Gmail: it needs the scope gmail.readonly",
};

async function refusal(response: Response): Promise<ToolError> {
  const { status } = response;
  // Google's own message is not passed on, because it may repeat confidential parts of the request.
  const isLimit = status === 429 || /(rateLimit|quota)Exceeded/i.test(await response.text());
  const meaning = isLimit ? "Gmail accepts no more requests for now" : MEANINGS[status];
  return new ToolError(meaning ?? `Gmail failed with status ${status}`, {
    canRetry: isLimit || status >= 500,
    retryAfterMs: retryAfterMs(response),
  });
}

function unreadable(cause: unknown): never {
  throw new ToolError("Gmail could not be reached", { canRetry: true, cause });
}

const ESCAPED: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

/** Gmail escapes snippets for HTML; this undoes it. */
function toEmail({ id, snippet = "", payload }: Message) {
  return {
    id,
    subject: payload?.headers?.find(({ name }) => /^subject$/i.test(name))?.value ?? "",
    snippet: snippet.replace(/&(lt|gt|quot|#39|amp);/g, (_, name) => ESCAPED[name] ?? ""),
  };
}
