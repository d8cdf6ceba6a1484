/** Checks signed URLs: one may have expired, or its key have been revoked, and its owner has a rate for all of them. */
import { keyring } from "../../access/keys.ts";
import { describeError } from "../../core/lib/log.ts";
import type { Runtime } from "../../core/ports/runtime.ts";
import { readSettings } from "../../settings.ts";
import { kvKeys } from "../../stores/kv-keys.ts";
import type { Ticket } from "./store/tickets.ts";

export interface RefusedTicket {
  readonly status: 410 | 429 | 503;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @returns undefined if the URL counts */
export type TicketGuard = (ticket: Ticket) => Promise<RefusedTicket | undefined>;

export const EXPIRED = "This URL has expired: request another one";
const LATER = { "retry-after": "60" };

export function ticketGuard({ binding, rateLimit, isLocal, log }: Runtime): TicketGuard {
  const keys = keyring(kvKeys(binding("KV") as KVNamespace), () => Date.now());
  const { ratePerMinute } = readSettings({ RATE_PER_MINUTE: binding("RATE_PER_MINUTE") }).settings;
  const check: TicketGuard = async ({ owner, key, expires }) => {
    // Before it is counted: whoever once had the URL could use up the rate of its owner's files with it for ever.
    if (expires <= Date.now()) return { status: 410, message: EXPIRED, headers: {} };
    const holder = key === undefined ? undefined : await keys.findById(key);
    if (key !== undefined && holder === undefined) {
      const message = "The key that this URL was made with has been revoked, or has expired";
      return { status: 410, message, headers: {} };
    }
    const limit = holder?.rate ?? (isLocal ? undefined : ratePerMinute);
    // Apart from its owner's calls: whoever has the URL of one file, without a credential, could keep them all out.
    if (limit === undefined || (await rateLimit(limit, `files ${owner}`))) return undefined;
    return { status: 429, message: `Over ${limit} requests a minute; wait and try again`, headers: LATER };
  };
  return async (ticket) => {
    try {
      return await check(ticket);
    } catch (error) {
      log({ level: "error", message: "request for a file not checked", error: describeError(error) });
      return { status: 503, message: "This URL cannot be checked at the moment; try again", headers: LATER };
    }
  };
}
