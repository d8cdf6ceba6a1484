/**
 * Prompts, resources and completion have the same requirements as tools: scopes, rates, secrets, a time limit, a log
 * line. A caller that may not use them cannot reach them by any of MCP's methods.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  buildTools,
  type Counter,
  type Deployment,
  deployAll,
  type Made,
  startCounter,
} from "../../support/node/attacks/deployment.ts";
import { type Provider, startProvider } from "../../support/node/attacks/provider.ts";
import {
  type Answer,
  bearer,
  below,
  type Headers,
  listen,
  MCP_WAYS,
  type Sent,
  send,
  withHeaders,
} from "../../support/node/attacks/wire.ts";
import { type Fork, until } from "../../support/node/fork.ts";
import { readUntil } from "../../support/node/http.ts";

let fork: Fork;
let counter: Counter;
let provider: Provider;
/** A deployment open to anonymous callers, with sign-in. */
let here: Deployment;
/** A deployment open to anonymous callers, who have no way to get more scopes. */
let alone: Deployment;
/** Keys with one of the two scopes, with both, and with all but bound to another toolkit. */
let half: Made;
let member: Made;
let bound: Made;
beforeAll(async () => {
  fork = await buildTools();
  [counter, provider] = await Promise.all([startCounter(), startProvider()]);
  const settings = { RATE_PER_MINUTE: "", PUBLIC: "true" };
  const oauth = { JWT_ISSUER: provider.issuer, JWT_JWKS_URL: provider.jwksUrl };
  [here, alone] = (await deployAll(fork, [{ ...settings, ...oauth }, settings], counter)) as [Deployment, Deployment];
  [half, member, bound] = await Promise.all([
    here.makeKey({ scopes: ["club:read"] }),
    here.makeKey({ scopes: ["club:read", "club:write"] }),
    here.makeKey({ scopes: ["*"], toolkits: ["shop"] }),
  ]);
});
afterAll(async () => {
  await here?.stop();
  for (const one of [counter, provider]) one?.stop();
  fork?.remove();
});

const ask = (sent: Sent, headers: Headers = []) => send(here.url, withHeaders(sent, headers));
const as = (key: Made): Headers => bearer(key.text);
const token = (scope: string): Headers => bearer(provider.sign({ aud: `${here.url}/mcp`, scope }));

/** The log lines of one principal's calls. */
const linesOf = (key: Made) =>
  here.entries().filter(({ message, principal }) => message === "call" && principal === `key:${key.id}`);

interface Use {
  readonly method: string;
  readonly params: { readonly name?: string; readonly uri?: string };
  /** The parameters of one that does not exist. */
  readonly unknown: object;
  /** What the fixture reports when it runs. */
  readonly runs: string;
}

const complete = (ref: object, name: string, value = "") => ({ ref, argument: { name, value } });
const prompt = (name: string) => ({ type: "ref/prompt", name });
const resource = (uri: string) => ({ type: "ref/resource", uri });

/** Each way to use something that requires the scopes club:read and club:write. */
const GUARDED: Record<string, Use> = {
  "a prompt": {
    method: "prompts/get",
    params: { name: "Club_Letter" },
    unknown: { name: "Club_Xxxxxx" },
    runs: "club.letter",
  },
  "a resource": {
    method: "resources/read",
    params: { uri: "club://board" },
    unknown: { uri: "club://xxxxx" },
    runs: "club.board",
  },
  "a resource of a template": {
    method: "resources/read",
    params: { uri: "club://rooms/red" },
    unknown: { uri: "club://xxxxx/red" },
    runs: "club.room",
  },
  "a prompt's completion": {
    method: "completion/complete",
    params: complete(prompt("Club_Letter"), "to") as object,
    unknown: complete(prompt("Club_Xxxxxx"), "to"),
    runs: "club.letter.completed",
  },
  "a template's completion": {
    method: "completion/complete",
    params: complete(resource("club://rooms/{room}"), "room") as object,
    unknown: complete(resource("club://xxxxx/{room}"), "room"),
    runs: "club.room.completed",
  },
};
const SCOPED = Object.entries(GUARDED);
const WAYS = Object.entries(MCP_WAYS);
const messageOf = ({ body }: Answer) => (Array.isArray(body) ? body[0] : body);

