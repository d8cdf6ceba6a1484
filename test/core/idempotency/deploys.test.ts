/** Keyed calls over deployments that share their storage: another version, another signing key, none. */
import { env } from "cloudflare:workers";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { createApp } from "../../../src/app.ts";
import { createCatalog } from "../../../src/core/catalog/catalog.ts";
import type { CatalogEntry } from "../../../src/core/model/catalog-entry.ts";
import type { Runtime } from "../../../src/core/ports/runtime.ts";
import { hmacSigner } from "../../../src/core/ports/signed-handles.ts";
import type { ClaimsObject } from "../../../src/stores/claims.ts";
import { kvIdempotency } from "../../../src/stores/kv-idempotency.ts";
import { objectIdempotency } from "../../../src/stores/object-idempotency.ts";
import { fetchFrom, OPEN } from "../../support/app.ts";

const { CLAIMS, KV } = env as unknown as { CLAIMS: DurableObjectNamespace<ClaimsObject>; KV: KVNamespace };
const TTL_SECONDS = 60;
const log = () => {};
const LEDGERS = {
  "with CLAIMS": () => objectIdempotency({ objects: CLAIMS, kv: KV, ttlSeconds: TTL_SECONDS, log }),
  "on KV alone": () => kvIdempotency(KV, TTL_SECONDS, log),
};

interface Deployed {
  /** Versions of Bell.Ring: each rings with its version. */
  readonly versions?: readonly string[];
  /** Those of them that have no effects. */
  readonly readOnly?: readonly string[];
  readonly ledger?: keyof typeof LEDGERS;
  /** What versions take and require, by version: nothing, if it is not said. */
  readonly takes?: Readonly<Record<string, { readonly input?: unknown; readonly requirements?: object }>> | undefined;
  /** How many milliseconds a run takes. */
  readonly ringsMs?: number;
  /** A byte of the signing key; undefined where it cannot be had. */
  readonly signingKey?: number | undefined;
}

const rung: string[] = [];
const lines: Record<string, unknown>[] = [];

function deploy({
  versions = ["1.0.0"],
  readOnly = [],
  ledger = "with CLAIMS",
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
    const traits = { annotations: { readOnly: readOnly.includes(version) }, requirements };
    return {
      ...{ id: "Bell.Ring", name: "Bell_Ring", version, toolkit: "bell", traits, output: "value" },
      load: async () => ({ default: { version, description: "Rings.", input, run } }),
      json: { description: '"Rings."', input: '{"type":"object","properties":{}}', output: "{}" },
    } as unknown as CatalogEntry;
  });
  const runtime = {
    catalog: createCatalog({ revision: "r", entries, prompts: [], resources: [] }),
    idempotency: LEDGERS[ledger](),
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
  const post = async (path: string, message: object, more: Record<string, string> = {}) => {
    const headers = { "content-type": "application/json", ...more };
    const answer = await fetchFrom(app, path, { method: "POST", headers, body: JSON.stringify(message) });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
  };
  const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
  /** Rings, over OXP. */
  const ring = (call_id: string, version = "", input: object = {}, context?: object) =>
    post("/call", { request: { tool_id: `Bell.Ring${version}`, call_id, input, context } });
  return Object.assign(ring, {
    mcp: (key: string, input: object) =>
      post("/mcp", rpc("tools/call", { name: "Bell_Ring", arguments: { ...input, idempotency_key: key } })),
    opentool: (key: string, input: object) =>
      post("/opentool/call", rpc("Bell_Ring", input), { "idempotency-key": key }),
  });
}

const rungBy = (work: () => Promise<unknown>) => {
  rung.length = 0;
  return work().then(() => [...rung]);
};

