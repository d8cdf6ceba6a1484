/**
 * Keeps sessions in Durable Objects. Only code generated for a fork with the binding SESSIONS imports this. Node loads
 * it as well, so it imports nothing of Cloudflare.
 */
import { readSettings } from "../../settings.ts";
import type { Feature } from "../feature.ts";
import { objectSessions } from "./object-sessions.ts";
import type { Sessions } from "./sessions.ts";

export const feature: Feature = {
  provide(runtime) {
    const objects = runtime.binding("SESSIONS") as DurableObjectNamespace<Sessions> | undefined;
    // An environment of wrangler.toml may keep sessions on KV.
    if (objects === undefined) return runtime;
    const name = "SESSION_TTL_SECONDS";
    const { sessionSeconds } = readSettings({ [name]: runtime.binding(name) }).settings;
    return { ...runtime, sessions: objectSessions(objects, sessionSeconds) };
  },
};
