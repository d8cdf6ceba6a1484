/** Renders content blocks and resources in MCP's format (server/tools, Tool Result; server/resources, Contents). */
import { isRecord } from "../../../core/lib/json.ts";

/** Renames `hints` (the earlier name of `annotations`) and `meta`. Other members have the same names in MCP. */
export function blockOf(block: unknown): unknown {
  if (!isRecord(block)) return block;
  const { hints, meta, resource, ...rest } = block;
  return {
    ...rest,
    ...(resource !== undefined && { resource: contentsOf(resource) }),
    ...(hints !== undefined && { annotations: hints }),
    ...(meta !== undefined && { _meta: meta }),
  };
}

/** The same for the contents of a resource, or a resource in a listing. These have only `meta` to rename. */
export function contentsOf(contents: unknown): unknown {
  if (!isRecord(contents)) return contents;
  const { meta, ...rest } = contents;
  return meta === undefined ? rest : { ...rest, _meta: meta };
}