describe.each(SCOPED)("%s that requires scopes", (_, { method, params, unknown, runs }) => {
  it.each(WAYS)("runs for a caller that has them, %s", async (_, way) => {
    for (const headers of [as(member), token("club:write club:read")]) {
      expect(
        await counter.ranBy(async () => expect((await ask(way(method, params), headers)).status).toBe(200)),
      ).toEqual([runs]);
    }
  });

  it.each(WAYS)("does not exist for a key without one of them, or of another toolkit, %s", async (_, way) => {
    const ran = await counter.ranBy(async () => {
      for (const key of [half, bound]) {
        const there = await ask(way(method, params), as(key));
        const nowhere = await ask(way(method, unknown), as(key));
        const alike = ({ status, text }: Answer) =>
          [status, text]
            .join()
            .replace(/Letter|Xxxxxx/, "")
            .replace(/xxxxx|board|rooms/, "");
        expect(alike(there)).toBe(alike(nowhere));
        expect(messageOf(there)).toHaveProperty("error");
      }
    });
    expect(ran).toEqual([]);
  });

  it.each(WAYS)("does not exist for an anonymous caller who cannot get them, %s", async (_, way) => {
    const ran = await counter.ranBy(async () => {
      const { status, text } = await send(alone.url, way(method, params));
      expect(text).toMatch(/Unknown|not found|nothing to complete/);
      expect(status).toBe(200);
    });
    expect(ran).toEqual([]);
  });

  it.each(WAYS.filter(([name]) => name !== "batch"))(
    "is 403 for a token that can come back with them, and says all that it takes, %s (MCP, Insufficient Scope Errors)",
    async (_, way) => {
      const ran = await counter.ranBy(async () => {
        const { status, headers, body } = await ask(way(method, params), token("club:read"));
        expect(status).toBe(403);
        expect(body).toMatchObject({ id: 1, error: { code: -32600 } });
        expect(headers["www-authenticate"]).toContain('error="insufficient_scope"');
        expect(headers["www-authenticate"]).toContain('scope="club:read club:write"');
        expect(headers["www-authenticate"]).toContain("resource_metadata=");
      });
      expect(ran).toEqual([]);
    },
  );

  it.each(WAYS.filter(([name]) => name !== "batch"))(
    "is 401 for an anonymous caller who can sign in, %s (RFC 6750, section 3.1)",
    async (_, way) => {
      const ran = await counter.ranBy(async () => {
        const { status, headers } = await ask(way(method, params));
        expect(status).toBe(401);
        expect(headers["www-authenticate"]).toContain('scope="club:read club:write"');
        expect(headers["www-authenticate"]).not.toContain("error=");
      });
      expect(ran).toEqual([]);
    },
  );

  it("is refused within a batch, which has no header to say so", async () => {
    const ran = await counter.ranBy(async () => {
      const { status, text } = await ask(MCP_WAYS.batch(method, params), token("club:read"));
      expect([status, text]).toEqual([200, expect.stringContaining("needs the scopes club:read club:write")]);
    });
    expect(ran).toEqual([]);
  });
});

describe("listings show what a caller can use, now or with more scopes", () => {
  const LISTS = ["prompts/list", "resources/list", "resources/templates/list"];
  const NAMES = /Club_(Letter|Room|Board)/;
  /** Joins all pages. */
  const listed = async (method: string, headers: Headers, prefix = "") =>
    (await ask(below(prefix, MCP_WAYS["2026-07-28"](method)), headers)).text;

  it.each(LISTS)("%s", async (method) => {
    for (const headers of [as(member), token(""), []]) expect(await listed(method, headers)).toMatch(NAMES);
    for (const headers of [as(half), as(bound)]) expect(await listed(method, headers)).not.toMatch(NAMES);
    expect(await listed(method, as(half), "/club")).not.toMatch(NAMES);
    const anonymous = await send(alone.url, MCP_WAYS["2026-07-28"](method));
    expect([anonymous.status, NAMES.test(anonymous.text)]).toEqual([200, false]);
    // The required scopes are not listed.
    expect(await listed(method, as(member))).not.toMatch(/club:(read|write)|"(scopes|rate|timeoutMs)"/);
  });

  it("are separate from those of other callers (MCP, pagination; ETag)", async () => {
    const [theirs, mine] = await Promise.all([member, half].map((key) => listed("prompts/list", as(key))));
    expect(await listed("prompts/list", as(member))).toBe(theirs);
    expect(mine).not.toBe(theirs);
  });
});

