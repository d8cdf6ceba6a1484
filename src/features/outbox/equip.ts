/** Gives the runtime its outbox. Only code generated for a fork with one imports it. Names the binding. */

import type { Runtime } from "../../core/ports/runtime.ts";
import { readSettings } from "../../settings.ts";
import { withPublishing } from "./events/publish-events.ts";
import { type OutboxObjects, objectOutbox } from "./object-outbox.ts";

type Equip = (runtime: Runtime) => Runtime;

/** @param equip adds what other features add */
export function equipWithOutbox(equip: Equip): Equip {
  return (runtime) => {
    const equipped = equip(runtime);
    const objects = runtime.binding("OUTBOX") as OutboxObjects | undefined;
    // An environment of wrangler.toml may have no outbox.
    if (objects === undefined) return equipped;
    const { privateHosts } = readSettings({ ALLOWED_HOSTS: runtime.binding("ALLOWED_HOSTS") }).settings;
    const outbox = withPublishing(objectOutbox(objects, runtime.signer, privateHosts), equipped);
    return { ...equipped, outbox, callbacks: outbox };
  };
}
