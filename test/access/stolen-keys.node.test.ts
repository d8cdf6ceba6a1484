/**
 * API keys used in ways that must be refused: in the wrong place, misspelled, combined with others, or no longer valid.
 * Each is sent with a call over each protocol to the built Worker, and is refused without running a tool.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  buildTools,
  type Counter,
  type Deployment,
  deploy,
  type Made,
  startCounter,
} from "../support/node/attacks/deployment.ts";
import { type Attack, expectAdmitted, expectRefused } from "../support/node/attacks/refused.ts";
import { now, SECRET, shared } from "../support/node/attacks/tokens.ts";
import { bearer, CALLS, type Headers, type Sent, send, withHeaders } from "../support/node/attacks/wire.ts";
import type { Fork } from "../support/node/fork.ts";

let fork: Fork;
let here: Deployment;
let counter: Counter;
/** Two valid keys of two owners. */
let key: string;
let second: string;
let expired: Made;
let revoked: Made;
beforeAll(async () => {
  fork = await buildTools();
  counter = await startCounter();
  here = await deploy(fork, { JWT_SECRET: SECRET, RATE_PER_MINUTE: "" }, counter);
  [{ text: key }, { text: second }, expired, revoked] = await Promise.all([
    here.makeKey(),
    here.makeKey(),
    here.makeKey({ expires: now() - 1 }),
    here.makeKey(),
  ]);
  await here.revoke(revoked);
});
afterAll(async () => {
  await here?.stop();
  counter?.stop();
  fork?.remove();
});

/** Each row: what is wrong, and a function that makes such a request. */
type Table = readonly (readonly [what: string, attack: () => Attack])[];

const headers = (...list: [string, string][]): Attack => ({ headers: list });
const authorization = (value: string): Attack => headers(["Authorization", value]);
const inPath = (change: (path: string) => string): Attack => ({
  change: (sent) => ({ ...sent, path: change(sent.path ?? "/") }),
});
const inBody = (members: () => object): Attack => ({
  change: (sent) => ({ ...sent, body: { ...(sent.body as object), ...members() } }),
});
const base64 = (text: string) => Buffer.from(text).toString("base64");
const cut = (text: string, from: number, to?: number) => text.slice(from, to);
const idOf = (text: string) => text.slice(7, 23);
const secretOf = (text: string) => text.slice(24);

const NOTHING: Table = [
  ["no header at all", () => ({})],
  ["an empty Authorization", () => authorization("")],
  ["an empty OXP-API-Key", () => headers(["OXP-API-Key", ""])],
  ["all of them empty", () => headers(["Authorization", ""], ["OXP-API-Key", ""], ["X-Agent-API-Key", ""])],
  ["Bearer and nothing", () => authorization("Bearer")],
  ["Bearer and blanks", () => authorization("Bearer    ")],
];

