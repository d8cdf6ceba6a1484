/** Reads the Worker's settings from environment strings: the name, default, unit and error of each. */

export interface Settings {
  readonly name: string;
  readonly version: string;
  /** What people are shown in place of the name. */
  readonly title: string | undefined;
  /** An http or https URL. */
  readonly website: string | undefined;
  /** URLs of pictures: http, https or data. */
  readonly icons: readonly string[];
  /** Whether documents tell machines of the server (src/features/documents). */
  readonly hasDocuments: boolean;
  /** What the documents say of it: up to 100 characters. */
  readonly description: string | undefined;
  /** Its name in directories: `com.example/weather`. */
  readonly registryName: string | undefined;
  /** Whether the Worker runs on a developer's machine, open to that machine. */
  readonly isLocal: boolean;
  readonly isPublic: boolean;
  readonly logsCalls: boolean;
  readonly origins: readonly string[];
  readonly privateHosts: readonly string[];
  readonly baseScopes: readonly string[];
  /** Requests of one principal; undefined for unlimited. */
  readonly ratePerMinute: number | undefined;
  readonly bodyBytes: number;
  readonly pageSize: number;
  readonly resultSeconds: number;
  readonly sessionSeconds: number;
  /** Whether users sign in with the Worker itself (src/features/sign-in). */
  readonly hasSignIn: boolean;
  /** Whether tokens (JWT) are checked (src/features/tokens). */
  readonly takesTokens: boolean;
  readonly jwtSecret: string | undefined;
  readonly jwtIssuer: string | undefined;
  readonly jwksUrl: string | undefined;
  readonly audience: string | undefined;
  readonly signingKey: string | undefined;
}

/** A setting with a value that cannot be used. */
export interface InvalidSetting {
  readonly setting: string;
  readonly problem: string;
  readonly fix: string;
}

const DAY_SECONDS = 86_400;
/** The shortest time to live that KV accepts. */
export const MIN_TTL_SECONDS = 60;
/** A year. KV rejects every write whose expiration is too far in the future. */
const MAX_TTL_SECONDS = 365 * DAY_SECONDS;

export interface SettingsRead {
  readonly settings: Settings;
  /** Those with values that cannot be used. */
  readonly mistakes: readonly InvalidSetting[];
  /** The variables and secrets that are settings. */
  readonly names: readonly string[];
}

/**
 * Reads all settings.
 *
 * @param env variables and secrets by name; "" counts as unset
 */
