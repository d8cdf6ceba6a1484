/**
 * The skills extension (SEP-2640, io.modelcontextprotocol/skills; modelcontextprotocol/ext-skills,
 * specification/stable/skills.mdx). The files of skills are resources, read like all others; the methods here list the
 * skills and their folders. Bundled only if tools/ has a skill.
 */
import { isRecord } from "../../core/lib/json.ts";
import type { RpcRequest } from "../../protocols/json-rpc.ts";
import { announcing } from "../../protocols/mcp/methods/announcing.ts";
import { fragments, keptApart, paginate } from "../../protocols/mcp/methods/paging.ts";
import { resourcesOf } from "../../protocols/mcp/methods/resources.ts";
import type { Exchange, Method, MethodReply } from "../../protocols/mcp/transport/exchange.ts";
import { CODE, error } from "../../protocols/mcp/wire/codes.ts";

const EXTENSION = "io.modelcontextprotocol/skills";
/** The media type of a folder (Directory Resources). */
const FOLDER = "inode/directory";

/** @param plain the methods of an era */
export function methodsWithSkills(plain: ReadonlyMap<string, Method>): ReadonlyMap<string, Method> {
  return new Map([
    ...plain,
    ...announcing(plain, EXTENSION, { directoryRead: true }),
    ["resources/directory/read", readDirectory],
    ["skills/list", listSkills],
    ["skills/get", getSkill],
  ]);
}

function listSkills({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const make = () => resourcesOf(exchange).flatMap(({ skill }) => skill ?? []);
  return paginate("skills", fragments("mcp-skills", exchange, make), params, exchange);
}

function getSkill({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const uri = isRecord(params) ? params.uri : undefined;
  if (typeof uri !== "string") return error(CODE.invalidParams, "params.uri must be a string");
  const found = resourcesOf(exchange).find((entry) => entry.uri === uri);
  // "the server MUST return error -32602 (Invalid params)" (Getting a Skill).
  if (!found?.skill) return error(CODE.invalidParams, "No skill is served at this URI", { uri });
  return { resultText: `{"skill":${found.skill}${exchange.dialect.listingEnd(exchange.context.server)}}` };
}

/** The direct children of a folder of a skill (Reading Directories). */
function readDirectory({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const uri = isRecord(params) ? params.uri : undefined;
  if (typeof uri !== "string") return error(CODE.invalidParams, "params.uri must be a string");
  const inside = `${uri}/`;
  const children = new Map<string, string>();
  for (const entry of resourcesOf(exchange)) {
    if ((entry.skill === undefined && !entry.isUnlisted) || !entry.uri.startsWith(inside)) continue;
    const [child = "", ...deeper] = entry.uri.slice(inside.length).split("/");
    const { mimeType, description } = entry.about;
    const about = deeper.length > 0 ? { mimeType: FOLDER } : { mimeType, description };
    children.set(child, JSON.stringify({ uri: inside + child, name: decodeURIComponent(child), ...about }));
  }
  // "skill:" begins every URI, and is not a folder.
  if (children.size === 0 || !/^skill:\/\/[^/]/.test(uri)) {
    return error(CODE.invalidParams, "No folder of a skill is served at this URI", { uri });
  }
  return paginate("resources", [...children.values()], params, keptApart(exchange, `directory ${uri}`));
}
