/** Gives the runtime its outbox. Only code generated for a fork with one imports it. */
import { withNews } from "../core/events/event-news.ts";
import type { Runtime } from "../core/ports/runtime.ts";
import { outboxes } from "./bindings.ts";
import { objectOutbox } from "./object-outbox.ts";

type Equip = (runtime: Runtime) => Runtime;

/** @param equip adds what other features add */
export function equipWithOutbox(equip: Equip): Equip {
  return (runtime) => {
    const equipped = equip(runtime);
    // An environment of wrangler.toml may have no outbox.
    if (outboxes === undefined) return equipped;
    const outbox = withNews(objectOutbox(outboxes, runtime.signer), equipped);
    return { ...equipped, outbox, callbacks: outbox };
  };
}
