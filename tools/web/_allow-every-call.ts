/** For tests that call more often than a tool's `rate` allows. */
import { env } from "cloudflare:workers";

/** Makes the rate limiter of that name allow every call. */
export function allowEveryCall(name: string): void {
  Object.assign(env, { [name]: { limit: async () => ({ success: true }) } });
}