it("an ETag depends only on what is listed: it does not reveal scopes that the caller lacks", async () => {
  const none = await here.makeKey();
  for (const path of ["/tools", "/opentool/load"]) {
    const tag = async (key: Made) => (await send(here.url, { path, headers: as(key) })).headers.etag;
    const [half1, none1, member1] = [await tag(half), await tag(none), await tag(member)];
    expect(half1).toMatch(/^"/);
    expect(none1).toBe(half1);
    expect(member1).not.toBe(half1);
  }
});

describe("a caller that may not read a resource gets no news of its changes", () => {
  const SUBSCRIBE = { uri: "club://board" };

  it.each(["bare", "2025-11-25"] as const)("resources/subscribe, %s", async (name) => {
    const way = MCP_WAYS[name];
    expect((await ask(way("resources/subscribe", SUBSCRIBE), token("club:read"))).status).toBe(403);
    expect((await ask(way("resources/subscribe", SUBSCRIBE))).status).toBe(401);
    expect((await ask(way("resources/subscribe", SUBSCRIBE), as(half))).body.error.code).toBe(-32002);
    expect((await ask(way("resources/subscribe", SUBSCRIBE), as(member))).body.result).toEqual({});
    // Unsubscribing is always allowed.
    expect((await ask(way("resources/unsubscribe", SUBSCRIBE), token("club:read"))).body.result).toEqual({});
  });

  it("subscriptions/listen, 2026-07-28", async () => {
    const honoured = async (headers: Headers) => {
      const stream = await listen(here.url, { resourceSubscriptions: [SUBSCRIBE.uri, "shop://window"] }, headers);
      return /"resourceSubscriptions":(\[[^\]]*\])/.exec(await readUntil(stream, /\n\n/))?.[1];
    };
    expect(await honoured(as(member))).toBe('["club://board","shop://window"]');
    for (const headers of [token("club:read"), as(half), []]) expect(await honoured(headers)).toBe('["shop://window"]');
  });
});

describe("a fixed URI that also matches a template belongs to the fixed resource", () => {
  const SPELLED = ["club://lobby/h%C3%B4te", "club://lobby/%68%c3%b4te", "club://lobby/hôte"];

  it.each(SPELLED)("%s, read", async (uri) => {
    const way = MCP_WAYS["2025-11-25"];
    const read = async (headers: Headers) => ask(way("resources/read", { uri }), headers);
    expect((await read(as(member))).body.result.contents[0].text).toBe("For the end of the day.");
    for (const key of [half, bound]) expect((await read(as(key))).body.error.code).toBe(-32002);
    expect((await read(token("club:read"))).status).toBe(403);
    const guest = await ask(way("resources/read", { uri: "club://lobby/ann" }), as(half));
    expect(guest.body.result.contents[0].text).toBe("ann waits.");
  });

  it.each(SPELLED)("%s, subscribed to", async (uri) => {
    const way = MCP_WAYS["2025-11-25"];
    expect((await ask(way("resources/subscribe", { uri }), as(member))).body.result).toEqual({});
    expect((await ask(way("resources/subscribe", { uri }), as(half))).body.error.code).toBe(-32002);
    expect((await ask(way("resources/subscribe", { uri }), token("club:read"))).status).toBe(403);
  });
});

