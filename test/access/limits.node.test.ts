/** Rate, size and time limits of keys, anonymous callers, tools and requests, as each protocol reports them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, anonymousAccess } from "../../src/access/anonymous.ts";
import { partitionOf } from "../../src/core/model/principal.ts";
import {
  buildTools,
  type Counter,
  type Deployment,
  deployAll,
  startCounter,
} from "../support/node/attacks/deployment.ts";
import {
  bearer,
  CALLS,
  type Headers,
  MCP_WAYS,
  rpc,
  type Sent,
  send,
  withHeaders,
} from "../support/node/attacks/wire.ts";
import type { Fork } from "../support/node/fork.ts";

const SETTINGS = {
  shipped: {},
  ten: { RATE_PER_MINUTE: "10", PUBLIC: "true" },
  none: { RATE_PER_MINUTE: "" },
  "123": { RATE_PER_MINUTE: "123", PUBLIC: "true" },
  "-1": { RATE_PER_MINUTE: "-1", PUBLIC: "true" },
  "600/min": { RATE_PER_MINUTE: "600/min", PUBLIC: "true" },
  "6e2": { RATE_PER_MINUTE: "6e2", PUBLIC: "true" },
  "a lot": { RATE_PER_MINUTE: "a lot", PUBLIC: "true" },
} as const;

let fork: Fork;
let counter: Counter;
let deployments: Deployment[] = [];
beforeAll(async () => {
  fork = await buildTools();
  counter = await startCounter();
  deployments = await deployAll(fork, Object.values(SETTINGS), counter);
});
afterAll(async () => {
  await deployments[0]?.stop();
  counter?.stop();
  fork?.remove();
});

/**
 * Returns the deployment with these settings. Waits if the minute ends soon, because limiters count by clock minute.
 */
async function at(settings: keyof typeof SETTINGS = "shipped"): Promise<Deployment> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 15_000) await new Promise((resume) => setTimeout(resume, left));
  // Keys that are whole numbers come first in an object's order, as these do, so both lists have the same order.
  return deployments[Object.keys(SETTINGS).indexOf(settings)] as Deployment;
}

/** Sends the request this many times in sequence. Returns the statuses. */
async function times(count: number, to: Deployment, sent: Sent, headers: Headers = []) {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await send(to.url, withHeaders(sent, headers))).status);
  return statuses;
}
const ten = Array.from({ length: 10 }, () => 200);
const INFO: Sent = { path: "/info" };

