/** `resources/list`, `resources/templates/list`, `resources/read` (server/resources). */
import { isRecord } from "../../core/json.ts";
import type { ResourceEntry } from "../../core/offers.ts";
import { findResource, isTemplate, readResource } from "../../core/resources.ts";
import type { RpcRequest } from "../json-rpc.ts";
import { contentsOf } from "./blocks.ts";
import { invoke } from "./invoke.ts";
import { CACHING, paged } from "./page.ts";
import { CODE, error, renderOffer } from "./render.ts";
import type { MethodReply, Turn } from "./turn.ts";

export function resourcesOf({ visit: { host, toolkit } }: Turn): readonly ResourceEntry[] {
  return host.catalog.resources(toolkit);
}

export function listResources({ params }: RpcRequest, turn: Turn): MethodReply {
  const fragments = turn.visit.host.catalog.listing("mcp-resources", turn.visit.toolkit, () =>
    resourcesOf(turn)
      .filter((entry) => !isTemplate(entry))
      .map(({ uri, about }) => JSON.stringify({ uri, ...about })),
  );
  return paged("resources", fragments, params, turn);
}

export function listTemplates({ params }: RpcRequest, turn: Turn): MethodReply {
  const fragments = turn.visit.host.catalog.listing("mcp-templates", turn.visit.toolkit, () =>
    resourcesOf(turn)
      .filter(isTemplate)
      .map(({ uri, about }) => JSON.stringify({ uriTemplate: uri, ...about })),
  );
  return paged("resourceTemplates", fragments, params, turn);
}

export async function readResourceOf({ params }: RpcRequest, turn: Turn): Promise<MethodReply> {
  if (!isRecord(params) || typeof params.uri !== "string") {
    return error(CODE.invalidParams, "params.uri must be a string");
  }
  const { uri } = params;
  const found = findResource(turn.visit.host.catalog, turn.visit.toolkit, uri);
  if (found === undefined) return unknownResource(uri, turn);

  // What is read is computed: kept for as long as its definition says, and by default not at all.
  const caching = turn.manner.kind === "modern" ? { ...CACHING, ttlMs: found.entry.ttlMs ?? 0 } : {};
  return invoke(turn, {
    method: "resources/read",
    about: uri,
    logger: found.entry.about.name,
    params,
    run: async (caller) => ({ outcome: await readResource(found, uri, caller, turn.visit.host) }),
    render: ({ outcome }) =>
      outcome.kind === "completed" && (outcome.value as unknown[]).length === 0
        ? unknownResource(uri, turn)
        : renderOffer(outcome, turn.manner, turn.visit, (contents) => ({
            contents: (contents as unknown[]).map(contentsOf),
            ...caching,
          })),
  });
}

/** -32002 up to 2025-11-25, -32602 since (2026-07-28, server/resources, Error Handling). */
export function unknownResource(uri: string, { manner }: Turn): MethodReply {
  const code = manner.kind === "modern" ? CODE.invalidParams : CODE.unknownResource;
  return error(code, "Resource not found", { uri });
}
