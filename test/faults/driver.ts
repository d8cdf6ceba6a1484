/**
 * Drives the rig from inside its process. Callers share keys, use all protocols and both locations, and retry until
 * they have a result. Also has the routes through which a test makes single requests.
 */

import { hmacSigner } from "../../src/core/crypto/signer.ts";
import { storeKeyOf } from "../../src/core/idempotency/call-identity.ts";
import { recordName } from "../../src/stores/kv-idempotency.ts";
import { type Conversations, converse, sleep } from "./conversations.ts";
import type { Fate, Fault } from "./life.ts";
import { noTally, type Plan, type Tally } from "./plan.ts";
import { randomOf } from "./random.ts";
import type { Bindings } from "./rig.ts";
import { type Location, type Protocol, readAnswer, requestFor } from "./wire.ts";

const PROTOCOLS: readonly Protocol[] = ["oxp", "mcp", "opentool"];
const MAX_TRIES = 60;
const WATCH_MS = 50;
const LANE_MS = 80;
const PRINCIPALS = 4;

/** The rig's signer; its key is no secret. */
export const signer = hmacSigner(async () => new Uint8Array(32));

/** The faults of a caller's first request: usually none. */
function fateOf(random: () => number, dies: Fate["die"]): Fate {
  const faults: { claim?: Fault[]; settle?: Fault[]; release?: Fault[] } = {};
  const some = (share: number) => random() < share;
  if (some(0.05)) faults.claim = [some(0.5) ? "refuse" : "lose"];
  if (some(0.01)) faults.claim = ["refuse", "refuse", "refuse"];
  if (some(0.05)) faults.settle = [some(0.5) ? "refuse" : "lose"];
  // The object never hears of the result, so KV has to have it, and this write must arrive.
  const isMute = some(0.02);
  if (isMute) faults.settle = ["refuse", "refuse", "refuse"];
  return { faults, ...(isMute && { sure: true }), ...(dies && { die: dies }) };
}

const DEATHS: readonly NonNullable<Fate["die"]>[] = [
  "before claim",
  "during claim",
  "after claim",
  "before effect",
  "during settle",
  "after settle",
];
const TORN: readonly NonNullable<Fate["die"]>[] = ["during effect", "after effect", "before settle"];

