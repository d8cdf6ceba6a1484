/**
 * Valid credentials used beyond their reach: for another toolkit, a tool outside their scopes, or another principal's
 * session, results and listings. Something that a principal may not see gets exactly the answer of something that does
 * not exist.
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
import { type Provider, startProvider } from "../support/node/attacks/provider.ts";
import { now, SECRET, shared } from "../support/node/attacks/tokens.ts";
import {
  type Answer,
  bearer,
  below,
  CALLS,
  type Headers,
  listen,
  MCP_WAYS,
  MODERN_META,
  rpc,
  type Sent,
  send,
  withHeaders,
} from "../support/node/attacks/wire.ts";
import type { Fork } from "../support/node/fork.ts";
import { readUntil } from "../support/node/http.ts";
import { isSlow } from "../support/tier.ts";

let fork: Fork;
let here: Deployment;
let counter: Counter;
let provider: Provider;
/** In order: a key for the shop toolkit only, with all scopes; one without scopes; one with one scope; one with all. */
let bound: Made;
let plain: Made;
let opener: Made;
let full: Made;
beforeAll(async () => {
  fork = await buildTools();
  [counter, provider] = await Promise.all([startCounter(), startProvider()]);
  const settings = {
    JWT_SECRET: SECRET,
    JWT_ISSUER: provider.issuer,
    JWT_JWKS_URL: provider.jwksUrl,
    RATE_PER_MINUTE: "",
    PAGE_SIZE: "1",
  };
  here = await deploy(fork, settings, counter);
  [bound, plain, opener, full] = await Promise.all([
    here.makeKey({ toolkits: ["shop"], scopes: ["*"] }),
    here.makeKey(),
    here.makeKey({ scopes: ["vault:open"] }),
    here.makeKey({ scopes: ["*"] }),
  ]);
});
afterAll(async () => {
  await here?.stop();
  for (const one of [counter, provider]) one?.stop();
  fork?.remove();
});

const ask = (sent: Sent, headers: Headers) => send(here.url, withHeaders(sent, headers));
const as = (key: Made): Headers => bearer(key.text);
/** An answer with "vault" and "maybe" made the same word: everything else must be equal already. */
const alike = ({ status, headers: { date: _, ...headers }, text }: Answer) =>
  JSON.stringify({ status, headers, text }).replace(/maybe/g, "vault").replace(/Maybe/g, "Vault");

const PATHS = [
  ...["", "/", "//", "/tools", "/tools/", "/tools/call", "/call", "/info", "/health", "/health/", "/mcp", "/mcp/"],
  ...["/opentool/version", "/opentool/load", "/opentool/call", "/opentool/streamCall", "/opentool", "/unknown"],
  ...["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/%74ools", "//tools"],
  ...["/mcp/mcp", "/shop/mcp", "/authorize", "/token", "/tools?x=1", "/../vault/tools"],
];
/** In the fast tier every fifth: which ones differs by caller and method. */
const some = (offset: number) => PATHS.filter((_, at) => isSlow || (at + offset) % 5 === 0);
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const callers: [string, () => Headers][] = [
  ["a key of another toolkit", () => as(bound)],
  ["nobody", () => []],
  ["a bad key", () => bearer("trivet_x")],
  [
    "a page that asks first",
    () => [
      ["Origin", here.url],
      ["Access-Control-Request-Method", "POST"],
    ],
  ],
  ["a page of another place", () => [["Origin", "https://evil.example"]]],
];

