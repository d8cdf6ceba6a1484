/** Calls with a key across deployments that share storage, with another version, another signing key, or none. */
import { env } from "cloudflare:workers";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { createApp } from "../../../src/app.ts";
import { createCatalog } from "../../../src/core/catalog/catalog.ts";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import type { CatalogEntry } from "../../../src/core/model/catalog-entry.ts";
import type { Runtime } from "../../../src/core/ports/runtime.ts";
import type { ClaimsObject } from "../../../src/stores/claims-object.ts";
import { kvIdempotency } from "../../../src/stores/kv-idempotency.ts";
import { objectIdempotency } from "../../../src/stores/object-idempotency.ts";
import { OPEN, postTo } from "../../support/app.ts";

const { CLAIMS, KV } = env as unknown as { CLAIMS: DurableObjectNamespace<ClaimsObject>; KV: KVNamespace };
const TTL_SECONDS = 60;
const log = () => {};
const STORES = {
  "with CLAIMS": () => objectIdempotency({ objects: CLAIMS, kv: KV, ttlSeconds: TTL_SECONDS, log }),
  "on KV alone": () => kvIdempotency(KV, TTL_SECONDS, log),
};

interface Deployed {
  /** Versions of Bell.Ring. Each rings with its version. */
  readonly versions?: readonly string[];
  /** The versions without effects. */
  readonly readOnly?: readonly string[];
  readonly store?: keyof typeof STORES;
  /** The input and requirements of each version; none by default. */
  readonly takes?: Readonly<Record<string, { readonly input?: unknown; readonly requirements?: object }>> | undefined;
  /** How many milliseconds a run takes. */
  readonly ringsMs?: number;
  /** A byte of the signing key; undefined if the key is unavailable. */
  readonly signingKey?: number | undefined;
}

const rung: string[] = [];
const lines: Record<string, unknown>[] = [];

function deploy({
  versions = ["1.0.0"],
  readOnly = [],
  store = "with CLAIMS",
  takes = {},
  ringsMs,
  ...rest
}: Deployed = {}) {
  const signingKey = "signingKey" in rest ? rest.signingKey : 1;
  const entries = versions.map((version) => {
    const { input, requirements } = takes[version] ?? {};
    const run = async () => {
      rung.push(version);
      if (ringsMs !== undefined) await new Promise((resume) => setTimeout(resume, ringsMs));
      return `rung by ${version}`;
    };
    const options = { annotations: { readOnly: readOnly.includes(version) }, requirements };
    return {
      ...{ id: "Bell.Ring", name: "Bell_Ring", version, toolkit: "bell", options, output: "value" },
      load: async () => ({ default: { version, description: "Rings.", input, run } }),
      json: { description: '"Rings."', input: '{"type":"object","properties":{}}', output: "{}" },
    } as unknown as CatalogEntry;
  });
  const runtime = {
    catalog: createCatalog({ revision: "r", entries, prompts: [], resources: [] }),
    idempotency: STORES[store](),
    signer: hmacSigner(async () => {
      if (signingKey === undefined) throw new Error("the vault is away");
      return new Uint8Array(32).fill(signingKey);
    }),
    defer: () => {},
    log,
    logCall: (line: Record<string, unknown>) => lines.push(line),
    now: () => 0,
    secret: () => undefined,
  } as unknown as Runtime;
  const limits = { bodyBytes: 1_000_000, pageSize: 1_000 };
  const app = createApp({ runtime, server: { name: "test", version: "1.0.0" }, limits, ...OPEN });
  const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
  /** Rings over OXP. */
  const ring = (call_id: string, version = "", input: object = {}, context?: object) =>
    postTo(app, "/call", { request: { tool_id: `Bell.Ring${version}`, call_id, input, context } });
  return Object.assign(ring, {
    mcp: (key: string, input: object) =>
      postTo(app, "/mcp", rpc("tools/call", { name: "Bell_Ring", arguments: { ...input, idempotency_key: key } })),
    opentool: (key: string, input: object) =>
      postTo(app, "/opentool/call", rpc("Bell_Ring", input), { "idempotency-key": key }),
  });
}

const rungBy = (work: () => Promise<unknown>) => {
  rung.length = 0;
  return work().then(() => [...rung]);
};

