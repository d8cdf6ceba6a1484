/** What the client makes of the answers of our server. */
import { needsOf, OxpClient, type OxpError } from "../../../src/client/oxp.ts";
import { type Case, described, type World } from "./run.ts";

const GIVEN = {
  authorization: [{ id: "google", token: "a-token-of-google" }],
  secrets: [{ id: "API_KEY", value: "a-secret-key" }],
  user_id: "ada",
};

/** How often a tool ran, and had its effect. */
const seen = async ({ client, id }: World) => (await client().call("Counter.Seen", { name: id })).value;
/** What a call came to, and how often the tool ran. */
const counted = async (world: World, call: Promise<object>) => ({
  ...(await call.catch(described)),
  ...((await seen(world)) as object),
  slept: world.slept,
});
const FAILED = {
  ...{ name: "OxpToolFailed", code: "tool-failed", developerMessage: "on purpose", isRunning: false },
  additionalPromptContent: "try: something else",
};

export const SERVER_CASES: readonly Case[] = [
  {
    name: "a call",
    expected: { value: { runs: 0, effects: 0 }, callId: "UUID", durationMs: 0, attempts: 1 },
    run: async ({ client, id }) => ({ ...(await client().call("Counter.Seen", { name: id })), durationMs: 0 }),
  },
  {
    name: "a call of a tool without input or output, with an id of its own",
    expected: [null, "order 4711 €", 1],
    async run({ client, id }) {
      const { value, callId, attempts } = await client().call(
        "Needs.Nothing@1.0.0",
        {},
        { callId: `order 4711 €${id}` },
      );
      return [value, callId.replace(id, ""), attempts];
    },
  },
  {
    name: "an unknown tool",
    expected: {
      ...{ message: "Tool 'No.Tool' was not found", name: "OxpRefused", code: "refused", attempts: 1, callId: "UUID" },
      developerMessage: "No.Tool is not available",
    },
    run: ({ client }) => client().call("No.Tool", {}),
  },
  {
    name: "an input that does not fit",
    expected: {
      ...{ name: "OxpInvalidInput", code: "invalid-input", attempts: 1, callId: "UUID" },
      message: "Some input parameters are invalid",
      promptText: "Some input parameters are invalid\nname: Is required\nfailures: Must be a number",
      parameterErrors: { failures: "Must be a number", name: "Is required" },
    },
    run: ({ client }) => client().call("Counter.Flaky", { failures: "many" }),
  },
  {
    name: "requirements that nobody gave",
    expected: {
      refused: {
        ...{ name: "OxpRefused", code: "refused", attempts: 1, callId: "UUID" },
        message: 'Tool \'Needs_Everything\' requires authorization "google", secret "API_KEY", a user id',
        developerMessage:
          "Send every missing value in request.context, or set all of them as Worker secrets of the same names; do not mix the two",
        missing: { authorization: [], secrets: ["API_KEY"], userId: true },
      },
    },
    run: async ({ client }) => ({ refused: await client().call("Needs.Everything").catch(described) }),
  },
  {
    name: "requirements that the listing names",
    expected: {
      needs: { authorization: [{ id: "google", scopes: ["mail.read"] }], secrets: ["API_KEY"], userId: true },
      none: { authorization: [], secrets: [], userId: false },
      all: { authorization: [{ id: "google", scopes: ["mail.read"] }], secrets: ["API_KEY"], userId: true },
      some: { authorization: [{ id: "google", scopes: ["mail.read"] }], secrets: [], userId: false },
      nothing: [null, null],
    },
    async run({ client }) {
      const some = client({ context: { secrets: GIVEN.secrets } });
      const tools = await some.list();
      const find = (id: string) => tools.find((tool) => tool.id === id) ?? {};
      const everything = find("Needs.Everything@1.0.0");
      return {
        needs: needsOf(everything),
        none: needsOf(find("Needs.Nothing@1.0.0")),
        all: client().missing(everything),
        some: some.missing(everything, { user_id: "ada" }),
        nothing: [client({ context: GIVEN }).missing(everything), client().missing(find("Needs.Nothing@1.0.0"))],
      };
    },
  },
  {
    name: "requirements given once for all calls, and otherwise for one",
    expected: ["ada, 12, 17", "bob, 7, 17"],
    async run({ client }) {
      const given = client({ context: GIVEN });
      const context = { secrets: [{ id: "API_KEY", value: "another" }], user_id: "bob" };
      const values = [await given.call("Needs.Everything"), await given.call("Needs.Everything", {}, { context })];
      return values.map(({ value }) => value);
    },
  },
  {
    name: "no credential",
    expected: [401, "unauthorized", true, 1],
    async run({ client }) {
      const { code, wwwAuthenticate, attempts } = await client({ token: undefined })
        .list()
        .catch((error) => error);
      return [401, code, wwwAuthenticate.startsWith("Bearer"), attempts];
    },
  },
  {
    name: "an expired token",
    expected: ["unauthorized", false, "The tool server does not accept the credentials of this application"],
    async run({ client, expired, id }) {
      const error: OxpError = await client({ token: expired })
        .call("Counter.Seen", { name: id })
        .catch((e) => e);
      return [error.code, JSON.stringify(described(error)).includes(expired), error.promptText];
    },
  },
  {
    name: "a function for tokens, which is asked again after a 401",
    expected: [["done", "done"], 2, "unauthorized", 2],
    async run({ client, id, token, expired }) {
      let asked = 0;
      const fresh = client({ token: async () => (asked++ === 0 ? expired : token) });
      const call = () => fresh.call("Counter.Seen", { name: id }).then(() => "done");
      const values = [await call(), await call()];
      let askedInVain = 0;
      const stale = client({
        token() {
          askedInVain++;
          return expired;
        },
      });
      const { code } = await stale.call("Counter.Seen", { name: id }).catch((error) => error);
      return [values, asked, code, askedInVain];
    },
  },
  {
    name: "a tool that fails twice",
    expected: { value: 1, callId: "UUID", durationMs: 0, attempts: 3, runs: 3, effects: 1, slept: [70, 70] },
    run: async (world) => {
      const call = world.client().call("Counter.Flaky", { name: world.id, failures: 2, retryAfterMs: 70 });
      return { ...(await counted(world, call)), durationMs: 0 };
    },
  },
  {
    name: "a tool that always fails",
    expected: {
      ...{ ...FAILED, message: "Failed in run 4", promptText: "Failed in run 4\ntry: something else", canRetry: true },
      ...{ callId: "UUID", attempts: 4, runs: 4, effects: 0, slept: [250, 500, 1_000] },
    },
    run: (world) => counted(world, world.client().call("Counter.Flaky", { name: world.id, failures: 9 })),
  },
  {
    name: "a tool that fails for good",
    expected: {
      ...{ ...FAILED, message: "Failed in run 1", promptText: "Failed in run 1\ntry: something else", canRetry: false },
      ...{ callId: "UUID", attempts: 1, runs: 1, effects: 0, slept: [] },
    },
    run: (world) =>
      counted(world, world.client().call("Counter.Flaky", { name: world.id, failures: 9, canRetry: false })),
  },
  {
    name: "a call that is made again with its id",
    expected: [1, 1, { runs: 1, effects: 1 }],
    async run(world) {
      const call = async () => {
        const input = { name: world.id, failures: 0 };
        return (await world.client().call("Counter.Flaky", input, { callId: world.id })).value;
      };
      return [await call(), await call(), await seen(world)];
    },
  },
  {
    name: "an answer that was lost on its way",
    expected: { value: 1, callId: "UUID", durationMs: 0, attempts: 2, runs: 1, effects: 1, slept: [250] },
    run: async (world) => {
      const lossy = world.oddClient("lossy", { token: world.token });
      const call = lossy.call("Counter.Flaky", { name: world.id, failures: 0 });
      return { ...(await counted(world, call)), durationMs: 0 };
    },
  },
  {
    name: "an answer that was lost, where that is not tried again",
    expected: [
      { code: "no-response", reason: "unreachable", attempts: 1 },
      { runs: 1, effects: 1 },
    ],
    async run(world) {
      const lossy = world.oddClient("lossy", { token: world.token, retry: { connections: false } });
      const call = lossy.call("Counter.Flaky", { name: world.id, failures: 0 });
      const { code, reason, attempts } = await call.catch((error) => error);
      return [{ code, reason, attempts }, await seen(world)];
    },
  },
  {
    name: "a tool that takes longer than a request may",
    expected: [1, true, { runs: 1, effects: 1 }],
    async run(world) {
      const clock = { now: () => 0, random: () => 0, sleep: async () => {} };
      const patient = world.client({ timeoutMs: 400, retry: { clock, attempts: 1_000 } });
      const { value, attempts } = await patient.call("Counter.Slow", { name: world.id, ms: 1_500 });
      return [value, attempts > 1, await seen(world)];
    },
  },
  {
    name: "a long tool, which is polled",
    expected: ["done", true, true, "UUID"],
    async run({ client }) {
      const polls: boolean[] = [];
      const onRetry = ({ isRunning }: { isRunning: boolean }) => void polls.push(isRunning);
      // A single failure would be the last. On the real clock, because the server never waits for the result.
      const retry = { attempts: 1, minDelayMs: 100, clock: undefined };
      const { value, attempts, callId } = await client().call("Jobs.Work", { ms: 1_500 }, { onRetry, retry });
      return [value, polls.length === attempts - 1 && polls.length > 0, polls.every(Boolean), callId];
    },
  },
  {
    name: "a long tool, and a client that gives up",
    expected: [{ code: "tool-failed", isRunning: true, canRetry: true, attempts: 1, callId: "UUID" }, "done"],
    async run({ client, id }) {
      const once = client({ retry: false }).call("Jobs.Work", { ms: 1_500 }, { callId: id });
      const { code, isRunning, canRetry, attempts, callId } = await once.catch((error) => error);
      const { value } = await client({ retry: {} }).call("Jobs.Work", { ms: 1_500 }, { callId });
      return [{ code, isRunning, canRetry, attempts, callId }, value];
    },
  },
  {
    name: "a listing, and the same again",
    expected: {
      ids: [
        "Counter.Flaky@1.0.0",
        "Counter.Seen@1.0.0",
        "Counter.Slow@1.0.0",
        "Jobs.Work@1.0.0",
        "Needs.Everything@1.0.0",
        "Needs.Nothing@1.0.0",
      ],
      isSame: true,
      statuses: [200, 304],
      output: null,
    },
    async run({ client }) {
      const statuses: number[] = [];
      const counting = client({
        async fetch(url, init) {
          const response = await fetch(url, init);
          statuses.push(response.status);
          return response;
        },
      });
      const tools = await counting.list();
      const isSame = (await counting.list()) === tools;
      const { output_schema: output } = tools.find(({ name }) => name === "Needs_Nothing") ?? {};
      return { ids: tools.map(({ id }) => id).sort(), isSame, statuses, output };
    },
  },
  {
    name: "a toolkit's address, and addresses of endpoints",
    expected: [["Needs_Everything", "Needs_Nothing"], 6, 6, 6, 2],
    async run({ client, server }) {
      const list = (url: string | URL) => client({ url }).list();
      const names = (await list(`${server}/needs/`)).map(({ name }) => name).sort();
      const others = [`${server}/tools`, `${server}/tools/call/`, `${server}/call`, new URL(`${server}/needs/tools`)];
      return [names, ...(await Promise.all(others.map(async (url) => (await list(url)).length)))];
    },
  },
  {
    name: "health, which needs no credential",
    expected: true,
    run: ({ server }) => new OxpClient({ url: server, token: "nonsense" }).health(),
  },
  {
    name: "a call that is cancelled while it runs, and before",
    expected: ["enough", "enough"],
    async run({ client, id }) {
      const stop = new AbortController();
      const sent = client({
        fetch(url, init) {
          setTimeout(() => stop.abort("enough"), 50);
          return fetch(url, init);
        },
      });
      const slow = { name: id, ms: 60_000 };
      const call = () => sent.call("Counter.Slow", slow, { signal: stop.signal }).catch((reason) => reason);
      return [await call(), await call()];
    },
  },
];
