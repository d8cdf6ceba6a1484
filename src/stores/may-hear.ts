/** Who hears of what. */
import type { Published } from "../core/model/change.ts";
import { lacking } from "../core/model/principal.ts";
import type { Listener, SessionStream, Subscribed } from "../core/ports/change-feed.ts";

/** Whether a stream may be notified of a resource: only if its principal may read it. */
export function mayHear({ scopes, toolkits }: SessionStream, resource: Subscribed): boolean {
  return (toolkits?.includes(resource.toolkit) ?? true) && lacking(resource.scopes, scopes).length === 0;
}

/** Whether a stream is to be told. @param uris the resources whose changes it receives, with its session's */
export function wants({ principal, wanted }: Listener, uris: ReadonlySet<string>, change: Published): boolean {
  switch (change.of) {
    case "tools":
    case "prompts":
    case "resources":
      return wanted[change.of];
    case "resource":
      return uris.has(change.uri);
    case "event":
      return change.partition === principal && (wanted.events?.includes(change.name) ?? false);
    case "task":
      return wanted.tasks?.includes(change.id) ?? false;
  }
}