describe.each(Object.keys(STORES) as (keyof typeof STORES)[])("%s", (store) => {
  describe("a deployment between two tries of one call", () => {
    it("with a higher version runs nothing twice: the call keeps the version that it first resolved to", async () => {
      const key = crypto.randomUUID();
      const ran = await rungBy(async () => {
        expect((await deploy({ store })(key)).body.result.value).toBe("rung by 1.0.0");
        const raised = deploy({ store, versions: ["1.0.0", "2.0.0"] });
        const again = await raised(key);
        expect(again.body.result.value).toBe("rung by 1.0.0");
        expect(again.headers.get("idempotency-replayed")).toBe("true");
        expect(lines.at(-1)).toMatchObject({ tool: "Bell.Ring@1.0.0", replayed: true });
        expect((await raised(key, "@1")).body.result.value).toBe("rung by 1.0.0");
        expect((await raised(key, "@2")).status).toBe(400);
      });
      expect(ran).toEqual(["1.0.0"]);
    });

    it.each([
      ["an older one", "1.0.0"],
      ["the latest", "2.0.0"],
    ])("runs one key once if only one of two versions has effects: %s has none", async (_, harmless) => {
      const key = crypto.randomUUID();
      const ran = await rungBy(async () => {
        const both = deploy({ store, versions: ["1.0.0", "2.0.0"], readOnly: [harmless] });
        expect((await both(key, "@1")).body.result.value).toBe("rung by 1.0.0");
        const again = await both(key);
        expect(again.body.result.value).toBe("rung by 1.0.0");
        expect(again.headers.get("idempotency-replayed")).toBe("true");
      });
      expect(ran).toEqual(["1.0.0"]);
    });

    it("without the version still replays its result", async () => {
      const key = crypto.randomUUID();
      const ran = await rungBy(async () => {
        await deploy({ store })(key);
        const { body } = await deploy({ store, versions: ["2.0.0"] })(key);
        expect(body.result.value).toBe("rung by 1.0.0");
      });
      expect(ran).toEqual(["1.0.0"]);
    });

    describe.each<[string, readonly string[], Deployed["takes"]]>([
      ["takes other parameters", ["1.0.0", "2.0.0"], { "2.0.0": { input: v.object({ bells: v.array(v.string()) }) } }],
      ["requires a secret", ["2.0.0"], { "2.0.0": { requirements: { secrets: ["BELL_KEY"] } } }],
    ])("with a higher version of the tool, which %s", (_, versions, takes) => {
      const input = { bell: "front" };

      it("replays the result, over every protocol, and runs nothing", async () => {
        const key = crypto.randomUUID();
        const ran = await rungBy(async () => {
          await deploy({ store })(key, "", input);
          const raised = deploy({ store, versions, takes });
          expect((await raised(key, "", input)).body.result.value).toBe("rung by 1.0.0");
          expect(lines.at(-1)).toMatchObject({ outcome: "completed", replayed: true });
          expect((await raised.opentool(key, input)).body.result).toEqual({ value: "rung by 1.0.0" });
          const { result } = (await raised.mcp(key, input)).body;
          expect(result).toMatchObject({ content: [{ text: "rung by 1.0.0" }], _meta: { replayed: true } });
        });
        expect(ran).toEqual(["1.0.0"]);
      });

      it("says why a different call cannot run, under a used key and under another", async () => {
        const key = crypto.randomUUID();
        const ran = await rungBy(async () => {
          await deploy({ store })(key, "", input);
          const raised = deploy({ store, versions, takes });
          for (const [used, sent] of [
            [key, { bell: "back" }],
            [crypto.randomUUID(), input],
          ] as const) {
            await raised(used, "", sent);
            expect(["invalid", "requirements"]).toContain(lines.at(-1)?.reason ?? lines.at(-1)?.outcome);
          }
        });
        expect(ran).toEqual(["1.0.0"]);
      });
    });

    it("with a requirement that the first call did not fulfil counts the two as different calls, and runs nothing", async () => {
      const key = crypto.randomUUID();
      const takes = { "2.0.0": { requirements: { secrets: ["BELL_KEY"] } } };
      const context = { secrets: [{ id: "BELL_KEY", value: "mine" }] };
      const ran = await rungBy(async () => {
        await deploy({ store })(key, "", {}, context);
        await deploy({ store, versions: ["2.0.0"], takes })(key, "", {}, context);
        expect(lines.at(-1)).toMatchObject({ outcome: "refused", reason: "conflict" });
      });
      expect(ran).toEqual(["1.0.0"]);
    });

    it("with another signing key does not know earlier keys: the call is a new one, and runs", async () => {
      const key = crypto.randomUUID();
      const ran = await rungBy(async () => {
        await deploy({ store })(key);
        const other = deploy({ store, signingKey: 2 });
        expect((await other(key)).headers.get("idempotency-replayed")).toBeNull();
        expect((await other(key)).headers.get("idempotency-replayed")).toBe("true");
        expect((await deploy({ store })(key)).headers.get("idempotency-replayed")).toBe("true");
      });
      expect(ran).toEqual(["1.0.0", "1.0.0"]);
    });
  });

  it("a call that no version accepts leaves its key free, and may be retried while the signing key is unavailable", async () => {
    const key = crypto.randomUUID();
    const takes = { "1.0.0": { input: v.object({ bell: v.string() }) } };
    const ran = await rungBy(async () => {
      expect((await deploy({ store, takes })(key)).status).toBe(422);
      await deploy({ store, takes, signingKey: undefined })(key);
      expect(lines.at(-1)).toMatchObject({ outcome: "refused", reason: "unavailable" });
      expect((await deploy({ store, takes })(key, "", { bell: "front" })).body.result.value).toBe("rung by 1.0.0");
    });
    expect(ran).toEqual(["1.0.0"]);
  });

  it("a deployment whose signing key is unavailable runs no call with a key, and says so", async () => {
    const key = crypto.randomUUID();
    const ran = await rungBy(async () => {
      const { status, headers } = await deploy({ store, signingKey: undefined })(key);
      expect([status, headers.get("retry-after")]).toEqual([400, "1"]);
      expect(lines.at(-1)).toMatchObject({ outcome: "refused", reason: "unavailable" });
    });
    expect(ran).toEqual([]);
    expect((await deploy({ store })(key)).body.result.value).toBe("rung by 1.0.0");
  });
});

it("a duplicate that the new version would refuse waits for the old version's run, if the store can see runs", async () => {
  const key = crypto.randomUUID();
  const takes = { "2.0.0": { input: v.object({ bells: v.array(v.string()) }) } };
  const ran = await rungBy(async () => {
    const first = deploy({ ringsMs: 200 })(key);
    while (rung.length === 0) await new Promise((resume) => setTimeout(resume, 5));
    const { body } = await deploy({ versions: ["2.0.0"], takes })(key);
    expect(body.result.value).toBe("rung by 1.0.0");
    await first;
  });
  expect(ran).toEqual(["1.0.0"]);
});
