/** Prompts over MCP (server/prompts). */
import type { Feature } from "../feature.ts";
import { getPromptOf, listPrompts } from "./methods.ts";

export const feature: Feature = {
  mcp: {
    capabilities: { prompts: { listChanged: true } },
    methods: (plain) => new Map([...plain, ["prompts/list", listPrompts], ["prompts/get", getPromptOf]]),
  },
};