const PLACES: Table = [
  ["in ?access_token (RFC 6750, 2.3)", () => inPath((path) => `${path}?access_token=${key}`)],
  ["in ?api_key", () => inPath((path) => `${path}?api_key=${key}`)],
  ["in ?OXP-API-Key", () => inPath((path) => `${path}?OXP-API-Key=${key}&authorization=Bearer%20${key}`)],
  ["in the path", () => ({ ...inPath((path) => `/${key}${path}`), status: 401 })],
  ["behind a semicolon in the path", () => ({ ...inPath((path) => `${path};key=${key}`), elsewhere: true })],
  ["in the fragment", () => ({ ...inPath((path) => `${path}#${key}`), status: [400, 401] })],
  ["in a cookie", () => headers(["Cookie", `authorization=Bearer ${key}; OXP-API-Key=${key}; key=${key}`])],
  ["in the body's access_token (RFC 6750, 2.2)", () => inBody(() => ({ access_token: key }))],
  [
    "in the body, as the headers are called",
    () => inBody(() => ({ authorization: `Bearer ${key}`, "OXP-API-Key": key })),
  ],
  [
    "in OXP's context",
    () =>
      inBody(() => ({ request: { tool_id: "Vault.Peek", context: { secrets: [{ id: "OXP-API-Key", value: key }] } } })),
  ],
  [
    "in MCP's _meta",
    () => inBody(() => ({ params: { name: "Vault_Peek", _meta: { authorization: `Bearer ${key}` } } })),
  ],
  ["in Proxy-Authorization", () => headers(["Proxy-Authorization", `Bearer ${key}`])],
  ["in X-API-Key", () => headers(["X-API-Key", key])],
  [
    "in X-Authorization and its like",
    () => headers(["X-Authorization", `Bearer ${key}`], ["X-Forwarded-Authorization", `Bearer ${key}`]),
  ],
  [
    "in X-Forwarded-User",
    () => headers(["X-Forwarded-User", "root"], ["Cf-Access-Authenticated-User-Email", "root@example.com"]),
  ],
  ["in OXP_API_Key, with underscores", () => headers(["OXP_API_Key", key])],
  ["in Authorization-Bearer", () => headers(["Authorization-Bearer", key])],
  ["in Sec-WebSocket-Protocol", () => headers(["Sec-WebSocket-Protocol", `bearer, ${key}`])],
  ["with Bearer in OXP-API-Key", () => headers(["OXP-API-Key", `Bearer ${key}`])],
  ["a JWT in OXP-API-Key", () => headers(["OXP-API-Key", shared()])],
  ["a JWT in X-Agent-API-Key", () => headers(["X-Agent-API-Key", shared()])],
  ["Basic, as the user", () => authorization(`Basic ${base64(`${key}:`)}`)],
  ["Basic, as the password", () => authorization(`Basic ${base64(`user:${key}`)}`)],
  ["Basic, unencoded", () => authorization(`Basic ${key}`)],
  ["without a scheme", () => authorization(key)],
  ["Token", () => authorization(`Token ${key}`)],
  ["ApiKey", () => authorization(`ApiKey ${key}`)],
  ["DPoP (RFC 9449)", () => authorization(`DPoP ${shared()}`)],
  ["Digest", () => authorization(`Digest username="${key}"`)],
  ["Negotiate", () => authorization(`Negotiate ${base64(key)}`)],
];

const SPELLINGS: Table = [
  ["Bearer: with a colon", () => authorization(`Bearer: ${key}`)],
  ["Bearer= with an equals sign", () => authorization(`Bearer=${key}`)],
  ["Bearer with a comma", () => authorization(`Bearer,${key}`)],
  ["Bearer without a blank", () => authorization(`Bearer${key}`)],
  ["BearerX", () => authorization(`BearerX ${key}`)],
  ["XBearer", () => authorization(`XBearer ${key}`)],
  ["Bearer twice", () => authorization(`Bearer Bearer ${key}`)],
  ["in quotes", () => authorization(`Bearer "${key}"`)],
  ["as a parameter", () => authorization(`Bearer token=${key}`)],
  ["with a parameter behind", () => authorization(`Bearer ${key}, realm="x"`)],
  ["with a semicolon", () => authorization(`Bearer ${key};`)],
  ["with = behind (base64's padding)", () => authorization(`Bearer ${key}=`)],
  ["a tab for the blank", () => authorization(`Bearer\t${key}`)],
  ["a tab behind the blank", () => authorization(`Bearer \t${key}`)],
  ["a blank within", () => authorization(`Bearer ${cut(key, 0, 30)} ${cut(key, 30)}`)],
  [
    "a line break within",
    () => ({ ...authorization(`Bearer ${cut(key, 0, 30)}\n${cut(key, 30)}`), status: [400, 401] }),
  ],
  ["a folded line (RFC 9112, 5.2)", () => ({ ...authorization(`Bearer\r\n ${key}`), status: [400, 401] })],
  ["a NUL behind", () => ({ ...authorization(`Bearer ${key}\u0000`), status: [400, 401] })],
  [
    "a NUL within",
    () => ({ ...headers(["OXP-API-Key", `${cut(key, 0, 30)}\u0000${cut(key, 30)}`]), status: [400, 401] }),
  ],
  ["a header smuggled behind a line break", () => ({ headers: [["X-Note", "x\nOXP-API-Key: y"]], status: [400, 401] })],
  ["a no-break space", () => authorization(`Bearer\u00a0${key}`)],
  ["a zero-width joiner", () => authorization(`Bearer ${cut(key, 0, 30)}\u200d${cut(key, 30)}`)],
  ["a byte order mark", () => authorization(`Bearer \ufeff${key}`)],
  ["a right-to-left mark", () => authorization(`Bearer ${key}\u200f`)],
  ["full-width letters", () => authorization(`Bearer ${key.replace("trivet", "ｔｒｉｖｅｔ")}`)],
  ["a Cyrillic e", () => authorization(`Bearer ${key.replace("trivet", "trivеt")}`)],
  ["a Cyrillic e in Bearer", () => authorization(`Bеarer ${key}`)],
  ["the Kelvin sign for k, in a header's name", () => ({ ...headers(["OXP-API-\u212aey", key]), status: [400, 401] })],
  ["a dotless i", () => authorization(`Bearer ${key.replace("trivet", "trıvet")}`)],
  ["decomposed letters", () => authorization(`Bearer ${key.replace("e", "e\u0301")}`)],
  ["percent-encoded", () => authorization(`Bearer ${key.replaceAll("_", "%5F")}`)],
  ["percent-encoded altogether", () => authorization(`Bearer%20${key}`)],
  ["as MIME has it (RFC 2047)", () => headers(["OXP-API-Key", `=?utf-8?B?${base64(key)}?=`])],
  ["in base64", () => authorization(`Bearer ${base64(key)}`)],
  ["its prefix in upper case", () => authorization(`Bearer ${key.replace("trivet", "TRIVET")}`)],
  ["its id in upper case", () => authorization(`Bearer trivet_${idOf(key).toUpperCase()}_${secretOf(key)}`)],
  ["two blanks behind the id", () => headers(["OXP-API-Key", key.replaceAll("_", "__")])],
];

