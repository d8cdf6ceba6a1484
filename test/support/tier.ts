/** The two tiers of tests: `npm run test:all` is fast, and `npm run test:slow` has the rest (CONTRIBUTING.md, Tests). */
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether `npm run test:slow` runs. */
    slow: boolean;
  }
}

/** How many random cases to try: a few in the fast tier, and all in the slow one. */
export function cases(few: number, all: number): number {
  return inject("slow") ? all : few;
}