describe.each(callers)("a toolkit cannot be told from one that does not exist by %s", (caller, headers) => {
  it.each(METHODS)("%s", async (method) => {
    const body = ["POST", "PUT", "PATCH"].includes(method) ? rpc("tools/list") : undefined;
    for (const path of some(METHODS.indexOf(method) + callers.findIndex(([name]) => name === caller))) {
      const [there, nowhere] = await Promise.all(
        ["vault", "maybe"].map((toolkit) => ask({ method, path: `/${toolkit}${path}`, body }, headers())),
      );
      expect(alike(there as Answer), path).toBe(alike(nowhere as Answer));
      expect([200, 204, 400, 401, 403, 404], path).toContain(there?.status);
    }
  });

  it("the metadata's path answers the same for both (RFC 9728, section 3.1)", async () => {
    const [there, nowhere] = await Promise.all(
      ["vault", "maybe"].map((toolkit) =>
        ask({ path: `/.well-known/oauth-protected-resource/${toolkit}/mcp` }, headers()),
      ),
    );
    expect(alike(there as Answer)).toBe(alike(nowhere as Answer));
  });
});

it("the key's own toolkit answers on the same paths", async () => {
  const answers = await Promise.all(
    ["/shop/tools", "/shop/info", "/shop/health", "/shop/opentool/load"].map((path) => ask({ path }, as(bound))),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const call of Object.values(CALLS)) {
    expect(await counter.ranBy(() => ask(below("/shop", call("Shop.Look")), as(bound)))).toEqual(["shop.look"]);
  }
});

describe("a tool that is not visible answers as one that does not exist", () => {
  const ids = ["Vault.Peek", "Vault.Open", "Vault.Open@1", "Vault.Open@1.0.0", "Vault.Open@2.0.0", "Vault.Open@9.9.9"];
  it.each(Object.entries(CALLS))("%s, a key of another toolkit", async (_, call) => {
    const ran = await counter.ranBy(async () => {
      for (const id of ids) {
        const there = await ask(call(id), as(bound));
        expect(alike(there), id).toBe(alike(await ask(call(id.replace("Vault", "Maybe")), as(bound))));
      }
    });
    expect(ran).toEqual([]);
  });

  it.each(Object.entries(CALLS))("%s, a key without the scope", async (_, call) => {
    const unknown = (id: string) => id.replace("Open", "Xxxx");
    const ran = await counter.ranBy(async () => {
      for (const id of ids.slice(1)) {
        for (const prefix of ["", "/vault"]) {
          const there = await ask(below(prefix, call(id)), as(plain));
          const nowhere = await ask(below(prefix, call(unknown(id))), as(plain));
          expect(alike(there), id).toBe(alike(nowhere).replaceAll("Xxxx", "Open"));
        }
      }
    });
    expect(ran).toEqual([]);
  });

  const METHODS: [string, object, object][] = [
    ["prompts/get", { name: "Vault_Note" }, { name: "Maybe_Note" }],
    ["resources/read", { uri: "vault://ledger" }, { uri: "maybe://ledger" }],
    ["resources/read", { uri: "vault://boxes/red" }, { uri: "maybe://boxes/red" }],
    ["resources/subscribe", { uri: "vault://ledger" }, { uri: "maybe://ledger" }],
    ["resources/unsubscribe", { uri: "vault://ledger" }, { uri: "maybe://ledger" }],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "Vault_Note" }, argument: { name: "box", value: "" } },
      { ref: { type: "ref/prompt", name: "Maybe_Note" }, argument: { name: "box", value: "" } },
    ],
    [
      "completion/complete",
      { ref: { type: "ref/resource", uri: "vault://boxes/{box}" }, argument: { name: "box", value: "" } },
      { ref: { type: "ref/resource", uri: "maybe://boxes/{box}" }, argument: { name: "box", value: "" } },
    ],
  ];
  describe.each(Object.entries(MCP_WAYS))("MCP %s", (_, way) => {
    it.each(METHODS)("%s %j", async (method, there, nowhere) => {
      const ran = await counter.ranBy(async () => {
        for (const prefix of ["", "/shop"]) {
          const one = await ask(below(prefix, way(method, there)), as(bound));
          expect(alike(one)).toBe(alike(await ask(below(prefix, way(method, nowhere)), as(bound))));
          expect(one.text).not.toMatch(/gold|red","green/);
        }
      });
      expect(ran).toEqual([]);
      // A key with access sends the same request: only the key makes the difference.
      const allowed = await ask(way(method, there), as(full));
      if (way !== MCP_WAYS["2026-07-28"] || !/subscribe/.test(method)) expect(allowed.text).toContain('"result"');
    });
  });

  it("subscriptions/listen acknowledges visible resources only", async () => {
    const acknowledged = async (uri: string, key: Made) =>
      readUntil(await listen(here.url, { resourceSubscriptions: [uri] }, as(key)), /\n\n/);
    expect(await acknowledged("vault://ledger", full)).toContain('"resourceSubscriptions":["vault://ledger"]');
    const hidden = await acknowledged("vault://ledger", bound);
    expect(hidden).toContain("acknowledged");
    expect(hidden).not.toContain("vault");
    expect(hidden).toBe(await acknowledged("maybe://ledger", bound));
  });

  const LISTINGS: [string, Sent][] = [
    ["OXP", { path: "/tools" }],
    ["OpenTool", { path: "/opentool/load" }],
    ...["tools/list", "prompts/list", "resources/list", "resources/templates/list"].map((method): [string, Sent] => [
      `MCP ${method}`,
      MCP_WAYS.bare(method),
    ]),
  ];
  it.each(LISTINGS)("%s lists none of its tools", async (_, listing) => {
    expect((await ask(listing, as(bound))).text).not.toMatch(/vault/i);
    expect((await ask(listing, as(plain))).text).not.toMatch(/Vault.Open|vault:open|Shop.Buy|shop:(buy|pay)/);
    expect((await ask(listing, as(opener))).text).not.toMatch(/Shop.Buy|shop:(buy|pay)/);
  });
});

