/** Parses `WWW-Authenticate` strictly, and throws if it does not follow the RFCs. */

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = String.raw`"(?:[\t !\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t \x21-\x7e\x80-\xff])*"`;
/** RFC 9110, section 11.2: auth-param = token BWS "=" BWS ( token / quoted-string ). */
const PARAM = new RegExp(String.raw`(${TOKEN})[ \t]*=[ \t]*(${TOKEN}|${QUOTED})`, "y");
const COMMA = /[ \t]*,[ \t]*/y;

export interface Challenge {
  readonly scheme: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Parses a single challenge: auth-scheme 1*SP #auth-param (RFC 9110, section 11.6.1). */
export function parseChallenge(value: string | null): Challenge {
  if (value === null) throw new Error("There is no WWW-Authenticate");
  const head = new RegExp(`^(${TOKEN}) +`).exec(value);
  if (head === null) throw new Error(`No scheme with parameters: ${value}`);
  const [{ length }, scheme = ""] = head;
  const params: Record<string, string> = {};
  for (let at = length; ; ) {
    PARAM.lastIndex = at;
    const [all = "", name = "", raw = ""] = PARAM.exec(value) ?? [];
    if (all === "") throw new Error(`No parameter at ${at}: ${value}`);
    // RFC 9110, section 11.2: "each parameter name MUST only occur once per challenge", whatever its case.
    const key = name.toLowerCase();
    if (Object.hasOwn(params, key)) throw new Error(`${name} is there twice: ${value}`);
    params[key] = raw.startsWith('"') ? raw.slice(1, -1).replace(/\\(.)/g, "$1") : raw;
    // These are always quoted: realm (RFC 9110, section 11.2) and those of RFC 9728, section 5.1, and RFC 6750, section
    // 3.
    if (!raw.startsWith('"')) throw new Error(`${name} is not quoted: ${value}`);
    at += all.length;
    if (at === value.length) break;
    COMMA.lastIndex = at;
    const [comma = ""] = COMMA.exec(value) ?? [];
    if (comma === "") throw new Error(`No comma at ${at}: ${value}`);
    at += comma.length;
  }
  const { scope, error } = params;
  // RFC 6749, section 3.3, and RFC 6750, section 3.
  if (scope !== undefined && !/^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(scope)) throw new Error(`No scopes: ${scope}`);
  if (error !== undefined && !/^[ !#-[\]-~]+$/.test(error)) throw new Error(`No error code: ${error}`);
  return { scheme, params };
}
