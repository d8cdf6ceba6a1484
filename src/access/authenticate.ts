/** Who is calling. Nobody has to say yet: every caller is the same anonymous principal. */
import type { Principal } from "../core/definition.ts";

export const ANONYMOUS: Principal = Object.freeze({ id: "anonymous" });

export function authenticate(): Principal {
  return ANONYMOUS;
}
