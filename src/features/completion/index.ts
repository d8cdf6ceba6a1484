/** Completion over MCP (server/utilities/completion). */
import type { Feature } from "../feature.ts";
import { complete } from "./methods.ts";

export const feature: Feature = {
  mcp: {
    capabilities: { completions: {} },
    methods: (plain) => new Map([...plain, ["completion/complete", complete]]),
  },
};