describe("a tool cannot be called by another spelling of its id (OXP, ToolId)", () => {
  const spellings = [
    ...["Vault.Open", "Vault.Open@1", "Vault.Open@2", "Vault.Open@1.0.0", "Vault.Open@01.0.0", "Vault.Open@0001"],
    ...[
      "vault.open",
      "VAULT.OPEN",
      "Vault_Open",
      "vault/open",
      "vault.Open",
      " Vault.Open",
      "Vault.Open ",
      "Vault.Open\n",
    ],
    ...[
      "Vault.Open\u0000",
      "Vault．Open",
      "Vault.Оpen",
      "Vault.Open\u200b",
      "Vault..Open",
      "Vault.Open@",
      "Vault.Open@1.0",
    ],
    ...["Vault.Open@latest", "Vault.Open@*", "Vault.Peek/../Open", "Vault.Peek;Vault.Open", "vault:open", "__proto__"],
    ...["constructor", "Vault.constructor", "Vault%2EOpen", "open@1", "Open"],
  ];
  it.each(spellings)("%j, without its scope", async (name) => {
    const ran = await counter.ranBy(async () => {
      for (const headers of [
        as(plain),
        as(bound),
        bearer(shared()),
        bearer(shared({ scope: "vault vault:ope shop:buy *" })),
      ]) {
        await ask({ method: "POST", path: "/tools/call", body: { request: { tool_id: name } } }, headers);
        await ask({ method: "POST", path: "/vault/call", body: { request: { tool_id: name } } }, headers);
        await ask(MCP_WAYS.bare("tools/call", { name }), headers);
        await ask(MCP_WAYS.batch("tools/call", { name }), headers);
        await ask({ method: "POST", path: "/opentool/call", body: rpc(name) }, headers);
        await ask({ method: "POST", path: "/opentool/streamCall", body: rpc(name) }, headers);
      }
    });
    expect(ran).toEqual([]);
  });

  it.each(["Vault.Open", "Vault.Open@1", "Vault.Open@1.0.0", "Vault.Open@2"])("%s, with its scope", async (id) => {
    for (const headers of [
      as(opener),
      as(full),
      bearer(shared({ scope: "x vault:open" })),
      bearer(shared({ scp: ["vault:open"] })),
    ]) {
      const ran = await counter.ranBy(() => ask(CALLS["OXP /tools/call"]?.(id) as Sent, headers));
      expect(ran).toEqual(["vault.open"]);
    }
  });

  it("one of two required scopes is not enough", async () => {
    const ran = await counter.ranBy(async () => {
      for (const scope of ["shop:buy", "shop:pay", "shop:buy,shop:pay", "shop:buy  shop", "shop:*"]) {
        for (const call of Object.values(CALLS)) await ask(call("Shop.Buy"), bearer(shared({ scope })));
      }
    });
    expect(ran).toEqual([]);
    const both = bearer(shared({ scope: "shop:pay shop:buy" }));
    expect(await counter.ranBy(() => ask(CALLS["MCP bare"]?.("Shop.Buy") as Sent, both))).toEqual(["shop.buy"]);
  });
});

