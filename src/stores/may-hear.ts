/** Decides which streams of the change feed receive a change. */
import type { Published } from "../core/model/change.ts";
import { lacking } from "../core/model/principal.ts";
import type { Listener, SessionStream, Subscribed } from "../core/ports/change-feed.ts";

/** Whether a stream may be notified of a resource: only if its principal may read it. */
export function mayHear({ scopes, toolkits }: SessionStream, resource: Subscribed): boolean {
  return (toolkits?.includes(resource.toolkit) ?? true) && lacking(resource.scopes, scopes).length === 0;
}

/** Whether a stream receives a change. @param uris resources that the stream or its session follows */
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
