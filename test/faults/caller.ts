/** Calls the rig from a test in Node. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Rig } from "../support/node/rig.ts";
import type { Fate } from "./life.ts";
import { type Answer, type Location, type Protocol, readAnswer, requestFor } from "./wire.ts";

export interface Call {
  readonly key?: string;
  readonly tool?: "Ring" | "Look" | "Recall" | "Remember";
  readonly input?: object;
  readonly at?: Location;
  readonly over?: Protocol;
  readonly fate?: Fate;
  readonly principal?: string;
  readonly store?: "claims" | "kv";
  readonly ttlSeconds?: number;
  /** A run is given up this many milliseconds after its tool's limit. Default: a minute, longer than any test takes. */
  readonly marginMs?: number;
  readonly signal?: AbortSignal;
  readonly headers?: Record<string, string>;
}

export type Counted = Answer & { readonly counts: Record<string, number> };

export async function call(rig: Rig, given: Call): Promise<Counted> {
  const { at = "one", over = "oxp", tool = "Ring", input = { name: given.key ?? "", ms: 0 }, signal } = given;
  const { path, body, headers } = requestFor(over, tool, input, given.key);
  const response = await fetch(new URL(`/at/${at}${path}`, rig.url), {
    method: "POST",
    headers: {
      ...headers,
      "x-fate": JSON.stringify(given.fate ?? {}),
      "x-principal": given.principal ?? "tester",
      "x-store": given.store ?? "claims",
      "x-ttl": `${given.ttlSeconds ?? 600}`,
      "x-margin": `${given.marginMs ?? 60_000}`,
      ...given.headers,
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const answer = await readAnswer(over, response);
  return { ...answer, counts: JSON.parse(response.headers.get("x-counts") ?? "{}") };
}

/** For a run whose key another caller takes over within the test. */
export const SOON = { marginMs: 1_500 };

/** Retries as a caller would until there is a result. Vitest's time limit ends a call that never gets one. */
export async function insist(rig: Rig, given: Call): Promise<{ value: string }> {
  for (;;) {
    const answer = await call(rig, given);
    if (answer.is === "result") return { value: answer.value };
    if (answer.is === "wrong") throw new Error(answer.text);
    await sleep(50);
  }
}
