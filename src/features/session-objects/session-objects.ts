/**
 * Keeps sessions in objects. Only code generated for a fork with the binding SESSIONS imports this, in Node too: so it
 * imports nothing of Cloudflare.
 */
import type { Runtime } from "../../core/ports/runtime.ts";
import { readSettings } from "../../settings.ts";
import { objectSessions } from "./object-sessions.ts";
import type { Sessions } from "./sessions.ts";

type Equip = (runtime: Runtime) => Runtime;

/** @param equip adds what other features add */
export function equipWithSessions(equip: Equip): Equip {
  return (runtime) => {
    const equipped = equip(runtime);
    const objects = runtime.binding("SESSIONS") as DurableObjectNamespace<Sessions> | undefined;
    // An environment of wrangler.toml may keep sessions on KV.
    if (objects === undefined) return equipped;
    const name = "SESSION_TTL_SECONDS";
    const { sessionSeconds } = readSettings({ [name]: runtime.binding(name) }).settings;
    return { ...equipped, sessions: objectSessions(objects, sessionSeconds) };
  };
}