describe("a provider's token sees tools whose scopes it lacks, and learns how to get them (MCP, Insufficient Scope Errors; RFC 6750, 3.1)", () => {
  const token = (more: object = {}) => bearer(provider.sign({ aud: `${here.url}/mcp`, ...more }));

  it.each(["OXP /tools/call", "OXP /call", "MCP bare", "MCP 2025-11-25", "MCP 2026-07-28", "OpenTool call"])(
    "%s: 403, all scopes of the tool and where to ask",
    async (way) => {
      let answer: Answer | undefined;
      const ran = await counter.ranBy(async () => {
        answer = await ask(CALLS[way]?.("Shop.Buy") as Sent, token({ scope: "shop:buy" }));
      });
      expect(ran).toEqual([]);
      expect(answer?.status).toBe(403);
      const challenge = answer?.headers["www-authenticate"];
      expect(challenge).toContain('error="insufficient_scope"');
      expect(challenge).toContain('scope="shop:buy shop:pay"');
      expect(challenge).toContain('resource_metadata="http');
    },
  );

  it.each(["MCP batch", "OpenTool streamCall"])("%s: refused in its body", async (way) => {
    const ran = await counter.ranBy(async () => {
      const { status, text } = await ask(CALLS[way]?.("Shop.Buy") as Sent, token({ scope: "shop:buy" }));
      expect(status).toBe(200);
      expect(text).toContain("needs the scopes shop:buy shop:pay");
    });
    expect(ran).toEqual([]);
  });

  it("a token for one toolkit is valid on its paths, and on no others (RFC 8707)", async () => {
    const aud = `${here.url}/shop/mcp`;
    const statuses = await Promise.all(
      ["/shop/info", "/shop/tools", "/info", "/vault/info", "/maybe/info"].map((path) => ask({ path }, token({ aud }))),
    );
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 401, 401, 401]);
    // A method that the path does not support says nothing about the token (RFC 9110, 15.5.6).
    expect((await ask({ method: "PUT", path: "/shop/tools" }, token({ aud }))).status).toBe(405);
  });
});

