/** Views: what clients that show them get in addition (io.modelcontextprotocol/ui). */
import type { Feature } from "../feature.ts";
import { canShowViews } from "./capability.ts";
import { methodsWithViews } from "./methods.ts";

export const feature: Feature = {
  mcp: {
    methods: methodsWithViews,
    clientCapabilities: (capabilities, clientInfo) => (canShowViews(capabilities, clientInfo) ? ["views"] : []),
  },
};