describe("requests a minute (wrangler.toml, RATE_PER_MINUTE; RFC 6585, section 4)", () => {
  it("of a key with its own limit, whatever it requests; others are not affected", async () => {
    const here = await at();
    const [slow, other] = await Promise.all([here.makeKey({ rate: 10 }), here.makeKey()]);
    expect(await times(10, here, INFO, bearer(slow.text))).toEqual(ten);
    const before = counter.ran.length;
    for (const [name, call] of Object.entries(CALLS)) {
      const { status, headers, body } = await send(here.url, withHeaders(call("Vault.Peek"), bearer(slow.text)));
      expect([status, headers["retry-after"]], name).toEqual([429, "60"]);
      const message = expect.stringContaining("10 requests a minute");
      if (name.startsWith("OXP")) expect(body).toEqual({ $schema: "urn:oxp:1.0", message });
      else if (name.startsWith("MCP")) expect(body).toEqual({ jsonrpc: "2.0", error: { code: -32600, message } });
      else expect(body).toMatchObject({ jsonrpc: "2.0", result: {}, error: { code: 429, message } });
    }
    expect((await send(here.url, withHeaders({ path: "/nowhere" }, bearer(slow.text)))).status).toBe(429);
    expect(counter.ran.length).toBe(before);
    expect(await times(3, here, INFO, bearer(other.text))).toEqual([200, 200, 200]);
    expect((await send(here.url, { path: "/health" })).status).toBe(200);
  });

  it("of a key, in any header: they are one caller", async () => {
    const here = await at("ten");
    const { text } = await here.makeKey();
    expect(await times(5, here, INFO, bearer(text))).toEqual(ten.slice(5));
    expect(await times(5, here, INFO, [["OXP-API-Key", text]])).toEqual(ten.slice(5));
    expect(await times(1, here, INFO, [["X-Agent-API-Key", text]])).toEqual([429]);
    expect(await times(1, here, { path: "/vault/info" }, bearer(text))).toEqual([429]);
  });

  it("of a batch, which counts each of its messages: over the limit none of it runs", async () => {
    const here = await at();
    const slow = await here.makeKey({ rate: 10 });
    const batch = (count: number): Sent => ({
      method: "POST",
      path: "/mcp",
      body: Array.from({ length: count }, (_, id) => rpc("tools/call", { name: "Shop_Look" }, id)),
      headers: bearer(slow.text),
    });
    const ran = await counter.ranBy(async () => {
      for (const count of [6, 3]) expect((await send(here.url, batch(count))).status).toBe(200);
    });
    expect(ran).toHaveLength(9);
    const refused = await counter.ranBy(async () => {
      const { status, headers, body } = await send(here.url, batch(2));
      expect([status, headers["retry-after"]]).toEqual([429, "60"]);
      const message = expect.stringContaining("10 requests a minute");
      expect(body).toEqual({ jsonrpc: "2.0", error: { code: -32600, message } });
      // The counted messages stay counted, as with single requests.
      expect(await times(1, here, INFO, bearer(slow.text))).toEqual([429]);
    });
    expect(refused).toEqual([]);
  });

  it("of an anonymous caller, which no header turns into another caller (PUBLIC)", async () => {
    const here = await at("ten");
    expect(await times(10, here, INFO)).toEqual(ten);
    for (const name of ["X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "Authorization", "User-Agent"]) {
      expect(await times(1, here, INFO, [[name, "1.2.3.4"]])).toEqual([429]);
    }
    const { text } = await here.makeKey();
    expect(await times(1, here, INFO, bearer(text))).toEqual([200]);
  });

  it("a limit without its limiter refuses every request with 503, and the log names it", async () => {
    for (const rate of ["123"] as const) {
      const here = await at(rate);
      const key = await here.makeKey();
      const keyOfFive = await here.makeKey({ rate: 5 });
      const ran = await counter.ranBy(async () => {
        for (const headers of [[], bearer(key.text), bearer(keyOfFive.text)] as Headers[]) {
          for (const call of Object.values(CALLS)) {
            const answer = await send(here.url, withHeaders(call("Vault.Peek"), headers));
            expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
          }
        }
      });
      expect(ran).toEqual([]);
      expect(here.lines.join("\n")).toContain(`There is no rate limiter RATE_${rate} in the settings file`);
    }
  });

  it('"" sets no limit; the limit of a key still applies', async () => {
    const here = await at("none");
    const [free, slow] = await Promise.all([here.makeKey(), here.makeKey({ rate: 10 })]);
    expect(await times(15, here, INFO, bearer(free.text))).toEqual([...ten, ...ten.slice(5)]);
    expect(await times(11, here, INFO, bearer(slow.text))).toEqual([...ten, 429]);
  });

  it.each(["600/min", "a lot", "6e2", "-1"] as const)(
    "RATE_PER_MINUTE of %j refuses every request, and the log says so once",
    async (rate) => {
      const here = await at(rate);
      for (const path of ["/info", "/health"]) expect((await send(here.url, { path })).status).toBe(503);
      const logged = here.lines.filter((line) => line.includes(`RATE_PER_MINUTE is \\"${rate}\\"`));
      expect(logged).toEqual([expect.stringContaining("write requests a minute as a whole number")]);
    },
  );
});

it("an anonymous caller is counted by its address, which a tool cannot get from the principal", () => {
  const headers = new Headers({ "cf-connecting-ip": "203.0.113.7" });
  const anonymous = anonymousAccess({ isLocal: false, isPublic: true }, false)?.(headers);
  if (anonymous === undefined) throw new Error("anonymous callers are refused");
  expect(partitionOf(anonymous)).toBe("anonymous 203.0.113.7");
  // As another Worker or a Durable Object would receive it.
  const sent = structuredClone(anonymous);
  expect(sent).toEqual({ id: "anonymous", scopes: [], reach: [] });
  expect(JSON.stringify([anonymous, sent, Object.entries(anonymous)])).not.toContain("203.0.113");
});

it.each([
  ["2001:db8:5:0:1:2:3:4", "2001:db8:5:0"],
  // The same network, written shorter (RFC 5952, section 4.2).
  ["2001:db8:5::1", "2001:db8:5:0"],
  ["2001:0DB8:0005:0000::1", "2001:db8:5:0"],
  ["2001:db8::5:0:0:1", "2001:db8:0:0"],
  ["2001:db8:5:6:7:8:9:a", "2001:db8:5:6"],
  ["::1", "0:0:0:0"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
])(
  "an anonymous caller from %s is counted as %s: the first 64 bits, which its owner cannot choose",
  (address, counted) => {
    expect(addressOf(new Headers({ "cf-connecting-ip": address }))).toBe(counted);
  },
);

describe("calls a minute of one tool (its definition's rate)", () => {
  const WORDS = expect.stringMatching(/^More than 10 calls of Shop\.Rare in a minute; wait and try again/);
  const REFUSED: Record<string, object> = {
    "OXP /tools/call": {
      status: 429,
      headers: { "retry-after": "60" },
      body: { $schema: "urn:oxp:1.0", message: WORDS },
    },
    "OXP /call": { status: 429, headers: { "retry-after": "60" }, body: { $schema: "urn:oxp:1.0", message: WORDS } },
    ...Object.fromEntries(
      ["MCP bare", "MCP 2025-11-25", "MCP 2026-07-28"].map((name) => [
        name,
        {
          status: 200,
          headers: { "retry-after": "60" },
          body: {
            result: {
              content: [{ type: "text", text: WORDS }],
              isError: true,
              _meta: { can_retry: true, retry_after_ms: 60_000 },
            },
          },
        },
      ]),
    ),
    "MCP batch": {
      status: 200,
      body: [{ result: { isError: true, _meta: { can_retry: true, retry_after_ms: 60_000 } } }],
    },
    "OpenTool call": {
      status: 200,
      headers: { "retry-after": "60" },
      body: { error: { code: 429, message: WORDS, data: { can_retry: true, retry_after_ms: 60_000 } } },
    },
    "OpenTool streamCall": { status: 200, text: expect.stringContaining('"code":429') },
  };

  it("counted over all protocols, for each principal and tool separately", async () => {
    const here = await at();
    const [one, other] = await Promise.all([here.makeKey(), here.makeKey()]);
    const call = CALLS["OXP /tools/call"] as (id: string) => Sent;
    const ran = await counter.ranBy(async () => {
      expect(await times(5, here, call("Shop.Rare"), bearer(one.text))).toEqual(ten.slice(5));
      await times(5, here, CALLS["OpenTool call"]?.("Shop.Rare") as Sent, bearer(one.text));
    });
    expect(ran).toHaveLength(10);
    const refused = await counter.ranBy(async () => {
      for (const [name, way] of Object.entries(CALLS)) {
        const answer = await send(here.url, withHeaders(way("Shop.Rare"), bearer(one.text)));
        expect(answer, name).toMatchObject(REFUSED[name] as object);
      }
      await send(here.url, withHeaders(call("Shop.Rare@1.0.0"), bearer(one.text)));
    });
    expect(refused).toEqual([]);
    expect(await counter.ranBy(() => times(1, here, call("Shop.Look"), bearer(one.text)))).toEqual(["shop.look"]);
    expect(await counter.ranBy(() => times(1, here, call("Shop.Rare"), bearer(other.text)))).toEqual(["shop.rare"]);
  });

  it("a batch does not get around it", async () => {
    const here = await at();
    const key = await here.makeKey();
    const body = Array.from({ length: 30 }, (_, id) => rpc("tools/call", { name: "Shop_Rare" }, id));
    const ran = await counter.ranBy(() =>
      send(here.url, { method: "POST", path: "/mcp", body, headers: bearer(key.text) }),
    );
    expect(ran).toHaveLength(10);
  });

  it("without the limiter every caller is refused", async () => {
    const here = await at();
    const key = await here.makeKey({ scopes: ["*"] });
    const ran = await counter.ranBy(async () => {
      for (const call of Object.values(CALLS)) {
        const { text } = await send(here.url, withHeaders(call("Shop.Unmetered"), bearer(key.text)));
        expect(text).toMatch(/temporarily unavailable/);
      }
    });
    expect(ran).toEqual([]);
    expect(here.lines.join("\n")).toContain("There is no rate limiter RATE_7");
  });
});

describe("limits of one request", () => {
  it.each([
    ["/tools/call", { request: { tool_id: "Vault.Peek", input: { note: "x".repeat(1_100_000) } } }],
    ["/mcp", rpc("tools/call", { name: "Vault_Peek", arguments: { note: "x".repeat(1_100_000) } })],
    ["/opentool/call", rpc("Vault_Peek", { note: "x".repeat(1_100_000) })],
  ])("a body over 1 MiB is 413 on %s (RFC 9110, section 15.5.14)", async (path, body) => {
    const here = await at();
    const key = await here.makeKey();
    const ran = await counter.ranBy(async () => {
      const sent: Sent = { method: "POST", path, body };
      expect((await send(here.url, withHeaders(sent, bearer(key.text)))).status).toBe(413);
      // A body without Content-Length.
      const text = JSON.stringify(body);
      const response = await fetch(`${here.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.text}`, "content-type": "application/json" },
        body: new Blob([text]).stream(),
        duplex: "half",
      } as RequestInit);
      expect(response.status).toBe(413);
    });
    expect(ran).toEqual([]);
  });

  it("only credentials are limited in size among headers; a batch has at most 50 messages", async () => {
    const here = await at();
    const key = await here.makeKey();
    const large = withHeaders(MCP_WAYS.bare("ping"), [...bearer(key.text), ["X-Large", "x".repeat(20_000)]]);
    expect((await send(here.url, large)).status).toBe(200);
    const body = Array.from({ length: 51 }, (_, id) => rpc("tools/call", { name: "Vault_Peek" }, id));
    const ran = await counter.ranBy(async () => {
      const { status } = await send(here.url, { method: "POST", path: "/mcp", body, headers: bearer(key.text) });
      expect(status).toBe(400);
    });
    expect(ran).toEqual([]);
  });
});