describe("a listing belongs to one principal (RFC 9110, 13.1.2; MCP, pagination)", () => {
  it.each(["/tools", "/opentool/load", "/vault/tools", "/vault/opentool/load"])(
    "%s: another principal's ETag gets the whole listing, not a 304",
    async (path) => {
      const mine = await ask({ path }, as(plain));
      const theirs = await ask({ path }, as(opener));
      expect(theirs.headers.etag).not.toBe(mine.headers.etag);
      for (const etag of [theirs.headers.etag, `W/${theirs.headers.etag}`]) {
        const conditional = await ask({ path }, [...as(plain), ["If-None-Match", etag as string]]);
        expect([conditional.status, conditional.text]).toEqual([200, mine.text]);
      }
      const own = await ask({ path }, [...as(plain), ["If-None-Match", `"x", ${mine.headers.etag}`]]);
      expect([own.status, own.text]).toEqual([304, ""]);
    },
  );

  it("shared caches must not store it", async () => {
    for (const path of ["/tools", "/opentool/load"]) {
      expect((await ask({ path }, as(plain))).headers["cache-control"]).toBe("private, no-cache");
    }
  });

  it("another principal's cursor is not valid for it", async () => {
    const page = async (key: Made, cursor?: string) =>
      (await ask(MCP_WAYS.bare("tools/list", { ...(cursor && { cursor }) }), as(key))).body;
    const cursor = (await page(full)).result.nextCursor;
    expect((await page(full, cursor)).result.tools).toHaveLength(1);
    for (const key of [plain, opener, bound]) {
      expect((await page(key, cursor)).error.code).toBe(-32602);
    }
    // A forged cursor with a valid revision: its offset counts visible tools only.
    const [revision] = Buffer.from((await page(bound)).result.nextCursor, "base64url")
      .toString()
      .split(":");
    for (const offset of ["0", "1", "5", "999"]) {
      const forged = Buffer.from(`${revision}:${offset}`).toString("base64url");
      expect(JSON.stringify(await page(bound, forged))).not.toMatch(/vault/i);
    }
  });
});

describe("a session belongs to one principal (MCP, Session Hijacking)", () => {
  async function handshake(headers: Headers): Promise<Headers> {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const answer = await ask(MCP_WAYS.bare("initialize", params), headers);
    return [
      ["Mcp-Session-Id", answer.headers["mcp-session-id"] as string],
      ["MCP-Protocol-Version", "2025-11-25"],
    ];
  }
  const remember = (word: string) => MCP_WAYS.bare("tools/call", { name: "Vault_Remember", arguments: { word } });

  it("another principal's is unknown, and stays usable by its owner", async () => {
    const session = await handshake(as(full));
    await ask(remember("mine"), [...as(full), ...session]);
    const thieves: Headers[] = [as(plain), as(opener), bearer(shared()), bearer(provider.sign({ aud: here.url }))];
    for (const thief of thieves) {
      const ran = await counter.ranBy(async () => {
        const sent: Sent[] = [
          remember("stolen"),
          MCP_WAYS.bare("tools/list"),
          { method: "DELETE", path: "/mcp" },
          { method: "GET", path: "/mcp", headers: [["Accept", "text/event-stream"]] },
          {
            method: "POST",
            path: "/mcp",
            body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
          },
          { method: "POST", path: "/mcp", body: { jsonrpc: "2.0", id: "ask-x", result: {} } },
          {
            method: "POST",
            path: "/mcp",
            body: [rpc("tools/call", { name: "Vault_Remember", arguments: { word: "stolen" } })],
          },
        ];
        for (const one of sent) {
          const { status, body } = await ask(one, [...thief, ...session]);
          expect([status, body.error.code]).toEqual([404, -32001]);
        }
      });
      expect(ran).toEqual([]);
    }
    const { body } = await ask(remember("still mine"), [...as(full), ...session]);
    expect(body.result.structuredContent).toEqual({ before: "mine" });
  });

  it("an altered handle is unknown", async () => {
    const [[, handle]] = (await handshake(as(full))) as [[string, string]];
    const [id = "", note = "", mac = ""] = handle.split(".");
    const altered = [
      `${id}.${note}`,
      `${id}.${note}.`,
      `${id}..${mac}`,
      `.${note}.${mac}`,
      `${id}.${note.replace("0000", "1111")}.${mac}`,
      `${id}.${note}.${mac}.`,
      `${id}A.${note}.${mac}`,
      `${id}.${note}.${mac.slice(0, -2)}`,
      `${id}.${note}.${"A".repeat(43)}`,
      `${handle}, ${handle}`,
    ];
    for (const one of altered) {
      expect((await ask(remember("x"), [...as(full), ["Mcp-Session-Id", one]])).status, one).toBe(404);
    }
  });

  it("renewed tokens of one subject are one principal; tokens of the two kinds never are", async () => {
    const theirs = (more: object) => bearer(provider.sign({ aud: here.url, sub: "grace", ...more }));
    const session = await handshake(theirs({}));
    expect((await ask(remember("a"), [...theirs({ exp: now() + 60 }), ...session])).status).toBe(200);
    expect((await ask(remember("b"), [...theirs({ sub: "eve" }), ...session])).status).toBe(404);
    // The holder of the shared secret may sign any issuer and subject, but does not become the provider's user by that.
    const forged = bearer(shared({ iss: provider.issuer, sub: "grace", aud: here.url }));
    expect((await ask(remember("c"), [...forged, ...session])).status).toBe(404);
  });
});

