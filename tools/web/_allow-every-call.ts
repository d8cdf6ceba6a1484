/** For tests that call more often than a tool's `rate` allows. */
import { env } from "cloudflare:workers";

/** Has the rate limiter of that name let every call pass. */
export function allowEveryCall(name: string): void {
  Object.assign(env, { [name]: { limit: async () => ({ success: true }) } });
}
