/** The two tiers of tests: `npm run test:all` is fast, and `npm run test:slow` has the rest (CONTRIBUTING.md, Tests). */
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether `npm run test:slow` runs. */
    slow: boolean;
  }
}

/**
 * Whether this is the slow tier: `it.runIf(isSlow)` is for the slow tests of a file whose other tests are fast. All of a
 * file that imports this module runs in the slow tier.
 */
export const isSlow = inject("slow");

/** How many random cases to try: a few in the fast tier, and all in the slow one. */
export function cases(few: number, all: number): number {
  return isSlow ? all : few;
}
