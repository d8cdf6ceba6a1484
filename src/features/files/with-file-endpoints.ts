/** Adds the endpoints of files to the Worker of a deployment that has them. Only code generated for such a fork imports it. */
import type { App, Parts } from "../../app.ts";
import { logMistakes } from "../../core/lib/log.ts";
import { filesProtocol } from "./endpoints.ts";
import { fileSettings, storeFor } from "./equip.ts";
import { ticketGuard } from "./ticket-guard.ts";

/** @param create makes the Worker */
export function withFileEndpoints<Worker extends App>(create: (parts: Parts) => Worker): (parts: Parts) => Worker {
  return (parts) => {
    const { runtime, features = [] } = parts;
    logMistakes(fileSettings(runtime).mistakes, runtime.log);
    return create({ ...parts, features: [...features, filesProtocol(storeFor(runtime), ticketGuard(runtime))] });
  };
}