const LENGTHS: Table = [
  ["8,193 characters in Authorization", () => ({ ...authorization(`Bearer ${"a".repeat(8_186)}`), status: 431 })],
  ["9,000 characters in OXP-API-Key", () => ({ ...headers(["OXP-API-Key", "a".repeat(9_000)]), status: 431 })],
  [
    "20,000 characters in X-Agent-API-Key",
    () => ({ ...headers(["X-Agent-API-Key", "a".repeat(20_000)]), status: 431 }),
  ],
  ["the key, followed by 8 KiB", () => ({ ...authorization(`Bearer ${key}${"a".repeat(8_192)}`), status: 431 })],
  ["a token of 12 KiB", () => ({ ...authorization(`Bearer ${shared({ x: "x".repeat(9_000) })}`), status: 431 })],
  [
    "too long next to a valid one",
    () => ({ ...headers(["OXP-API-Key", key], ["Authorization", `Bearer ${"a".repeat(9_000)}`]), status: 431 }),
  ],
  ["8,192 characters that are no credential", () => authorization(`Bearer ${"a".repeat(8_185)}`)],
  ["dots and dots (no backtracking)", () => authorization(`Bearer ${".".repeat(8_000)}`)],
  ["colons and colons (no backtracking)", () => authorization(`Bearer ${":".repeat(8_000)}`)],
  ["equals signs (no backtracking)", () => authorization(`Bearer ${"=".repeat(8_000)}!`)],
];

