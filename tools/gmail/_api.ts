/** Gmail's REST API as a tool needs it: one GET, and every way it can fail in words. Never says the token. */
import { ToolError } from "#tool";

const MAILBOX = "https://gmail.googleapis.com/gmail/v1/users/me";

/** Google's two shapes of an error body share these members (Google API errors, `google.rpc.Status`). */
interface GoogleError {
  readonly error?: { readonly status?: unknown; readonly errors?: readonly { readonly reason?: unknown }[] };
}

/** The part of a tool's context that a request takes. */
export interface Caller {
  readonly authorization: { readonly google: string };
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  readonly signal: AbortSignal;
}

/**
 * @param path below the mailbox of the token's owner: `/messages`
 * @returns undefined where there is nothing at that path
 */
export async function getFromMailbox<Body>(
  ctx: Caller,
  path: string,
  query: readonly (readonly [string, string])[],
): Promise<Body | undefined> {
  const token = ctx.authorization.google;
  // RFC 6750, section 2.1. Anything else would be refused by Headers, in an error that may repeat it.
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token)) throw new ToolError("The Google token is not an OAuth access token");
  const url = new URL(MAILBOX + path);
  for (const [name, value] of query) url.searchParams.append(name, value);

  let response: Response;
  try {
    response = await ctx.fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: ctx.signal });
  } catch (cause) {
    throw new ToolError("Gmail could not be reached", { canRetry: true, retryAfterMs: 1_000, cause });
  }
  if (response.status === 404) return undefined;
  if (!response.ok) throw await failure(response);
  try {
    return (await response.json()) as Body;
  } catch (cause) {
    throw new ToolError("Gmail's answer could not be read", { canRetry: true, retryAfterMs: 1_000, cause });
  }
}

async function failure(response: Response): Promise<ToolError> {
  const { status } = response;
  const reasons = await reasonsOf(response);
  const developerMessage = [`Gmail answered ${status}`, ...reasons].join(" ");
  const again = { developerMessage, canRetry: true, retryAfterMs: retryAfterMs(response) };
  if (status === 429 || reasons.some((reason) => /rateLimitExceeded|quotaExceeded/i.test(reason))) {
    return new ToolError("Gmail takes no more requests of this user for now", again);
  }
  if (status >= 500) return new ToolError("Gmail is not available at the moment", again);
  switch (status) {
    case 400:
      return new ToolError("Gmail does not accept this request; check the search query", { developerMessage });
    case 401:
      return new ToolError(
        "The Google token has expired or lacks the scope gmail.readonly: sign in to Google again and retry with a new token",
        { developerMessage },
      );
    case 403:
      return new ToolError(
        reasons.some((reason) => /accessNotConfigured|SERVICE_DISABLED/.test(reason))
          ? "The Gmail API is not enabled in the Google Cloud project that issued the token"
          : "Google does not let this token read the mailbox: it needs the scope gmail.readonly, and an account with Gmail",
        { developerMessage },
      );
    default:
      return new ToolError(`Gmail refused the request (${status})`, { developerMessage });
  }
}

/** Google's fixed words for what went wrong; its free text is left out, as nobody can say what it repeats. */
async function reasonsOf(response: Response): Promise<string[]> {
  const body = (await response.json().catch(() => ({}))) as GoogleError | null;
  const details = body?.error?.errors;
  const reasons = [body?.error?.status, ...(Array.isArray(details) ? details.map((item) => item?.reason) : [])];
  return reasons.filter((reason): reason is string => typeof reason === "string" && /^\w{1,64}$/.test(reason));
}

function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get("retry-after"));
  return seconds > 0 ? seconds * 1_000 : undefined;
}