describe("results under an idempotency key belong to one principal", () => {
  const KEYED: [string, (key: string) => { sent: Sent; headers?: Headers }][] = [
    [
      "OXP call_id",
      (call_id) => ({
        sent: { method: "POST", path: "/call", body: { request: { tool_id: "Vault.Peek", call_id, input: {} } } },
      }),
    ],
    [
      "MCP idempotency_key",
      (idempotency_key) => ({
        sent: MCP_WAYS.bare("tools/call", { name: "Vault_Peek", arguments: { idempotency_key } }),
      }),
    ],
    [
      "MCP Idempotency-Key",
      (key) => ({ sent: MCP_WAYS.bare("tools/call", { name: "Vault_Peek" }), headers: [["Idempotency-Key", key]] }),
    ],
    [
      "OpenTool Idempotency-Key",
      (key) => ({ sent: CALLS["OpenTool call"]?.("Vault.Peek") as Sent, headers: [["Idempotency-Key", key]] }),
    ],
  ];
  it.each(KEYED)("%s", async (name, make) => {
    const { sent, headers = [] } = make(`the same for all: ${name}`);
    const principals: Headers[] = [as(plain), as(full), bearer(shared()), bearer(shared({ sub: "eve" }))];
    for (const principal of principals) {
      expect(await counter.ranBy(() => ask(sent, [...principal, ...headers]))).toEqual(["vault.peek"]);
    }
    // Its own call is replayed, with its own result.
    let answer: Answer | undefined;
    const ran = await counter.ranBy(async () => {
      answer = await ask(sent, [...as(plain), ...headers]);
    });
    expect(ran).toEqual([]);
    expect(answer?.text).toContain(`key:${plain.id}`);
  });

  it("no result is replayed to a key that may no longer call the tool", async () => {
    const fallen = await here.makeKey({ scopes: ["vault:open"] });
    const call: Sent = { method: "POST", path: "/call", body: { request: { tool_id: "Vault.Open", call_id: "once" } } };
    expect((await ask(call, as(fallen))).body.result.success).toBe(true);
    await here.demote(fallen);
    await here.ahead(31);
    const answer = await ask(call, as(fallen));
    await here.ahead(0);
    expect([answer.status, answer.text]).toEqual([400, expect.not.stringContaining("opened")]);
  });

  it("a question's state belongs to the principal that was asked (2026-07-28, MRTR)", async () => {
    const params = { name: "Ends_How", arguments: { how: "asking" } };
    const meta = {
      ...MODERN_META,
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    };
    const ask2026 = (more: object, key: Made) => {
      const sent = MCP_WAYS["2026-07-28"]("tools/call", params);
      return ask({ ...sent, body: rpc("tools/call", { ...params, ...more, _meta: meta }) }, as(key));
    };
    const { requestState } = (await ask2026({}, full)).body.result;
    expect(requestState).toEqual(expect.any(String));
    const inputResponses = { size: { action: "accept", content: { size: "S" } } };
    expect((await ask2026({ requestState, inputResponses }, plain)).body.error.code).toBe(-32602);
    expect((await ask2026({ requestState, inputResponses }, full)).body.result.isError).toBeUndefined();
  });
});
