/** Runs before each test file of Node: its processes count from zero. */
import { expect } from "vitest";
import { countFor } from "./processes.ts";

countFor(expect.getState().testPath ?? "a test file");
