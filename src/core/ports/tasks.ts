/** Names under which the change feed has the changes of tasks. What a deployment does with tasks is in runtime.ts. */

/** With a space, so that no resource has such a URI. */
const TASK_URI = "task ";

/** The name under which changes of a task are published, in place of a resource's URI. */
export function taskUri(id: string): string {
  return TASK_URI + id;
}

/** @returns the id of the task; undefined if it is the URI of a resource */
export function taskOfUri(uri: string): string | undefined {
  return uri.startsWith(TASK_URI) ? uri.slice(TASK_URI.length) : undefined;
}
