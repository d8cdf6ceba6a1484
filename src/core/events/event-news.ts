/** How open streams hear that there is an event to read: as a change of a resource that has no such URI. */

/** With a space, so that no resource has such a URI. */
const EVENT_URI = "event ";

/**
 * The name under which an event is published to the change feed.
 *
 * @param partition of the principal whose event it is
 */
export function eventUri(partition: string, name: string): string {
  return `${EVENT_URI}${name} ${partition}`;
}
