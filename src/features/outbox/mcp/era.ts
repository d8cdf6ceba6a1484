/** 2026-07-28 with the events extension (SEP-3415, io.modelcontextprotocol/events). */

import type { MoreMethods } from "../../../protocols/mcp/modern/era.ts";
import type { Era } from "../../../protocols/mcp/transport/era.ts";
import { methodsWithEvents } from "./methods.ts";
import { stream } from "./stream.ts";

type MakeEra = (supported: () => readonly string[], more?: MoreMethods) => Era;

/** Wraps the function that makes the era, with tasks or without. */
export function withEvents(inner: MakeEra): MakeEra {
  return (supported) => {
    const era = inner(supported, methodsWithEvents);
    return {
      ...era,
      post(context, message, match) {
        const isStream = message.kind === "request" && message.method === "events/stream";
        return isStream ? stream(context, message) : era.post(context, message, match);
      },
    };
  };
}
