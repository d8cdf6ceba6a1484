/** Runs the rig of test/faults in one workerd: two locations, the objects that they share, and a driver. */
import { resolve } from "node:path";
import { build } from "esbuild";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { noTally, type Plan, type Tally } from "../../faults/plan.ts";
import { addressOf, ownAddress } from "./worker.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const OBJECTS = { WORLD: "World", CLAIMS: "Claims", SESSIONS: "Sessions", MAILBOX: "Mailbox", HUB: "Hub" };

/** Keys per request to the driver: few enough that it answers within the minutes after which a client gives up. */
const SLICE = 500;

export interface Rig {
  readonly url: string;
  /** Calls an object's method through the driver. */
  ask<Result>(path: string, ...given: unknown[]): Promise<Result>;
  run(plan: Omit<Plan, "from" | "to"> & { readonly keys: number }, progress?: (soFar: Tally) => void): Promise<Tally>;
  /** Kills workerd immediately (SIGKILL), whatever it is doing. */
  kill(): Promise<void>;
}

/** Starts the rig. `state` is a folder for storage that outlives the process; by default nothing does. */
export async function openRig(state?: string): Promise<Rig> {
  const { outputFiles } = await build({
    entryPoints: [resolve(ROOT, "test/faults/rig.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "esnext",
    external: ["cloudflare:*"],
    conditions: ["workerd", "import"],
  });
  const contents = outputFiles[0]?.text ?? "";
  const worker = (role: string) => ({
    dev: role === "driver" ? ownAddress() : {},
    config: {
      name: role,
      compatibilityDate: "2026-10-01",
      compatibilityFlags: ["enable_request_signal"],
      manifest: { mainModule: "index.js", modules: { "index.js": { type: "esm", contents } } },
      env: {
        ROLE: { type: "text", value: role },
        one: { type: "worker", worker: "one" },
        other: { type: "worker", worker: "other" },
        ...Object.fromEntries(
          Object.entries(OBJECTS).map(([binding, exportName]) => [
            binding,
            { type: "durable-object", worker: "objects", exportName },
          ]),
        ),
      },
      exports:
        role === "objects"
          ? Object.fromEntries(
              Object.values(OBJECTS).map((name) => [name, { type: "durable-object", storage: "sqlite" }]),
            )
          : {},
    },
  });
  const miniflare = new Miniflare({
    cf: false,
    ...(state && { resourcePersistencePath: state }),
    workers: ["driver", "one", "other", "objects"].map(worker),
  } as unknown as MiniflareOptions);
  const url = `${await addressOf(miniflare, "driver")}/`;
  return {
    url,
    async ask(path, ...given) {
      const response = await fetch(new URL(path, url), { method: "POST", body: JSON.stringify(given) });
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return response.json() as never;
    },
    async run({ keys, ...plan }, progress) {
      const all = noTally();
      for (let from = 0; from < keys; from += SLICE) {
        const slice = { ...plan, from, to: Math.min(keys, from + SLICE) };
        const response = await fetch(new URL("/run", url), { method: "POST", body: JSON.stringify(slice) });
        if (!response.ok) throw new Error(`the rig did not end: ${await response.text()}`);
        add(all, (await response.json()) as Tally);
        progress?.(all);
      }
      return all;
    },
    kill: () => miniflare.dispose(),
  };
}

function add(all: Tally, { why, samples, stillMs, ...counts }: Tally): void {
  for (const [name, count] of Object.entries(counts)) all[name as keyof typeof counts] += count;
  for (const [reason, count] of Object.entries(why)) all.why[reason] = (all.why[reason] ?? 0) + count;
  all.samples.push(...samples);
  all.stillMs = Math.max(all.stillMs, stillMs);
}
