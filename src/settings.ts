/** Reads the Worker's settings: the name, default, unit and error of each. Features have settings of their own. */
import { type SettingsRead, settingsReader } from "./settings-reader.ts";

export interface Settings {
  readonly name: string;
  readonly version: string;
  /** Shown to people in place of the name. */
  readonly title: string | undefined;
  /** An http or https URL. */
  readonly website: string | undefined;
  /** URLs of images: http, https or data. */
  readonly icons: readonly string[];
  /** Whether documents describe the server to machines (src/features/documents). */
  readonly hasDocuments: boolean;
  /** The server's description in these documents: up to 100 characters. */
  readonly description: string | undefined;
  /** The server's name in directories: `com.example/weather`. */
  readonly registryName: string | undefined;
  /** Whether the Worker runs on a developer's machine, and is open to that machine only. */
  readonly isLocal: boolean;
  readonly isPublic: boolean;
  readonly logsCalls: boolean;
  readonly origins: readonly string[];
  readonly privateHosts: readonly string[];
  readonly baseScopes: readonly string[];
  /** Requests per minute of one principal; undefined for no limit. */
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

const DAY_SECONDS = 86_400;
/** The shortest time to live that KV accepts. */
export const MIN_TTL_SECONDS = 60;
/** A year. KV rejects writes whose expiration is too far in the future. */
const MAX_TTL_SECONDS = 365 * DAY_SECONDS;

/** @param env variables and secrets by name; "" counts as unset
 */
export function readSettings(env: Readonly<Record<string, unknown>>): SettingsRead<Settings> {
  const { text, number, isOn, matching, list, origins, hosts, urls, oneUrl, read } = settingsReader(env);
  const settings: Settings = {
    name: text("SERVER_NAME") ?? "trivet",
    version: text("SERVER_VERSION") ?? "0.0.0",
    title: text("SERVER_TITLE"),
    website: oneUrl("SERVER_WEBSITE", ["https:", "http:"], 'write one URL: "https://example.com"'),
    // MCP 2025-11-25, schema, Icon: "May be an HTTP/HTTPS URL or a `data:` URI".
    icons: urls(
      "SERVER_ICONS",
      ["https:", "http:", "data:"],
      'write URLs separated by spaces: "https://example.com/icon.png https://example.com/icon.svg"',
    ),
    hasDocuments: isOn("DOCUMENTS", true),
    // MCP registry, server.schema.json of 2025-12-11, ServerDetail: the forms of `description` and `name`.
    description: matching("SERVER_DESCRIPTION", /^.{0,100}$/su, "write up to 100 characters"),
    registryName: matching(
      "REGISTRY_NAME",
      /^(?=.{3,200}$)[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/,
      'write a domain of yours, reversed, a slash and a name: "com.example/weather"',
    ),
    isLocal: isOn("LOCAL"),
    isPublic: isOn("PUBLIC"),
    logsCalls: isOn("LOG_CALLS", true),
    origins: origins("ALLOWED_ORIGINS"),
    privateHosts: hosts("ALLOWED_HOSTS"),
    // RFC 6749, section 3.3, has the syntax. A resource does not ask for `offline_access` (MCP, basic/authorization).
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
    hasSignIn: isOn("SIGN_IN"),
    takesTokens: isOn("TOKENS"),
    jwtSecret: text("JWT_SECRET"),
    jwtIssuer: text("JWT_ISSUER"),
    jwksUrl: matching("JWT_JWKS_URL", /^https?:\/\/[^/]/, "write an address with https://"),
    audience: text("JWT_AUDIENCE"),
    /** Signs session handles: base64url of 32 bytes or more. If unset, the deployment generates a key. */
    signingKey: text("SIGNING_KEY"),
  };
  return read(settings);
}