describe("a URI that matches several templates belongs to the one whose first differing segment is more literal", () => {
  const OWNED: [uri: string, text: string][] = [
    ["club://lockers/ann/key", "the key of ann"],
    ["club://lockers/ann/%6Bey", "the key of ann"],
    ["club://%6cockers/ann/%6b%65%79", "the key of ann"],
    ["club://lockers/ann/~spare", "the spare key of ann"],
    ["club://lockers/ann/%7Espare", "the spare key of ann"],
    ["club://lockers/ann/bag.scan?as=text", "the scan of bag of ann"],
    ["club://lockers/ann/bag%2escan?as=text", "the scan of bag of ann"],
  ];
  /** With an escaped delimiter it belongs to no other template either: decoded, it would be theirs. */
  const NOBODYS = ["club://lockers/ann/bag.scan%3Fas=text", "club://lockers/ann%2Fkey", "club://lockers%2Fann/key"];
  const OPEN: [uri: string, text: string][] = [
    ["club://lockers/ann/keys", "keys of ann"],
    ["club://lockers/ann/%256Bey", "%6Bey of ann"],
    ["club://lockers/ann/bag.scan", "bag.scan of ann"],
    ["club://lockers/ann/bag%3F", "bag? of ann"],
    ["club://lockers/key/spare", "spare of key"],
  ];
  const way = MCP_WAYS["2025-11-25"];
  const use = async (method: string, uri: string, headers: Headers) => ask(way(method, { uri }), headers);
  const read = (uri: string, headers: Headers) => use("resources/read", uri, headers);

  it.each(OWNED)("%s, read", async (uri, text) => {
    expect((await read(uri, as(member))).body.result.contents[0].text).toBe(text);
    for (const key of [half, bound]) expect((await read(uri, as(key))).body.error.code).toBe(-32002);
    expect((await read(uri, token("club:read"))).status).toBe(403);
    expect((await read(uri, [])).status).toBe(401);
  });

  it.each(OWNED)("%s, subscribed to", async (uri) => {
    expect((await use("resources/subscribe", uri, as(member))).body.result).toEqual({});
    expect((await use("resources/subscribe", uri, as(half))).body.error.code).toBe(-32002);
    expect((await use("resources/subscribe", uri, token("club:read"))).status).toBe(403);
  });

  it.each(NOBODYS)("%s", async (uri) => {
    for (const key of [member, half]) expect((await read(uri, as(key))).body.error?.code).toBe(-32002);
  });

  it.each(OPEN)("%s still belongs to the open one", async (uri, text) => {
    for (const key of [member, half]) {
      expect((await read(uri, as(key))).body.result?.contents[0].text).toBe(text);
    }
  });
});

describe("calls a minute (the definition's rate)", () => {
  /** All are named `Shop.Rare`, like a tool with the same rate. */
  const RARE: Record<string, [method: string, params: object]> = {
    "a prompt": ["prompts/get", { name: "Shop.Rare" }],
    "a resource": ["resources/read", { uri: "club://rare/this" }],
    "a prompt's completion": ["completion/complete", complete(prompt("Shop.Rare"), "what")],
    "a template's completion": ["completion/complete", complete(resource("club://rare/{what}"), "what")],
  };
  const tool: [string, object] = ["tools/call", { name: "Shop_Rare" }];

  /**
   * Sends the request until it is refused, however many limiter minutes that takes. Returns how often it was answered.
   */
  async function untilBusy(sent: Sent, headers: Headers): Promise<{ answered: number; refused: Answer }> {
    for (let answered = 0; answered < 60; answered++) {
      const answer = await ask(sent, headers);
      if (messageOf(answer).error) return { answered, refused: answer };
    }
    throw new Error("it is never refused");
  }

  it.each(Object.entries(RARE))(
    "%s is answered ten times, then refused with Retry-After",
    async (_, [method, params]) => {
      const key = await here.makeKey();
      const { answered } = await untilBusy(MCP_WAYS.bare(method, params), as(key));
      expect(answered).toBeGreaterThanOrEqual(10);
      for (const [name, way] of WAYS) {
        const { refused } = await untilBusy(way(method, params), as(key));
        expect(messageOf(refused).error, name).toEqual({
          code: -32603,
          message: expect.stringMatching(/^More than 10 calls of Shop\.Rare in a minute; wait and try again/),
          data: { can_retry: true, retry_after_ms: 60_000 },
        });
        if (name !== "batch") expect([refused.status, refused.headers["retry-after"]]).toEqual([200, "60"]);
      }
    },
  );

  it("is counted for each separately, even if names are equal, and for each principal", async () => {
    const [key, other] = await Promise.all([here.makeKey(), here.makeKey()]);
    const way = MCP_WAYS.bare;
    for (const [method, params] of [...Object.values(RARE), tool]) {
      const first = messageOf(await ask(way(method, params), as(key)));
      expect([method, first.result?.isError ?? first.error]).toEqual([method, undefined]);
      if (method === "tools/call") continue;
      await untilBusy(way(method, params), as(key));
      expect(messageOf(await ask(way(method, params), as(other)))).toHaveProperty("result");
    }
  });

  it.each<[string, object]>([
    ["prompts/get", { name: "Club_Unmetered" }],
    ["resources/read", { uri: "club://unmetered/this" }],
    ["completion/complete", complete(prompt("Club_Unmetered"), "what")],
    ["completion/complete", complete(resource("club://unmetered/{what}"), "what")],
  ])("without the limiter every caller is refused: %s %j", async (method, params) => {
    const { error } = messageOf(await ask(MCP_WAYS.bare(method, params), as(member)));
    expect(error).toMatchObject({
      code: -32603,
      message: expect.stringContaining("temporarily unavailable"),
      data: { can_retry: true },
    });
  });
});

