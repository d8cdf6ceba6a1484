/** Keyed calls over deployments that share their storage: another version, another signing key, none. */
import { env } from "cloudflare:workers";
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
  /** A byte of the signing key; undefined where it cannot be had. */
  readonly signingKey?: number | undefined;
}

const rung: string[] = [];
const lines: Record<string, unknown>[] = [];

function deploy({ versions = ["1.0.0"], readOnly = [], ledger = "with CLAIMS", ...rest }: Deployed = {}) {
  const signingKey = "signingKey" in rest ? rest.signingKey : 1;
  const entries = versions.map((version) => {
    const run = () => {
      rung.push(version);
      return `rung by ${version}`;
    };
    const traits = { annotations: { readOnly: readOnly.includes(version) } };
    return {
      ...{ id: "Bell.Ring", name: "Bell_Ring", version, toolkit: "bell", traits, output: "value" },
      load: async () => ({ default: { version, description: "Rings.", run } }),
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
  /** Rings, over OXP. */
  return async (call_id: string, version = "") => {
    const body = JSON.stringify({ request: { tool_id: `Bell.Ring${version}`, call_id, input: {} } });
    const headers = { "content-type": "application/json" };
    const answer = await fetchFrom(app, "/call", { method: "POST", headers, body });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
  };
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
