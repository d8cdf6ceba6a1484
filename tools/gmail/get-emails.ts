import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
import { getFromMailbox } from "./_api.ts";

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
    const search = query ? [["q", query] as const] : [];
    const list = await getFromMailbox<MessageList>(ctx, "/messages", [...search, ["maxResults", String(MAX_EMAILS)]]);
    if (list === undefined) throw new ToolError("This Google account has no Gmail mailbox");

    const messages = await Promise.all(
      (list.messages ?? []).map(({ id }) =>
        getFromMailbox<Message>(ctx, `/messages/${encodeURIComponent(id)}`, [
          ["format", "metadata"],
          ["metadataHeaders", "Subject"],
        ]),
      ),
    );
    // A message may be deleted between the two requests: it is not there, and no reason to fail.
    return { emails: messages.filter((message) => message !== undefined).map(toEmail) };
  },
});

function toEmail({ id, snippet = "", payload }: Message) {
  const subject = payload?.headers?.find(({ name }) => name.toLowerCase() === "subject")?.value ?? "";
  return { id, subject, snippet: unescapeHtml(snippet) };
}

const ESCAPED: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };

/** Gmail hands out snippets ready for a web page. */
function unescapeHtml(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (escaped) => ESCAPED[escaped] ?? escaped);
}