const COMPANY: Table = [
  ["two keys, Bearer and OXP-API-Key", () => headers(["Authorization", `Bearer ${key}`], ["OXP-API-Key", second])],
  ["two keys, OXP-API-Key and X-Agent-API-Key", () => headers(["OXP-API-Key", key], ["X-Agent-API-Key", second])],
  ["a key and a token", () => headers(["OXP-API-Key", key], ["Authorization", `Bearer ${shared()}`])],
  ["a key and Basic", () => headers(["OXP-API-Key", key], ["Authorization", `Basic ${base64("a:b")}`])],
  ["a key and an unreadable Authorization", () => headers(["OXP-API-Key", key], ["Authorization", "?"])],
  ["a token and an invalid key", () => headers(["OXP-API-Key", "x"], ["Authorization", `Bearer ${shared()}`])],
  [
    "a valid key and a wrong one with its id",
    () => headers(["OXP-API-Key", key], ["X-Agent-API-Key", `${cut(key, 0, -1)}_`]),
  ],
  ["a valid key and a revoked one", () => headers(["OXP-API-Key", key], ["X-Agent-API-Key", revoked.text])],
  ["two keys in one header", () => headers(["OXP-API-Key", `${key}, ${second}`])],
  ["the same key twice in one header", () => headers(["OXP-API-Key", `${key}, ${key}`])],
  [
    "two Authorization headers, raw",
    () => headers(["Authorization", `Bearer ${key}`], ["Authorization", `Bearer ${second}`]),
  ],
  [
    "two Authorization headers of the same key, raw",
    () => headers(["Authorization", `Bearer ${key}`], ["authorization", `Bearer ${key}`]),
  ],
  [
    "Authorization twice, Basic first",
    () => headers(["Authorization", `Basic ${base64("a:b")}`], ["Authorization", `Bearer ${key}`]),
  ],
  ["Authorization twice, in one line", () => authorization(`Bearer ${key}, Bearer ${second}`)],
  ["two OXP-API-Key headers, raw", () => headers(["OXP-API-Key", second], ["oxp-api-key", key])],
];

const STALE: Table = [
  ["expired", () => authorization(`Bearer ${expired.text}`)],
  ["revoked", () => authorization(`Bearer ${revoked.text}`)],
  ["the right id, another secret", () => authorization(`Bearer trivet_${idOf(key)}_${"A".repeat(43)}`)],
  ["the right id, another key's secret", () => authorization(`Bearer trivet_${idOf(key)}_${secretOf(second)}`)],
  ["the right secret, an unknown id", () => authorization(`Bearer trivet_${"0".repeat(16)}_${secretOf(key)}`)],
  ["an expired key's id, a good secret", () => authorization(`Bearer trivet_${expired.id}_${secretOf(key)}`)],
  [
    "a letter of the secret",
    () => authorization(`Bearer ${cut(key, 0, -5)}${key.at(-5) === "A" ? "B" : "A"}${cut(key, -4)}`),
  ],
  ["its last letter", () => authorization(`Bearer ${cut(key, 0, -1)}${key.endsWith("A") ? "E" : "A"}`)],
  ["without its last letter", () => authorization(`Bearer ${cut(key, 0, -1)}`)],
  ["half of the key", () => authorization(`Bearer ${cut(key, 0, 40)}`)],
  ["with a letter more", () => authorization(`Bearer ${key}A`)],
  ["its prefix and id alone", () => authorization(`Bearer trivet_${idOf(key)}`)],
  ["with an empty secret", () => authorization(`Bearer trivet_${idOf(key)}_`)],
  ["its id alone", () => headers(["OXP-API-Key", idOf(key)])],
  ["its secret alone", () => headers(["OXP-API-Key", secretOf(key)])],
  ["without its prefix", () => headers(["OXP-API-Key", cut(key, 7)])],
  ["with another's prefix", () => headers(["OXP-API-Key", key.replace("trivet_", "oag_")])],
  ["an id that climbs", () => headers(["OXP-API-Key", `trivet_../../key:${idOf(key).slice(9)}_${secretOf(key)}`])],
  ["the record's hash for a secret", () => headers(["OXP-API-Key", `trivet_${idOf(key)}_${"0".repeat(43)}`])],
  ["a name of Object", () => headers(["OXP-API-Key", "__proto__"])],
];

const TABLES: Readonly<Record<string, Table>> = {
  "no credential (OXP, Server Authentication; RFC 6750, section 3)": NOTHING,
  "a key in the wrong place (RFC 6750, section 2)": PLACES,
  "a key in another spelling (RFC 6750, section 2.1)": SPELLINGS,
  "a very long credential (RFC 6585, section 5)": LENGTHS,
  "several credentials: each must be valid, and all must be of one principal": COMPANY,
  "an invalid key (OXP, Server Authentication)": STALE,
};

