/**
 * The skills extension (SEP-2640, io.modelcontextprotocol/skills; modelcontextprotocol/ext-skills,
 * specification/stable/skills.mdx). The files of skills are resources, read like all others; here are the methods that
 * say which there are. Bundled only if tools/ has a skill.
 */
import { isRecord } from "../../../core/lib/json.ts";
import { isTemplate } from "../../../core/pipeline/resources.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Exchange, Method, MethodReply } from "../transport/exchange.ts";
import { CODE, error } from "../wire/codes.ts";
import { paginate } from "./paging.ts";
import { listResources, resourcesOf } from "./resources.ts";

const EXTENSION = "io.modelcontextprotocol/skills";
/** The media type of a folder (Directory Resources). */
const FOLDER = "inode/directory";

type Capabilities = Readonly<Record<string, object>>;

/** Adds the extension to the server's capabilities. */
export function announcingSkills(plain: () => Capabilities): () => Capabilities {
  return () => {
    const { extensions, ...others } = plain();
    return { ...others, extensions: { ...extensions, [EXTENSION]: { directoryRead: true } } };
  };
}

type Methods = readonly (readonly [name: string, method: Method])[];

/** Adds the extension's methods to those of resources. */
export function withSkills(plain: () => Methods): () => Methods {
  return () => [
    ...plain(),
    ["resources/list", listWithoutFiles],
    ["resources/directory/read", readDirectory],
    ["skills/list", listSkills],
    ["skills/get", getSkill],
  ];
}

/** Of a skill, only its SKILL.md: a person who picks a resource wants none of its other files. */
function listWithoutFiles(request: RpcRequest, exchange: Exchange): MethodReply {
  return listResources(request, exchange, (entry) => !isTemplate(entry) && entry.skill !== null);
}

/** An entry is the text that discovery wrote: never parsed, and never split between pages. */
function listSkills({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const { runtime, toolkit } = exchange.context;
  const fragments = runtime.catalog.listing("mcp-skills", toolkit, () =>
    resourcesOf(exchange).flatMap(({ skill }) => skill ?? []),
  );
  return paginate("skills", fragments, params, exchange);
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
    if (entry.skill === undefined || !entry.uri.startsWith(inside)) continue;
    const [child = "", ...deeper] = entry.uri.slice(inside.length).split("/");
    const { mimeType, description } = entry.about;
    const about = deeper.length > 0 ? { mimeType: FOLDER } : { mimeType, description };
    children.set(child, JSON.stringify({ uri: inside + child, name: decodeURIComponent(child), ...about }));
  }
  // "skill:" is the beginning of every URI, and no folder.
  if (children.size === 0 || !/^skill:\/\/[^/]/.test(uri)) {
    return error(CODE.invalidParams, "No folder of a skill is served at this URI", { uri });
  }
  return paginate("resources", [...children.values()], params, exchange, `directory ${uri}`);
}