describe.each(Object.keys(LEDGERS) as (keyof typeof LEDGERS)[])("%s", (ledger) => {
  describe("a deployment between two tries of one call", () => {
    it("that raises the version runs nothing twice: the call keeps the version that it was first resolved to", async () => {
      const key = crypto.randomUUID();
      const ran = await rungBy(async () => {
        expect((await deploy({ ledger })(key)).body.result.value).toBe("rung by 1.0.0");
        const raised = deploy({ ledger, versions: ["1.0.0", "2.0.0"] });
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
    ])("whose versions differ in whether they have effects runs one key once: %s has none", async (_, harmless) => {
      const key = crypto.randomUUID();
      const ran = await rungBy(async () => {
        const both = deploy({ ledger, versions: ["1.0.0", "2.0.0"], readOnly: [harmless] });
        expect((await both(key, "@1")).body.result.value).toBe("rung by 1.0.0");
        const again = await both(key);
        expect(again.body.result.value).toBe("rung by 1.0.0");
        expect(again.headers.get("idempotency-replayed")).toBe("true");
      });
      expect(ran).toEqual(["1.0.0"]);
    });

    it("that takes the version away repeats its result all the same", async () => {
      const key = crypto.randomUUID();
      const ran = await rungBy(async () => {
        await deploy({ ledger })(key);
        const { body } = await deploy({ ledger, versions: ["2.0.0"] })(key);
        expect(body.result.value).toBe("rung by 1.0.0");
      });
      expect(ran).toEqual(["1.0.0"]);
    });

    describe.each<[string, readonly string[], Deployed["takes"]]>([
      ["takes other parameters", ["1.0.0", "2.0.0"], { "2.0.0": { input: v.object({ bells: v.array(v.string()) }) } }],
      ["requires a secret", ["2.0.0"], { "2.0.0": { requirements: { secrets: ["BELL_KEY"] } } }],
    ])("that raises the tool to a version which %s", (_, versions, takes) => {
      const input = { bell: "front" };

      it("repeats the result, over every protocol, and runs nothing", async () => {
        const key = crypto.randomUUID();
        const ran = await rungBy(async () => {
          await deploy({ ledger })(key, "", input);
          const raised = deploy({ ledger, versions, takes });
          expect((await raised(key, "", input)).body.result.value).toBe("rung by 1.0.0");
          expect(lines.at(-1)).toMatchObject({ outcome: "completed", replayed: true });
          expect((await raised.opentool(key, input)).body.result).toEqual({ value: "rung by 1.0.0" });
          const { result } = (await raised.mcp(key, input)).body;
          expect(result).toMatchObject({ content: [{ text: "rung by 1.0.0" }], _meta: { replayed: true } });
        });
        expect(ran).toEqual(["1.0.0"]);
      });

      it("judges a call that is not the same, under a key that ran and under another", async () => {
        const key = crypto.randomUUID();
        const ran = await rungBy(async () => {
          await deploy({ ledger })(key, "", input);
          const raised = deploy({ ledger, versions, takes });
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

    it("that requires what the first call did not hand over takes the two for different calls, and runs nothing", async () => {
      const key = crypto.randomUUID();
      const takes = { "2.0.0": { requirements: { secrets: ["BELL_KEY"] } } };
      const context = { secrets: [{ id: "BELL_KEY", value: "mine" }] };
      const ran = await rungBy(async () => {
        await deploy({ ledger })(key, "", {}, context);
        await deploy({ ledger, versions: ["2.0.0"], takes })(key, "", {}, context);
        expect(lines.at(-1)).toMatchObject({ outcome: "refused", reason: "conflict" });
      });
      expect(ran).toEqual(["1.0.0"]);
    });

    it("that has another signing key knows no key from before: the call is another one, and runs", async () => {
      const key = crypto.randomUUID();
      const ran = await rungBy(async () => {
        await deploy({ ledger })(key);
        const other = deploy({ ledger, signingKey: 2 });
        expect((await other(key)).headers.get("idempotency-replayed")).toBeNull();
        expect((await other(key)).headers.get("idempotency-replayed")).toBe("true");
        expect((await deploy({ ledger })(key)).headers.get("idempotency-replayed")).toBe("true");
      });
      expect(ran).toEqual(["1.0.0", "1.0.0"]);
    });
  });

  it("a call that no version takes leaves its key free, and is told to try again while nobody can look it up", async () => {
    const key = crypto.randomUUID();
    const takes = { "1.0.0": { input: v.object({ bell: v.string() }) } };
    const ran = await rungBy(async () => {
      expect((await deploy({ ledger, takes })(key)).status).toBe(422);
      await deploy({ ledger, takes, signingKey: undefined })(key);
      expect(lines.at(-1)).toMatchObject({ outcome: "refused", reason: "unavailable" });
      expect((await deploy({ ledger, takes })(key, "", { bell: "front" })).body.result.value).toBe("rung by 1.0.0");
    });
    expect(ran).toEqual(["1.0.0"]);
  });

  it("a deployment whose signing key cannot be had runs no keyed call, and says so", async () => {
    const key = crypto.randomUUID();
    const ran = await rungBy(async () => {
      const { status, headers } = await deploy({ ledger, signingKey: undefined })(key);
      expect([status, headers.get("retry-after")]).toEqual([400, "1"]);
      expect(lines.at(-1)).toMatchObject({ outcome: "refused", reason: "unavailable" });
    });
    expect(ran).toEqual([]);
    expect((await deploy({ ledger })(key)).body.result.value).toBe("rung by 1.0.0");
  });
});

it("a duplicate that the new version would refuse waits for the run of the old one, where a run can be seen", async () => {
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
