/** What the client makes of a server that misbehaves. */
import { OxpClient } from "../../../src/client/oxp.ts";
import { type Case, described, type Seen } from "./run.ts";

const CALL = "ODD/HOW/UUID/tools/call";
const KEY = "key-0123456789";
const TOKEN = "token-0123456789";
const SECRET = "secret-0123456789";

const unreadable = (why: string) => ({ code: "unreadable", message: `The answer of ${CALL} is not OXP's: ${why}` });
const status = (code: number, rest = "") => {
  return { code: "status", status: code, message: `${CALL} answered with the status ${code}${rest}` };
};
const refused = (more: object) => ({ code: "refused", ...more });
const noResponse = (reason: string, message: string) => ({ code: "no-response", reason, message });
const done = { value: "done", attempts: 2 };
const FAILED = { code: "tool-failed", message: "The tool failed, and does not say why", canRetry: false };
const NO_MISSING = { authorization: [], secrets: [], userId: false };

/** What comes of a call to a server that behaves like this. Members that are not named are not compared. */
const CALLS: readonly (readonly [how: string, expected: object, slept?: readonly number[]])[] = [
  ["html", unreadable("it is not JSON, but text/html")],
  ["empty", unreadable("it is not JSON, but no content type")],
  ["null", unreadable("its JSON has no result")],
  ["list", unreadable("its JSON has no result")],
  ["text", unreadable("its JSON has no result")],
  ["no-result", unreadable("its JSON has no result")],
  ["null-result", unreadable("its JSON has no result")],
  ["empty-result", unreadable("its JSON has no result")],
  ["yes-success", unreadable("its JSON has no result")],
  ["bare", { attempts: 1, callId: "UUID" }],
  ["wrong-duration", { value: 1, attempts: 1, callId: "UUID" }],
  ["no-error", FAILED],
  ["null-error", FAILED],
  ["wrong-error", FAILED],
  ["html-400", status(400)],
  ["html-404", status(404, ": is this the address of an OXP server?")],
  ["html-422", status(422)],
  ["html-502", status(502)],
  ["no-content", status(204)],
  ["not-modified", status(304)],
  ["forbidden", { ...status(403, ": Not this tool"), developerMessage: "scope" }],
  ["not-found", status(404, ": No such path")],
  ["broken", status(500)],
  ["refused-emptily", refused({ message: `${CALL} refused the request, and does not say why` })],
  ["refused-wrongly", refused({ missing: { ...NO_MISSING, authorization: [{ id: "google" }] } })],
  [
    "refused-with-urls",
    refused({
      ...{ message: "Sign in first", developerMessage: "no token for google" },
      missing: {
        ...NO_MISSING,
        authorization: [{ id: "google", url: "https://a.example/", checkUrl: "https://b.example/" }],
      },
    }),
  ],
  ["refused-as-list", status(400, ": no")],
  [
    "invalid-wrongly",
    {
      ...{ code: "invalid-input", message: "Some input parameters are invalid" },
      parameterErrors: { a: "is invalid", b: "Must be a number", c: "is invalid" },
    },
  ],
  ["invalid-as-list", { code: "invalid-input", message: "Bad", parameterErrors: {} }],
  ["unauthorized", { code: "unauthorized", message: `${CALL} does not accept these credentials` }],
  ["back-soon", done, [2_000]],
  ["too-many", done, [7_000]],
  ["back-soon-400", done, [3_000]],
  ["back-in-years", { code: "status", status: 503, retryAfterMs: 315_360_000_000, attempts: 1 }, []],
  ["back-next-year", { code: "status", status: 503, attempts: 1 }, []],
  ["back-some-day", { code: "status", status: 503, attempts: 1 }, []],
  ["back-yesterday", done, [0]],
  ["no-hurry", { code: "tool-failed", retryAfterMs: 1e12, attempts: 2 }, [250]],
  ["cut", { ...noResponse("unreachable", `Cannot reach ${CALL}`), attempts: 4 }, [250, 500, 1_000]],
  ["cut-in-body", { ...noResponse("cut", `The response of ${CALL} broke off`), attempts: 4 }, [250, 500, 1_000]],
  ["hang", { ...noResponse("timeout", `No complete response from ${CALL} within 300 ms`), attempts: 4 }],
  ["hang-in-body", { ...noResponse("timeout", `No complete response from ${CALL} within 300 ms`), attempts: 4 }],
  ["endless", noResponse("too-large", `The response of ${CALL} is longer than 100000 bytes`), []],
];

const LISTINGS: readonly (readonly [how: string, expected: unknown])[] = [
  ["items", [{ id: "Math.Add@1.2.0", output_schema: {} }]],
  ["tools-and-items", [{ id: "Math.Add@1.2.0" }]],
  [
    "sloppy",
    [
      { id: "Math.Add@1.2.0", description: "", version: "1.2.0", input_schema: { parameters: {} }, output_schema: {} },
      { input_schema: { parameters: {} }, output_schema: null, requirements: { authorization: [{ id: "x" }] } },
    ],
  ],
  ...["html", "null", "list", "null-tools", "null-tool", "nameless"].map(
    (how) => [how, { code: "unreadable" }] as const,
  ),
  ["not-modified", { code: "status", status: 304 }],
  ["html-404", { code: "status", status: 404 }],
  ["cut", { code: "no-response", reason: "unreachable", attempts: 1 }],
  ["hang", { code: "no-response", reason: "timeout", attempts: 1 }],
  ["endless", { code: "no-response", reason: "too-large" }],
];

