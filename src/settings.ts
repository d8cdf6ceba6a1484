/** The settings of the Worker: what each is called, what it may say, and what holds where nothing is said. */

export interface Settings {
  readonly name: string;
  readonly version: string;
  /** Whether it runs on its author's machine, open to it. */
  readonly isLocal: boolean;
  readonly isPublic: boolean;
  readonly logsCalls: boolean;
  readonly origins: readonly string[];
  readonly hosts: readonly string[];
  readonly baseScopes: readonly string[];
  /** Requests of one principal; undefined for no limit. */
  readonly ratePerMinute: number | undefined;
  readonly bodyBytes: number;
  readonly pageSize: number;
  readonly resultSeconds: number;
  readonly sessionSeconds: number;
  readonly secret: string | undefined;
  readonly issuer: string | undefined;
  readonly jwksUrl: string | undefined;
  readonly audience: string | undefined;
  readonly signingKey: string | undefined;
}

/** A value that says nothing which can be meant. */
export interface Mistake {
  readonly setting: string;
  readonly problem: string;
  readonly fix: string;
}

const DAY_SECONDS = 86_400;
/** What KV takes at the least. */
export const LEAST_TTL_SECONDS = 60;
/** A year. KV refuses a time too far off, each time that something is to be kept. */
const MOST_TTL_SECONDS = 365 * DAY_SECONDS;

/** @param env variables and secrets by name; "" is as if it were left out */
export function readSettings(env: Readonly<Record<string, unknown>>): { settings: Settings; mistakes: Mistake[] } {
  const mistakes: Mistake[] = [];
  const said = (setting: string): string | undefined => {
    const value = Object.hasOwn(env, setting) ? env[setting] : undefined;
    return value === undefined || value === "" ? undefined : String(value);
  };
  const wrong = (setting: string, fix: string) =>
    mistakes.push({ setting, problem: `${setting} is ${JSON.stringify(said(setting))}`, fix });
  const number = <None>(setting: string, none: None, unit: string, most: number, least = 1): number | None => {
    const text = said(setting);
    if (text === undefined) return none;
    const isNumber = /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
    if (!isNumber) wrong(setting, `write ${unit} as a whole number from ${least} to ${most}, in digits only, or ""`);
    return isNumber ? Number(text) : none;
  };
  const flag = (setting: string, none: boolean): boolean => {
    const text = said(setting) ?? String(none);
    if (text !== "true" && text !== "false") wrong(setting, 'write "true" or "false"');
    return text === "true";
  };
  const list = (setting: string) => (said(setting) ?? "").split(/[\s,]+/).filter((one) => one !== "");

  const settings: Settings = {
    name: said("SERVER_NAME") ?? "trivet",
    version: said("SERVER_VERSION") ?? "0.0.0",
    isLocal: flag("LOCAL", false),
    isPublic: flag("PUBLIC", false),
    logsCalls: flag("LOG_CALLS", true),
    origins: list("ALLOWED_ORIGINS"),
    hosts: list("ALLOWED_HOSTS"),
    // RFC 6749, section 3.3; and a refresh token is nothing that a resource asks for (MCP, basic/authorization).
    baseScopes: list("OAUTH_SCOPES").filter(
      (scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope) && scope !== "offline_access",
    ),
    ratePerMinute: number("RATE_PER_MINUTE", undefined, "requests a minute", 1_000_000),
    // Cloudflare takes no more of most plans, and an isolate has 128 MB for all that it does.
    bodyBytes: number("MAX_BODY_BYTES", 1_048_576, "bytes", 100_000_000),
    // Many clients read the first page only.
    pageSize: number("PAGE_SIZE", 1_000, "entries", 1_000_000),
    resultSeconds: number("IDEMPOTENCY_TTL_SECONDS", DAY_SECONDS, "seconds", MOST_TTL_SECONDS, LEAST_TTL_SECONDS),
    sessionSeconds: number("SESSION_TTL_SECONDS", DAY_SECONDS, "seconds", MOST_TTL_SECONDS, LEAST_TTL_SECONDS),
    secret: said("JWT_SECRET"),
    issuer: said("JWT_ISSUER"),
    jwksUrl: said("JWT_JWKS_URL"),
    audience: said("JWT_AUDIENCE"),
    /** Base64url, 32 bytes or more: signs session handles. Left out, the deployment makes its own. */
    signingKey: said("SIGNING_KEY"),
  };
  return { settings, mistakes };
}
