import { lacking } from "../core/model/principal.ts";
import type { SessionStream, Subscribed } from "../core/ports/change-feed.ts";

/** Whether a stream may be notified of a resource: only if its principal may read it. */
export function mayHear({ scopes, toolkits }: SessionStream, resource: Subscribed): boolean {
  return (toolkits?.includes(resource.toolkit) ?? true) && lacking(resource.scopes, scopes).length === 0;
}
