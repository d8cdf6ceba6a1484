/** Skills (io.modelcontextprotocol/skills). Their files are resources like all others. */
import type { Feature } from "../feature.ts";
import { methodsWithSkills } from "./methods.ts";

export const feature: Feature = {
  mcp: { methods: methodsWithSkills },
};
