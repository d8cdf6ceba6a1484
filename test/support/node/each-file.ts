/**
 * Runs before each test file of Node: its processes count from zero, what it makes is deleted after it, and the attacks
 * that each of its tests tries are counted.
 */
import { afterAll, afterEach, expect } from "vitest";
import { isSlow } from "../tier.ts";
import { noteAttacks } from "./attacks/count.ts";
import { cleanUp } from "./clean-up.ts";
import { countFor } from "./processes.ts";

// In the slow tier, each fork is built by a process of wrangler.
if (!isSlow) countFor(expect.getState().testPath ?? "a test file");
afterAll(cleanUp);
afterEach(noteAttacks);
