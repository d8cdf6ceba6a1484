/** Resources over MCP (server/resources). */
import { subscribable } from "../../core/call/resources.ts";
import { listResources, listTemplates, readResourceOf } from "../../protocols/mcp/methods/resources.ts";
import type { Feature } from "../feature.ts";
import { subscribe } from "./subscribe.ts";

export const feature: Feature = {
  provide: (runtime) => ({ ...runtime, subscribable }),
  mcp: {
    capabilities: { resources: { subscribe: true, listChanged: true } },
    methods: (plain) =>
      new Map([
        ...plain,
        ["resources/list", listResources],
        ["resources/templates/list", listTemplates],
        ["resources/read", readResourceOf],
      ]),
    // Clients of 2026-07-28 name the resources that they follow in `subscriptions/listen`.
    legacy: {
      methods: (plain) =>
        new Map([
          ...plain,
          ["resources/subscribe", (request, exchange) => subscribe(request, exchange, true)],
          ["resources/unsubscribe", (request, exchange) => subscribe(request, exchange, false)],
        ]),
    },
  },
};
