/**
 * The rig's Worker: the app as it ships, at one of two locations, with shorter times, on the simulated KV of {@link
 * World} and real objects. The header `x-fate` of a call determines its {@link Fate}.
 */
import { env, waitUntil } from "cloudflare:workers";
import * as v from "valibot";
import { createApp } from "../../src/app.ts";
import { createCatalog } from "../../src/core/catalog/catalog.ts";
import type { LeaseAttempt } from "../../src/core/idempotency/lease.ts";
import type { CatalogEntry } from "../../src/core/model/catalog-entry.ts";
import type { ToolOptions } from "../../src/core/model/definition.ts";
import type { Principal } from "../../src/core/model/principal.ts";
import type { ToolContext } from "../../src/core/model/tool-context.ts";
import type { Runtime } from "../../src/core/ports/runtime.ts";
import { objectSessions } from "../../src/features/session-objects/object-sessions.ts";
import type { Sessions } from "../../src/features/session-objects/sessions.ts";
import { ClaimsObject, type Found } from "../../src/stores/claims-object.ts";
import { kvIdempotency, recordName } from "../../src/stores/kv-idempotency.ts";
import { kvSessions } from "../../src/stores/kv-sessions.ts";
import { type Hub, objectChangeFeed } from "../../src/stores/object-change-feed.ts";
import { objectIdempotency } from "../../src/stores/object-idempotency.ts";
import { type Mailbox, objectRelay } from "../../src/stores/object-relay.ts";
import { drive, signer } from "./driver.ts";
import { type Fate, Life, type StepName } from "./life.ts";
import type { World } from "./world.ts";

export { Sessions } from "../../src/features/session-objects/sessions.ts";
export { Hub } from "../../src/stores/object-change-feed.ts";
export { Mailbox } from "../../src/stores/object-relay.ts";
export { World } from "./world.ts";

export interface Bindings {
  readonly ROLE: "driver" | "one" | "other" | "objects";
  readonly WORLD: DurableObjectNamespace<World>;
  readonly CLAIMS: DurableObjectNamespace<Claims>;
  readonly SESSIONS: DurableObjectNamespace<Sessions>;
  readonly MAILBOX: DurableObjectNamespace<Mailbox>;
  readonly HUB: DurableObjectNamespace<Hub>;
  readonly one: Fetcher;
  readonly other: Fetcher;
}

/** Milliseconds. A deployment has 60,000 and 90,000; KV's minute is 100 ms here. */
const LIMIT_MS = 500;
const MARGIN_MS = 1_500;
const SESSION_SECONDS = 600;

const bindings = env as unknown as Bindings;
const { ROLE: location } = bindings;
const world = () => bindings.WORLD.getByName("world") as unknown as World;

/** Claims as they ship, but of some principals all results count as large. */
export class Claims extends ClaimsObject {
  protected override readonly maxSmall = this.ctx.id.name?.startsWith("large") ? 0 : 65_536;

  #granted = 0;

  protected override put(key: string, record: string, keepMs: number): Promise<void> {
    return world().put("object", recordName(key), record, keepMs);
  }

  /** Also returns when the lease ends, by the object's clock. */
  override async claim(key: string, attempt: LeaseAttempt, waitMs: number): Promise<Found> {
    const answer = await super.claim(key, attempt, waitMs);
    if (answer.state !== "claimed") return answer;
    this.#granted++;
    return Object.assign(answer, { leasedUntil: Date.now() + attempt.leaseMs });
  }

  async rows(): Promise<number> {
    return this.#count("SELECT key FROM claims");
  }

  async results(): Promise<number> {
    return this.#count("SELECT key FROM claims WHERE record IS NOT NULL");
  }

  /** An object that stores nothing has no table. */
  #count(query: string): number {
    const { sql } = this.ctx.storage;
    const [table] = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'claims'");
    return table === undefined ? 0 : [...sql.exec(query)].length;
  }

  /** Runs the alarm for a test that moved the clock: alarms follow the machine's clock. */
  async wake(): Promise<void> {
    await this.alarm();
  }

  /** How many leases this object has granted. */
  async granted(): Promise<number> {
    return this.#granted;
  }

  async restart(): Promise<void> {
    this.ctx.abort("restarted by a test");
  }
}

