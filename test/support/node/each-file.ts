/**
 * Runs before each test file of Node: counts the processes that it starts and the attacks that its tests try, and deletes
 * what it makes when it has ended.
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