const LIMITS = { timeoutMs: 300, maxBytes: 100_000 };
/** Time for those that have enough to do without a limit. */
const limitsOf = (how: string) => (how.startsWith("hang") ? LIMITS : { ...LIMITS, timeoutMs: 60_000 });

export const ODD_CASES: readonly Case[] = [
  ...CALLS.map(([how, expected, slept]): Case => {
    return {
      name: `a call, ${how}`,
      expected: { ...adapted(expected, how), ...(slept && { slept }) },
      async run({ oddClient, slept: waits }) {
        const outcome = await oddClient(how, limitsOf(how)).call("Math.Add", {}).catch(described);
        return { ...outcome, slept: waits };
      },
    };
  }),
  ...LISTINGS.map(([how, expected]): Case => {
    return {
      name: `a listing, ${how}`,
      expected,
      run: ({ oddClient }) =>
        oddClient(how, limitsOf(how))
          .list()
          .then((tools) => [...tools], described),
    };
  }),
  {
    name: "a call as it is sent",
    expected: {
      ...{ method: "POST", path: "/tools/call", key: KEY, token: `Bearer ${TOKEN}`, type: "application/json" },
      body: {
        $schema: "urn:oxp:1.0",
        request: {
          ...{ tool_id: "Math.Add@1", call_id: "c-1", input: { a: 1 } },
          context: {
            authorization: [{ id: "google", token: SECRET }],
            secrets: [
              { id: "KEY", value: "over" },
              { id: "OTHER", value: "base" },
            ],
            ...{ user_id: "ada", attachments: [{ file_id: "f-1" }, { file_id: "f-2" }] },
          },
        },
      },
    },
    async run({ oddClient, seen }) {
      const secrets = [
        { id: "KEY", value: "base" },
        { id: "OTHER", value: "base" },
      ];
      const client = oddClient("bare", { apiKey: KEY, token: TOKEN, context: { secrets, user_id: "ada" } });
      const context = { authorization: [{ id: "google", token: SECRET }], secrets: [{ id: "KEY", value: "over" }] };
      await client.call("Math.Add@1", { a: 1 }, { callId: "c-1", context, attachments: ["f-1", "f-2"] });
      const [{ method, path, headers, body }] = (await seen()) as [Seen];
      const { "oxp-api-key": key, authorization: token, "content-type": type } = headers;
      return { method, path, key, token, type, body: JSON.parse(body) };
    },
  },
  {
    name: "each attempt, with the same call id and the same body",
    expected: [4, 1, "UUID"],
    async run({ oddClient, seen }) {
      await oddClient("cut")
        .call("Math.Add", {})
        .catch(() => {});
      const bodies = (await seen()).map(({ body }) => body);
      return [bodies.length, new Set(bodies).size, JSON.parse(bodies[0] ?? "").request.call_id];
    },
  },
  {
    name: "a redirect, which is not followed",
    expected: [{ code: "no-response", reason: "redirected", attempts: 1 }, false],
    async run({ oddClient }) {
      const outcome = await oddClient("redirect", { apiKey: KEY }).call("Math.Add", {}).catch(described);
      return [outcome, JSON.stringify(outcome).includes(KEY)];
    },
  },
  {
    name: "messages, which repeat no secret",
    expected: Array.from({ length: 4 }, () => [false, false, false]),
    async run({ oddClient }) {
      const context = {
        authorization: [{ id: "google", token: SECRET }],
        secrets: [{ id: "KEY", value: KEY.slice(4) }],
      };
      const options = { apiKey: KEY, token: TOKEN, context };
      const calls = ["parrot", "parrot-401", "parrot-failure", "redirect"].map(async (how) => {
        const outcome = JSON.stringify(await oddClient(how, options).call("Math.Add", {}).catch(described));
        return [KEY, TOKEN, SECRET].map((secret) => outcome.includes(secret) || !outcome.includes("code"));
      });
      return Promise.all(calls);
    },
  },
  {
    name: "a listing with an ETag, which is sent back",
    expected: { isSame: true, tags: [null, '"1"', '"1"'] },
    async run({ oddClient, seen }) {
      const client = oddClient("tagged");
      const [first, second, third] = [await client.list(), await client.list(), await client.list()];
      const tags = (await seen()).map(({ headers }) => headers["if-none-match"] ?? null);
      return { isSame: first === second && second === third, tags };
    },
  },
  {
    name: "health",
    expected: [true, false, { code: "status", status: 404 }, { code: "no-response" }],
    run: ({ oddClient }) =>
      Promise.all(["ready", "not-ready", "html-404", "cut"].map((how) => oddClient(how).health().catch(described))),
  },
  {
    name: "a wait that is cancelled",
    expected: "enough",
    async run({ odd, id }) {
      const stop = new AbortController();
      const client = new OxpClient({ url: `${odd}/too-many/${id}` });
      const onRetry = () => void setTimeout(() => stop.abort("enough"));
      return client.call("Math.Add", {}, { signal: stop.signal, onRetry }).catch((reason) => reason);
    },
  },
  {
    name: "a token that never comes, and a call that is cancelled",
    expected: "enough",
    async run({ oddClient }) {
      const token = () => new Promise<string>(() => {});
      return oddClient("bare", { token })
        .call("Math.Add", {}, { signal: AbortSignal.abort("enough") })
        .catch((e) => e);
    },
  },
];

/** With the name of the behaviour in the addresses. */
function adapted(expected: object, how: string): object {
  return JSON.parse(JSON.stringify(expected).replaceAll("/HOW/", `/${how}/`));
}
