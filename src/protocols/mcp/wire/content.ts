/** Content blocks and resource contents in MCP's words (server/tools, Tool Result; server/resources, Contents). */
import { isRecord } from "../../../core/lib/json.ts";

/** `hints` are its annotations, `meta` its `_meta`; the rest is called alike. */
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

export function contentsOf(contents: unknown): unknown {
  if (!isRecord(contents)) return contents;
  const { meta, ...rest } = contents;
  return meta === undefined ? rest : { ...rest, _meta: meta };
}
