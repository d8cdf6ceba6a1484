/** Makes wrangler's arguments and variables for `npm start`, its `--tunnel`, and `npm run start:closed`. Pure. */
import { parseArgs } from "node:util";

/** The variable that has the key while a tunnel is open. */
export const TUNNEL_KEY = "TRIVET_TUNNEL_KEY";
const TUNNEL_ENV = {
  // So that discovery bundles the sign-in, whatever the settings say.
  TRIVET_SIGN_IN: "true",
  // `cloudflared` takes the certificate that wrangler makes for this machine.
  NO_TLS_VERIFY: "true",
};

/** Options that say where a server's storage is: those of wrangler that `npm run keys` has as well. */
const PLACE = {
  "persist-to": { type: "string" },
  config: { type: "string", short: "c" },
  env: { type: "string", short: "e" },
} as const;

/** As in a deployment: minified, and with the limits of wrangler.toml. */
const CLOSED = ["dev", "src/index.ts", "--infer-origin-from-routes=false"];
/** Open to this machine: no credentials, no rate limits, and code that a debugger shows. */
const OPEN = [...CLOSED, "--minify=false", "--var", "LOCAL:true"];
/**
 * Open to the internet, with HTTPS on both sides, because wrangler gives the URLs in headers, such as WWW-Authenticate,
 * the protocol of the request.
 */
const TUNNEL = [...CLOSED, "--minify=false", "--local-protocol", "https", "--upstream-protocol", "https"];
/**
 * Hosts cannot send a key, so their users sign in with it. PUBLIC or LOCAL would let everyone in. These arguments
 * follow the user's, because the last value of a variable counts.
 */
const ALWAYS_CLOSED = ["PUBLIC:false", "LOCAL:false", "SIGN_IN:true"].flatMap((value) => ["--var", value]);

export interface Start {
  /** Arguments of wrangler. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether the log is made readable for a person; otherwise it is as in a deployment. */
  readonly isReadable: boolean;
  /** Arguments of `npm run keys`, if there is a tunnel. Callers need this key, or another one of this machine. */
  readonly key: readonly string[] | undefined;
}

/**
 * @param asked what follows `npm start --`
 * @param isClosed whether it is `npm run start:closed`
 */
export function startOptions(asked: readonly string[], isClosed: boolean): Start {
  const { values } = parseArgs({
    args: [...asked],
    options: { ...PLACE, tunnel: { type: "boolean" } },
    strict: false,
  });
  const { tunnel, ...where } = values;
  if (tunnel !== true && tunnel !== "true")
    return { args: [...(isClosed ? CLOSED : OPEN), ...asked], env: {}, isReadable: !isClosed, key: undefined };
  const place = Object.keys(PLACE).flatMap((name) =>
    where[name] === undefined ? [] : [`--${name}`, `${where[name]}`],
  );
  // The owner's key: for all tools, and for longer than a tunnel is open.
  const key = ["create", "tunnel", "--scopes", "*", "--expires", "1d", "--yes", ...place];
  return { args: [...TUNNEL, ...asked, ...ALWAYS_CLOSED], env: TUNNEL_ENV, isReadable: true, key };
}