describe("completion (server/utilities/completion)", () => {
  const moody = (how: string, headers: Headers) =>
    ask(MCP_WAYS["2026-07-28"]("completion/complete", complete(prompt("Club_Moody"), "how", how) as object), headers);

  it.each([
    ["well", ["well"], "completed"],
    ["fault", [], "failed"],
    ["throw", [], "failed"],
    // The limit is 200 ms, so the answer comes long before the default limit of a minute.
    ["forever", [], "timed_out"],
    ["numbers", [], "failed"],
    ["a text", [], "failed"],
    ["an object", [], "failed"],
    ["null", [], "failed"],
  ])("that ends with %s suggests %j, and the log says that it %s", async (how, values, outcome) => {
    const key = await here.makeKey();
    const { body } = await moody(how, as(key));
    expect(body.result.completion).toEqual({ values, total: values.length, hasMore: false });
    await until(async () => linesOf(key).length > 0, 30_000);
    expect(linesOf(key)).toEqual([
      expect.objectContaining({ level: "info", tool: "Club_Moody", completion: true, protocol: "mcp", outcome }),
    ]);
  });

  it.each(["numbers", "a text", "an object", "null"])("that is not a list of strings, %s, is logged", async (how) => {
    const before = here.entries().length;
    await moody(how, as(member));
    const said = () =>
      here
        .entries()
        .slice(before)
        .filter(({ level }) => level === "error");
    await until(async () => said().length > 0, 30_000);
    expect(said()).toEqual([
      expect.objectContaining({
        tool: "Club_Moody",
        error: expect.objectContaining({
          message: expect.stringContaining("Club_Moody, how must return a list of strings"),
        }),
      }),
    ]);
  });

  it("needs what its prompt requires, before its arguments are checked", async () => {
    const key = await here.makeKey();
    const requests = [
      MCP_WAYS.bare("completion/complete", complete(prompt("Club_Needy"), "what")),
      MCP_WAYS.bare("prompts/get", { name: "Club_Needy" }),
    ];
    for (const sent of requests) {
      const { error } = (await ask(sent, as(key))).body;
      expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('secret "CLUB_SECRET"') });
    }
    await until(async () => linesOf(key).length === 2, 30_000);
    expect(linesOf(key)).toEqual([
      expect.objectContaining({ completion: true, outcome: "refused", reason: "requirements" }),
      expect.not.objectContaining({ completion: true }),
    ]);
  });
});

describe("the log has a line for each, with its result (docs/operating.md, The log)", () => {
  it.each(SCOPED)("%s", async (_, { method, params }) => {
    const key = await here.makeKey({ scopes: ["*"] });
    await ask(MCP_WAYS.bare(method, params), as(key));
    await until(async () => linesOf(key).length > 0, 30_000);
    const [line] = linesOf(key);
    expect(line).toMatchObject({ tool: expect.stringMatching(/^Club_(Letter|Board|Room)$/), outcome: "completed" });
    expect(line?.completion).toBe(method === "completion/complete" ? true : undefined);
  });

  it.each(SCOPED)("%s that is refused for a scope", async (_, { method, params }) => {
    const refused = () => here.entries().filter(({ reason }) => reason === "scope").length;
    const before = refused();
    await ask(MCP_WAYS.bare(method, params), token("club:read"));
    await until(async () => refused() > before, 30_000);
    expect(refused()).toBe(before + 1);
  });
});