export function readSettings(env: Readonly<Record<string, unknown>>): SettingsRead {
  const mistakes: InvalidSetting[] = [];
  const names = new Set<string>();
  const textOf = (setting: string): string | undefined => {
    names.add(setting);
    const value = Object.hasOwn(env, setting) ? env[setting] : undefined;
    // A table or an array of wrangler.toml: reported at the end, once for each.
    return value === undefined || value === "" || typeof value === "object" ? undefined : String(value);
  };
  const reject = (setting: string, fix: string) =>
    mistakes.push({ setting, problem: `${setting} is ${JSON.stringify(textOf(setting))}`, fix });
  const number = <Default>(setting: string, byDefault: Default, unit: string, max: number, min = 1) => {
    const text = textOf(setting);
    if (text === undefined) return byDefault;
    const isNumber = /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;
    if (!isNumber) reject(setting, `write ${unit} as a whole number from ${min} to ${max}, in digits only, or ""`);
    return isNumber ? Number(text) : byDefault;
  };
  const flag = (setting: string, byDefault: boolean): boolean => {
    const text = textOf(setting) ?? String(byDefault);
    if (text !== "true" && text !== "false") reject(setting, 'write "true" or "false"');
    return text === "true";
  };
  const matching = (setting: string, valid: RegExp, fix: string): string | undefined => {
    const text = textOf(setting);
    if (text !== undefined && !valid.test(text)) reject(setting, fix);
    return text;
  };
  const list = (setting: string) => (textOf(setting) ?? "").split(/[\s,]+/).filter((item) => item !== "");
  // Browsers send origins in lower case and without a path: anything else would never match.
  const originList = (setting: string): string[] => {
    const origins = list(setting);
    const isOrigin = (item: string) => item === "null" || /^[a-z][a-z0-9+.-]*:\/\/[^/?#@*A-Z]+$/.test(item);
    if (!origins.every(isOrigin))
      reject(setting, 'write origins in lower case, without a path or a slash at the end: "https://app.example.com"');
    return origins;
  };
  // A tool's request is compared with its host and port: an address with a scheme or a path would never match.
  const hostList = (setting: string): string[] => {
    const hosts = list(setting);
    if (!hosts.every((item) => /^[^/?#@*A-Z]+$/.test(item)))
      reject(
        setting,
        'write whole hosts in lower case, without https:// and without a path: "intranet.example:8443 10.0.0.5"',
      );
    return hosts;
  };
  const urlList = (setting: string, protocols: readonly string[], fix: string): string[] => {
    // Not split at commas, because data URLs contain them.
    const urls = (textOf(setting) ?? "").split(/\s+/).filter((item) => item !== "");
    if (!urls.every((url) => URL.canParse(url) && protocols.includes(new URL(url).protocol))) reject(setting, fix);
    return urls;
  };
  const oneUrl = (setting: string, protocols: readonly string[], fix: string): string | undefined => {
    const [url, ...others] = urlList(setting, protocols, fix);
    if (others.length > 0) reject(setting, fix);
    return url;
  };

  const settings: Settings = {
    name: textOf("SERVER_NAME") ?? "trivet",
    version: textOf("SERVER_VERSION") ?? "0.0.0",
    title: textOf("SERVER_TITLE"),
    website: oneUrl("SERVER_WEBSITE", ["https:", "http:"], 'write one URL: "https://example.com"'),
    // MCP 2025-11-25, schema, Icon: "May be an HTTP/HTTPS URL or a `data:` URI".
    icons: urlList(
      "SERVER_ICONS",
      ["https:", "http:", "data:"],
      'write URLs separated by spaces: "https://example.com/icon.png https://example.com/icon.svg"',
    ),
    hasDocuments: flag("DOCUMENTS", true),
    // MCP registry, server.schema.json of 2025-12-11, ServerDetail: the forms of `description` and `name`.
    description: matching("SERVER_DESCRIPTION", /^.{0,100}$/su, "write up to 100 characters"),
    registryName: matching(
      "REGISTRY_NAME",
      /^(?=.{3,200}$)[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/,
      'write a domain of yours, reversed, a slash and a name: "com.example/weather"',
    ),
    isLocal: flag("LOCAL", false),
    isPublic: flag("PUBLIC", false),
    logsCalls: flag("LOG_CALLS", true),
    origins: originList("ALLOWED_ORIGINS"),
    privateHosts: hostList("ALLOWED_HOSTS"),
    // Syntax: RFC 6749, section 3.3. A resource does not ask for `offline_access` (MCP, basic/authorization).
    baseScopes: list("OAUTH_SCOPES").filter(
      (scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope) && scope !== "offline_access",
    ),
    ratePerMinute: number("RATE_PER_MINUTE", undefined, "requests a minute", 1_000_000),
    // Cloudflare's limit for most plans. An isolate has 128 MB for everything.
    bodyBytes: number("MAX_BODY_BYTES", 1_048_576, "bytes", 100_000_000),
    // Large, because many clients read only the first page.
    pageSize: number("PAGE_SIZE", 1_000, "entries", 1_000_000),
    resultSeconds: number("IDEMPOTENCY_TTL_SECONDS", DAY_SECONDS, "seconds", MAX_TTL_SECONDS, MIN_TTL_SECONDS),
    sessionSeconds: number("SESSION_TTL_SECONDS", DAY_SECONDS, "seconds", MAX_TTL_SECONDS, MIN_TTL_SECONDS),
    hasSignIn: flag("SIGN_IN", false),
    takesTokens: flag("TOKENS", false),
    jwtSecret: textOf("JWT_SECRET"),
    jwtIssuer: textOf("JWT_ISSUER"),
    jwksUrl: matching("JWT_JWKS_URL", /^https?:\/\/[^/]/, "write an address with https://"),
    audience: textOf("JWT_AUDIENCE"),
    /** Signs session handles: base64url of 32 bytes or more. If unset, the deployment generates a key. */
    signingKey: textOf("SIGNING_KEY"),
  };
  for (const setting of names) {
    const value = Object.hasOwn(env, setting) ? env[setting] : undefined;
    if (typeof value !== "object") continue;
    mistakes.push({ setting, problem: `${setting} is ${JSON.stringify(value)}`, fix: "write a text in quotes" });
  }
  return { settings, mistakes, names: [...names] };
}
