/** Twilio's REST API as a tool needs it: credentials from one secret, requests, failures in words without the secret. */
import { ToolError } from "#tool";

const API = "https://api.twilio.com/2010-04-01";

/** Shorter than a tool's own time limit, after which the server would tell the caller to try again. */
const REQUEST_TIMEOUT_MS = 20_000;

const HINT = "The value of TWILIO_API_KEY is AccountSid:AuthToken, or AccountSid:ApiKeySid:ApiKeySecret";

export interface Account {
  readonly url: string;
  readonly authorization: string;
  /** What must not appear in any message. */
  readonly secrets: readonly string[];
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** @throws {ToolError} without a word of the secret, where it has neither of the two forms */
export function toAccount(secret: string): Account {
  const [, account, user, password] = /^(AC[0-9a-f]{32}):(?:(SK[0-9a-f]{32}):)?([!-9;-~]+)$/i.exec(secret.trim()) ?? [];
  if (account === undefined || password === undefined) {
    throw new ToolError("The secret TWILIO_API_KEY is not of a form that Twilio takes", { developerMessage: HINT });
  }
  const secrets = [account, password, ...(user === undefined ? [] : [user])];
  return {
    url: `${API}/Accounts/${account}`,
    authorization: `Basic ${btoa(`${user ?? account}:${password}`)}`,
    secrets,
  };
}

/** @throws whatever fetch throws: whether that may be tried again, only the caller of this knows */
export function request(fetch: Fetch, account: Account, path: string, form?: URLSearchParams): Promise<Response> {
  return fetch(`${account.url}${path}`, {
    method: form === undefined ? "GET" : "POST",
    headers: { accept: "application/json", authorization: account.authorization },
    ...(form && { body: form }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
}

/** An answer of Twilio that is not a success, as what to tell the caller. */
export async function failure(response: Response, account: Account): Promise<ToolError> {
  const { status } = response;
  const { code, message } = await problemOf(response);
  const developerMessage = `Twilio answered ${status}${code === undefined ? "" : `, error ${code}`}`;
  if (status === 429 || status >= 500) {
    return new ToolError(status === 429 ? "Twilio takes no more requests for now" : "Twilio failed", {
      developerMessage,
      // 429, 500 and 503 come from Twilio itself, which has refused. A gateway says 502 and 504 when it lost sight of
      // the request: the message may be on its way.
      canRetry: status !== 502 && status !== 504,
      retryAfterMs: retryAfterMs(response),
    });
  }
  if (status === 401) {
    return new ToolError("Twilio does not accept the credentials in the secret TWILIO_API_KEY", {
      developerMessage: `${developerMessage}. ${HINT}`,
    });
  }
  const said = message === undefined ? ` with status ${status}` : `: ${withoutSecrets(message, account)}`;
  const number = code === undefined ? "" : ` (Twilio error ${code})`;
  return new ToolError(`Twilio refused the request${said}${number}`, {
    developerMessage,
    ...(aboutRecipient(code) && {
      canRetry: true,
      additionalPromptContent: "to takes a phone number in E.164 form: + and country code first, then digits only",
    }),
  });
}

/** Twilio's errors 21211, 21214 and 21217: `To` is no phone number. Nothing was sent, and a model can write it better. */
function aboutRecipient(code: number | undefined): boolean {
  return code === 21211 || code === 21214 || code === 21217;
}

async function problemOf(response: Response): Promise<{ code?: number; message?: string }> {
  const body = (await response.json().catch(() => null)) as { code?: unknown; message?: unknown } | null;
  return {
    ...(typeof body?.code === "number" && { code: body.code }),
    ...(typeof body?.message === "string" && body.message !== "" && { message: body.message }),
  };
}

/** Twilio's messages name the path that was asked for, and with it the account. */
function withoutSecrets(text: string, { secrets }: Account): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "…"), text);
}

function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get("retry-after"));
  return seconds > 0 ? seconds * 1_000 : undefined;
}
