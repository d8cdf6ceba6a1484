/** Adds the endpoints of the outbox to the Worker. Only code generated for a fork with one imports it. */
import type { App, Parts } from "../../app.ts";
import { logMistakes } from "../../core/lib/log.ts";
import { webhooksApi } from "./api.ts";
import { outboxMistakes } from "./own-settings.ts";

/** @param create makes the Worker */
export function withOutbox<Worker extends App>(create: (parts: Parts) => Worker): (parts: Parts) => Worker {
  return (parts) => {
    logMistakes(outboxMistakes, parts.runtime.log);
    const { callbacks } = parts.runtime;
    if (callbacks === undefined) return create(parts);
    const features = [...(parts.features ?? []), webhooksApi(callbacks)];
    return create({ ...parts, features });
  };
}