/** Counts a request to an object, for the cost of a call. */
const countRequest = () => void waitUntil(world().countRequest());

/** KV as this location sees it. `step` wraps each request that a runner makes itself. */
function kvHere(
  step: <Result>(name: StepName, action: () => Promise<Result>) => Promise<Result> = (_, action) => action(),
  sure = false,
): KVNamespace {
  const kv = {
    async get(name: string, type?: "json") {
      const text = await step("get", () => world().get(location, name));
      return type === "json" && text !== null ? JSON.parse(text) : text;
    },
    put: (name: string, value: string, { expirationTtl }: { expirationTtl: number }) =>
      step("put", () => world().put(location, name, value, expirationTtl * 1_000, sure)),
    delete: (name: string) => step("put", () => world().put(location, name, null, 0, sure)),
  };
  return kv as unknown as KVNamespace;
}

/** The namespace of claims; each request is a step of the runner's life. */
function claimsFor(life: Life): DurableObjectNamespace<Claims> {
  const getByName = (name: string) => {
    const stub = bindings.CLAIMS.getByName(name) as unknown as Record<
      string,
      (...given: unknown[]) => Promise<unknown>
    >;
    const through =
      (method: StepName) =>
      (...given: unknown[]) =>
        life.step(method, async () => {
          countRequest();
          const answer = (await stub[method]?.(...given)) as { leasedUntil?: number } | undefined;
          if (answer?.leasedUntil) life.until = answer.leasedUntil;
          return answer;
        });
    return {
      claim: through("claim"),
      settle: through("settle"),
      release: through("release"),
      forsake: through("forsake"),
    };
  };
  return { getByName } as unknown as DurableObjectNamespace<Claims>;
}

/** Wraps a namespace so that requests to its objects are counted. */
function countedIn<Namespace extends { getByName(name: string): unknown }>(namespace: Namespace): Namespace {
  const getByName = (name: string) => {
    const stub = namespace.getByName(name) as unknown as Record<string, (...given: unknown[]) => unknown>;
    return new Proxy(stub, {
      get:
        (_, method: string) =>
        (...given: unknown[]) => {
          countRequest();
          return stub[method]?.(...given);
        },
    });
  };
  return { getByName } as unknown as Namespace;
}

interface Rig {
  effect(name: string): Promise<number>;
}
type Context = ToolContext<never, never, undefined, "RIG"> & { readonly env: { readonly RIG: Rig } };

const sleep = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

const INPUT = v.object({
  name: v.string(),
  ms: v.number(),
  obeys: v.optional(v.boolean()),
  long: v.optional(v.number()),
});

/** Waits, then has its effect. A run that is stopped earlier has none. */
async function ring({ name, ms, obeys, long }: v.InferOutput<typeof INPUT>, ctx: Context): Promise<string> {
  await sleep(ms, obeys ? ctx.signal : undefined);
  const count = await ctx.env.RIG.effect(name);
  return `${name}, run ${count}${"\u8a9e".repeat(long ?? 0)}`;
}

/** Returns the values of these session keys as `key=value`. */
async function recall({ keys }: { keys: string[] }, ctx: Context): Promise<string[]> {
  const found = await Promise.all(keys.map(async (key) => [key, await ctx.session?.get<string>(key)]));
  if (keys.length === 0) await ctx.session?.get("any");
  return found.map(([key, value]) => `${key}=${value}`);
}

function entry(name: string, options: ToolOptions, input: unknown, run: unknown): CatalogEntry {
  return {
    id: `Rig.${name}`,
    name: `Rig_${name}`,
    version: "1.0.0",
    toolkit: "rig",
    options: { timeoutMs: LIMIT_MS, env: ["RIG"], ...options },
    output: "any",
    load: async () => ({ default: { version: "1.0.0", description: name, input, run } as never }),
    json: { description: `"${name}"`, input: '{"type":"object","properties":{}}', output: "{}" },
  };
}

