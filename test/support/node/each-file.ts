/** Runs before each test file of Node: its processes count from zero, and what it makes is deleted after it. */
import { afterAll, expect } from "vitest";
import { cleanUp } from "./clean-up.ts";
import { countFor } from "./processes.ts";

countFor(expect.getState().testPath ?? "a test file");
afterAll(cleanUp);