describe.each(Object.entries(TABLES))("%s", (_, table) => {
  it.each(table)("%s", (_, attack) => expectRefused(attack(), here, counter));
});

describe("valid uses of a key, as a control for the tables above", () => {
  const ways: [string, () => Headers][] = [
    ["Authorization: Bearer", () => bearer(key)],
    ["OXP-API-Key", () => [["OXP-API-Key", key]]],
    ["X-Agent-API-Key", () => [["X-Agent-API-Key", key]]],
    ["one key in two headers", () => [...bearer(key), ["OXP-API-Key", key]]],
    ["one key in three headers", () => [...bearer(key), ["OXP-API-Key", key], ["X-Agent-API-Key", key]]],
    ["a scheme in lower case (RFC 9110, 11.1)", () => [["Authorization", `bearer ${key}`]]],
    ["a scheme in upper case (RFC 9110, 11.1)", () => [["Authorization", `BEARER ${key}`]]],
    ["a header's name in any case (RFC 9110, 5.1)", () => [["aUTHORIZATION", `Bearer ${key}`]]],
    ["oxp-api-key in lower case", () => [["oxp-api-key", key]]],
    ["X-AGENT-API-KEY in upper case", () => [["X-AGENT-API-KEY", key]]],
    ["several blanks (RFC 6750, 2.1: 1*SP)", () => [["Authorization", `Bearer   ${key}`]]],
    ["blanks around (RFC 9110, 5.5)", () => [["Authorization", `  Bearer ${key} \t`]]],
    [
      "an empty Authorization next to it",
      () => [
        ["Authorization", ""],
        ["OXP-API-Key", key],
      ],
    ],
    ["unknown headers", () => [...bearer(key), ["X-API-Key", "x"], ["Cookie", "a=b"]]],
  ];
  it.each(ways)("%s", (_, make) => expectAdmitted(make(), here, counter));
});

describe("expiry and revocation (wrangler.toml, docs/access.md: a revoked key is accepted for two minutes at most)", () => {
  const status = async (text: string) => (await send(here.url, { path: "/info", headers: bearer(text) })).status;

  it("a key expires while it is cached", async () => {
    const brief = await here.makeKey({ expires: now() + 10 });
    expect(await status(brief.text)).toBe(200);
    await here.ahead(11);
    expect(await status(brief.text)).toBe(401);
    await here.ahead(0);
  });

  it("a revoked key leaves the cache", async () => {
    const gone = await here.makeKey();
    expect(await status(gone.text)).toBe(200);
    await here.revoke(gone);
    await here.ahead(31);
    expect(await status(gone.text)).toBe(401);
    await here.ahead(0);
  });

  it("a wrong secret is refused before and after the key is cached", async () => {
    const wrong = `${cut(key, 0, -3)}${key.endsWith("AAA") ? "BBB" : "AAA"}`;
    expect([await status(wrong), await status(key), await status(wrong), await status(key)]).toEqual([
      401, 200, 401, 200,
    ]);
  });
});

it("every invalid credential gets the same answer, which does not reveal which keys exist", async () => {
  const wrong = [
    expired.text,
    revoked.text,
    `trivet_${idOf(key)}_${"A".repeat(43)}`,
    `trivet_${"0".repeat(16)}_${secretOf(key)}`,
    "x",
    "a.b.c",
  ];
  const answers = await Promise.all(
    wrong.map((text) => send(here.url, withHeaders(CALLS["MCP bare"]?.("Vault.Peek") as Sent, bearer(text)))),
  );
  expect(new Set(answers.map(({ status, headers, text }) => JSON.stringify({ status, headers, text }))).size).toBe(1);
  expect(answers[0]?.headers["www-authenticate"]).toBe('Bearer realm="trivet", error="invalid_token"');
});

it("no key, part of a key or token is ever in the log", () => {
  const log = here.lines.join("\n");
  expect(log).toContain('"message":"call"');
  for (const text of [key, second, expired.text, revoked.text]) {
    expect(log).not.toContain(text);
    expect(log).not.toContain(secretOf(text));
  }
  expect(log).not.toMatch(/eyJ|Bearer [^,;]{20}/);
});