const catalog = createCatalog({
  revision: "rig",
  prompts: [],
  resources: [],
  entries: [
    entry("Guarded", { requirements: { secrets: ["RIG_KEY"] } }, INPUT, ring),
    entry("Look", { annotations: { readOnly: true } }, INPUT, ring),
    entry("Recall", {}, v.object({ keys: v.optional(v.array(v.string()), []) }), recall),
    entry(
      "Remember",
      {},
      v.object({ key: v.string(), value: v.any() }),
      async ({ key, value }: { key: string; value: never }, ctx: Context) => {
        await ctx.session?.set(key, value);
        return key;
      },
    ),
    entry("Report", {}, INPUT, (input: v.InferOutput<typeof INPUT>, ctx: Context) => {
      ctx.progress(1, 2, "begun");
      return ring(input, ctx);
    }),
    entry("Ring", {}, INPUT, ring),
  ],
});

const noLog = () => {};
const kv = kvHere();
const onKv = kvSessions({ kv, ttlSeconds: SESSION_SECONDS, now: Date.now, defer: waitUntil, log: noLog });
const onObjects = objectSessions(countedIn(bindings.SESSIONS), SESSION_SECONDS);

async function released(name: string): Promise<void> {
  while (!(await world().isReleased(name))) await sleep(20);
}

async function serve(request: Request): Promise<Response> {
  const header = (name: string) => request.headers.get(`x-${name}`) ?? undefined;
  const fate: Fate = JSON.parse(header("fate") ?? "{}");
  const life = new Life(fate, waitUntil, released);
  const id = header("principal") ?? "p0";
  const principal: Principal = { id, scopes: "all", reach: "all" };
  const ttlSeconds = Number(header("ttl") ?? 60);
  const marginMs = Number(header("margin") ?? MARGIN_MS);
  const kv = kvHere((name, action) => life.step(name, action), fate.sure);
  const rig: Rig = { effect: (name) => life.step("effect", async () => world().effect(name)) };
  const runtime: Runtime = {
    catalog,
    idempotency:
      header("store") === "kv"
        ? kvIdempotency(kv, ttlSeconds, noLog)
        : objectIdempotency({ objects: claimsFor(life), kv, ttlSeconds, log: noLog, marginMs }),
    sessions: header("sessions") === "objects" ? onObjects : onKv,
    signer,
    relay: objectRelay(countedIn(bindings.MAILBOX)),
    changeFeed: objectChangeFeed(countedIn(bindings.HUB)),
    // Nothing waits for the work of a killed runner.
    defer: (work) => waitUntil(Promise.race([work, life.ended])),
    fetch,
    rateLimit: async () => true,
    log: noLog,
    now: () => Date.now(),
    secret: () => undefined,
    binding: (name) => (name === "RIG" ? rig : undefined),
  };
  const app = createApp({
    runtime,
    server: { name: "rig", version: "0" },
    limits: { bodyBytes: 4_000_000, pageSize: 10 },
    originPolicy: { local: false, origins: [] },
    guard: async () => principal,
    resource: { name: "rig", baseScopes: [], issuers: () => [] },
    documentSettings: { isOn: false, description: undefined, registryName: undefined },
    signIn: undefined,
  });
  const dropped = life.ended.then(() => new Response(null, { status: 599, headers: { "x-died": life.diedAt ?? "" } }));
  const answer = await Promise.race([app.fetch(request), dropped]);
  const counted = new Response(answer.body, answer);
  counted.headers.set("x-counts", JSON.stringify(life.counts));
  if (life.isLate) counted.headers.set("x-late", "true");
  return counted;
}

export default {
  fetch: (request: Request): Promise<Response> | Response =>
    location === "driver" ? drive(request, bindings) : serve(request),
};
