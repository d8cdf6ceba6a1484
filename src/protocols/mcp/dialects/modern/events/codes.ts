/** Names and error codes of the events extension (SEP-3415, io.modelcontextprotocol/events; Error Codes). */

export const EVENTS_EXTENSION = "io.modelcontextprotocol/events";

export const EVENT_CODE = {
  /** There is no such event, or no such subscription: `data.kind`. */
  notFound: -32011,
  forbidden: -32012,
  /** `data.limit` names the limit. */
  exhausted: -32013,
  /** `data.feature` and `data.value` name what is not supported. */
  unsupported: -32014,
  /** A callback could not be verified: `data.reason`. */
  callback: -32015,
} as const;