async function oneKey(index: number, plan: Plan, env: Bindings, tally: Tally): Promise<void> {
  const random = randomOf(plan.seed * 1_000_003 + index);
  const key = `${plan.seed}-${plan.store}-${index}`;
  // Results of half of them are in KV, those of the others in the object.
  const principal = `${index % 2 === 0 ? "small" : "large"}${index % PRINCIPALS}`;
  const input = { name: key, ms: Math.floor(random() * 40) };
  const callers = 3 + Math.floor(random() * 48);
  const isKilled = random() < plan.killed;
  const isTorn = isKilled && random() < plan.torn;
  const deaths = isTorn ? TORN : DEATHS;
  const results = new Set<string>();
  const started = Date.now();
  let torn = 0;
  let late = 0;
  let stuck = 0;
  const history: string[] = [];

  const caller = async (first: boolean) => {
    // Most start at once, and some when the result is there.
    const when = random();
    await sleep(when < 0.6 ? random() * 20 : when < 0.85 ? random() * 500 : 500 + random() * 1_500);
    const dies = isKilled && (first || random() < 0.1) ? deaths[Math.floor(random() * deaths.length)] : undefined;
    let fate = fateOf(random, dies);
    for (let tried = 1; tried <= MAX_TRIES; tried++) {
      const protocol = PROTOCOLS[Math.floor(random() * PROTOCOLS.length)] as Protocol;
      const location: Location = random() < 0.5 ? "one" : "other";
      const { path, body, headers } = requestFor(protocol, "Ring", input, key);
      tally.requests++;
      const response = await env[location].fetch(`http://rig${path}`, {
        method: "POST",
        headers: {
          ...headers,
          "x-fate": JSON.stringify(fate),
          "x-principal": principal,
          "x-store": plan.store,
          "x-ttl": `${plan.ttlSeconds}`,
        },
        body: JSON.stringify(body),
      });
      const answer = await readAnswer(protocol, response);
      if (response.headers.has("x-late")) late++;
      if (fate.die || fate.sure || answer.is !== "result") {
        history.push(`${Date.now() - started} ${fate.die ?? ""}${fate.sure ? " mute" : ""} ${JSON.stringify(answer)}`);
      } else history.push(`${Date.now() - started} ${answer.value}`);
      if (answer.is === "result") {
        results.add(answer.value);
        return;
      }
      if (answer.is === "wrong") {
        tally.wrong++;
        tally.samples.push(answer.text.slice(0, 300));
        return;
      }
      const why = answer.is === "again" ? answer.why : `dropped ${answer.at}`;
      tally.why[why] = (tally.why[why] ?? 0) + 1;
      if (answer.is === "dropped") {
        tally.dropped++;
        if (TORN.some((at) => at === answer.at)) torn++;
      }
      tally.retries++;
      fate = fateOf(random, undefined);
      // Real callers wait for the time in the answer; this is shorter.
      await sleep(40 + random() * 120);
    }
    tally.stuck++;
    stuck++;
  };
  await Promise.all(Array.from({ length: callers }, (_, at) => caller(at === 0)));

  const effects = await env.WORLD.getByName("world").effects(key);
  tally.keys++;
  if (torn > 0) {
    tally.torn++;
    if (effects > 1) tally.tornTwice++;
  } else if (effects > 1 && late > 0) {
    tally.lateTwice++;
  } else if (effects !== 1) {
    tally.twice++;
    tally.extra += effects - 1;
  }
  // Without claims, callers of one key may each get the result of their own run.
  if (results.size !== 1) tally.disagreeing++;
  const isOdd = stuck > 0 || results.size !== 1 || (effects !== 1 && torn === 0);
  if (isOdd && plan.store === "claims") {
    const name = recordName(await storeKeyOf(signer, [principal, undefined, "Rig.Ring", key]));
    const inKv = await env.WORLD.getByName("world").historyOf(name);
    tally.samples.push(JSON.stringify({ key, effects, late, torn, stuck, callers, inKv, history }));
  }
}

async function run(plan: Plan, env: Bindings): Promise<Tally> {
  const tally = noTally();
  let next = plan.from;
  let looked = Date.now();
  const watching = setInterval(() => {
    const now = Date.now();
    tally.stillMs = Math.max(tally.stillMs, now - looked - WATCH_MS);
    looked = now;
  }, WATCH_MS);
  const lane = async (_: unknown, at: number) => {
    // Staggered, or all first callers would arrive at once.
    await sleep(at * LANE_MS);
    while (next < plan.to) await oneKey(next++, plan, env, tally);
  };
  await Promise.all(Array.from({ length: plan.abreast }, lane));
  clearInterval(watching);
  return tally;
}

/**
 * `/run`: carries out a plan. `/sessions`: many conversations. `/world/METHOD`, `/claims/METHOD?principal=`: calls a
 * method of an object. `/at/LOCATION/…`: forwards one request.
 */
export async function drive(request: Request, env: Bindings): Promise<Response> {
  const url = new URL(request.url);
  const [, first = "", second = "", ...rest] = url.pathname.split("/");
  if (first === "at") {
    const target = new URL(`/${rest.join("/")}${url.search}`, "http://rig");
    return env[second as Location].fetch(new Request(target, request));
  }
  if (first === "world") {
    const world = env.WORLD.getByName("world") as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    return Response.json((await world[second]?.(...((await request.json()) as unknown[]))) ?? null);
  }
  if (first === "claims") {
    const all: unknown[] = [];
    for (let shard = 0; shard < 4; shard++) {
      const object = env.CLAIMS.getByName(`${url.searchParams.get("principal")}/${shard}`) as unknown as Record<
        string,
        (...given: unknown[]) => Promise<unknown>
      >;
      all.push(await object[second]?.(...((await request.clone().json()) as unknown[])).catch(() => null));
    }
    return Response.json(all);
  }
  if (first === "sessions") {
    const [conversations] = (await request.json()) as [Conversations];
    return Response.json(await converse(conversations, env));
  }
  return Response.json(await run((await request.json()) as Plan, env));
}
