/** Loads what the caller may see: the listings of OXP and MCP, joined by the names of the tools. */

import { isRecord } from "../../../../client/lib/json.ts";
import { compareVersions } from "../../../../client/lib/version.ts";
import { OxpClient } from "../../../../client/oxp/client.ts";
import type { ToolDefinition } from "../../../../client/oxp/types.ts";
import { tokensOfTool } from "../../../../core/lib/token-estimate.ts";
import type { Catalog, JsonSchema, Prompt, Server, Tool } from "../lib/model.ts";
import type { Access } from "./access.ts";
import { failureOf, NeedsCredential } from "./failures.ts";
import { LISTING_MS, Mcp, VIEWS } from "./mcp.ts";
import { type Members, textOr, textsIn, wellFormed } from "./read.ts";

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/**
 * Loads everything with requests that overlap. If some of them fail, the catalog has what the others brought, and says
 * in `problems` what is missing.
 *
 * @throws {NeedsCredential | Refused | Unreachable} if there is nothing to show, and {CallerChanged}
 */
export async function loadCatalog(access: Access): Promise<Catalog> {
  const oxp = new OxpClient({ url: access.origin, fetch: access.sender(), timeoutMs: LISTING_MS });
  const mcp = new Mcp(access);
  const { signal } = access;
  const problems: string[] = [];
  const errors: unknown[] = [];
  const part = async <Value>(what: string, loading: Promise<Value>): Promise<Value | undefined> => {
    try {
      return await loading;
    } catch (error) {
      const failure = failureOf(error);
      errors.push(failure);
      problems.push(`${what} is missing. ${failure instanceof Error ? failure.message : ""}`.trim());
      return undefined;
    }
  };
  const discovering = part(
    "The description of the server",
    mcp.request("server/discover", {}, { timeoutMs: LISTING_MS }),
  );
  /** Lists what the server has, if it says so. */
  const listIf = async (capability: string, what: string, method: string, member: string) => {
    const capabilities = (await discovering)?.result.capabilities;
    return isRecord(capabilities) && capabilities[capability] ? part(what, mcp.list(method, member)) : [];
  };
  const [discovered, listed, described, prompts, resources, templates] = await Promise.all([
    discovering,
    part("The list of tools", oxp.list()),
    part("The list of tools over MCP", mcp.list("tools/list", "tools", VIEWS)),
    listIf("prompts", "The list of prompts", "prompts/list", "prompts"),
    listIf("resources", "The list of resources", "resources/list", "resources"),
    listIf("resources", "The list of resource templates", "resources/templates/list", "resourceTemplates"),
  ]);
  signal.throwIfAborted();
  const needsCredential = errors.find((error) => error instanceof NeedsCredential);
  if (needsCredential) throw needsCredential;
  if (!listed && !described) throw errors[0];
  return {
    server: readServer(discovered?.result, access.origin),
    tools: joined(listed, described),
    prompts: (prompts ?? []).flatMap(readPrompt),
    resources: (resources ?? []).flatMap((one) =>
      isText(one.uri) ? [{ uri: wellFormed(one.uri), ...shownOf(one, one.uri) }] : [],
    ),
    templates: (templates ?? []).flatMap((one) =>
      isText(one.uriTemplate) ? [{ uriTemplate: wellFormed(one.uriTemplate), ...shownOf(one, one.uriTemplate) }] : [],
    ),
    problems,
  };
}

function readServer(discovered: Members | undefined, origin: string): Server {
  const { _meta, instructions } = discovered ?? {};
  const info = isRecord(_meta) && isRecord(_meta[SERVER_INFO]) ? _meta[SERVER_INFO] : {};
  return {
    name: textOr(info.name, new URL(origin).host),
    title: textOr(info.title),
    version: textOr(info.version, ""),
    description: textOr(info.description),
    website: textOr(info.websiteUrl),
    instructions: textOr(instructions),
  };
}

/**
 * OXP lists all versions and what they require, MCP the newest version and everything else, and the tools that only
 * views may call.
 */
function joined(listed: readonly ToolDefinition[] | undefined, described: readonly Members[] | undefined): Tool[] {
  const byName = new Map((described ?? []).map((tool) => [String(tool.name), tool]));
  const versions = new Map<string, ToolDefinition[]>();
  const overMcpOnly = (described ?? []).filter((tool) => isForViews(tool) || !listed);
  const isOverOxp = ({ name }: Members) => listed?.some((tool) => tool.name === name) ?? false;
  for (const tool of [...(listed ?? []), ...overMcpOnly.filter((tool) => !isOverOxp(tool)).map(asOxp)]) {
    versions.set(tool.name, [...(versions.get(tool.name) ?? []), tool]);
  }
  const tools = Array.from(versions.values(), (all) => {
    all.sort((a, b) => compareVersions(b.version, a.version));
    const [newest] = all as [ToolDefinition, ...ToolDefinition[]];
    const mcp = byName.get(newest.name);
    // If the newest version of a tool is for views, OXP lists only the others.
    const isOther = mcp && isForViews(mcp) && newest.version !== "";
    return readTool(all as [ToolDefinition, ...ToolDefinition[]], isOther ? undefined : mcp);
  });
  return tools.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Whether hosts keep the tool from their models (MCP Apps, Visibility). */
function isForViews({ _meta }: Members): boolean {
  const ui = isRecord(_meta) && isRecord(_meta.ui) ? _meta.ui : {};
  return Array.isArray(ui.visibility) && !ui.visibility.includes("model");
}

/** Makes OXP's entry of a tool that only MCP lists. The names of tools are made of their ids. */
function asOxp({ name, description, inputSchema, outputSchema }: Members): ToolDefinition {
  return {
    id: String(name).replace("_", "."),
    name: String(name),
    description: textOr(description, ""),
    version: "",
    input_schema: { parameters: ownOf(schemaOf(inputSchema)) },
    output_schema: isRecord(outputSchema) ? outputSchema : {},
  };
}

/** A schema of input without the parameters that MCP adds. No tool has parameters of these names. */
function ownOf(schema: JsonSchema): JsonSchema {
  if (!isRecord(schema.properties)) return schema;
  const { attachments: _, host_files: __, session: ___, task_id: ____, ...properties } = schema.properties;
  return { ...schema, properties };
}

function readTool(all: [ToolDefinition, ...ToolDefinition[]], mcp: Members | undefined): Tool {
  const [newest] = all;
  const id = wellFormed(newest.id.replace(/@.*$/, ""));
  const input = newest.input_schema.parameters;
  const overMcp = mcp && schemaOf(mcp.inputSchema);
  // MCP adds parameters that are not the tool's own: files, and the id of a task.
  const adds = (name: string) => name in propertiesOf(overMcp) && !(name in propertiesOf(input));
  const hints = mcp && isRecord(mcp.annotations) ? mcp.annotations : {};
  const hint = (name: string) => (typeof hints[name] === "boolean" ? hints[name] : undefined);
  return {
    id,
    toolkit: id.split(".")[0] ?? id,
    name: wellFormed(newest.name),
    title: textOr(mcp?.title),
    versions: all.map(({ version, description, input_schema, output_schema, requirements = {} }) => {
      return { version, description, input: input_schema.parameters, output: output_schema ?? undefined, requirements };
    }),
    annotations: {
      readOnly: hint("readOnlyHint"),
      destructive: hint("destructiveHint"),
      idempotent: hint("idempotentHint"),
      openWorld: hint("openWorldHint"),
    },
    scopes: scopesOf(mcp),
    isLong: adds("task_id"),
    takesFiles: adds("attachments"),
    keepsSession: adds("session"),
    isForViews: mcp !== undefined && isForViews(mcp),
    tokens: tokensOfTool(newest.name, newest.description, overMcp ?? input),
  };
}

/** Reads the form that ChatGPT reads: `_meta.securitySchemes`. */
function scopesOf(mcp: Members | undefined): readonly string[] {
  const schemes = mcp && isRecord(mcp._meta) ? mcp._meta.securitySchemes : undefined;
  if (!Array.isArray(schemes)) return [];
  return schemes.flatMap((scheme) => (isRecord(scheme) && scheme.type === "oauth2" ? textsIn(scheme.scopes) : []));
}

function readPrompt(prompt: Members): Prompt[] {
  if (!isText(prompt.name)) return [];
  const args = Array.isArray(prompt.arguments) ? prompt.arguments.filter(isRecord) : [];
  const known = args.flatMap(({ name, description, required }) =>
    isText(name) ? [{ name: wellFormed(name), description: textOr(description), required: required === true }] : [],
  );
  return [{ ...shownOf(prompt, prompt.name), arguments: known }];
}

function shownOf({ name, title, description, mimeType }: Members, otherwise: string) {
  return {
    name: wellFormed(textOr(name, otherwise)),
    title: textOr(title),
    description: textOr(description),
    mimeType: textOr(mimeType),
  };
}

function schemaOf(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}

function propertiesOf(schema: JsonSchema | undefined): Members {
  return isRecord(schema?.properties) ? schema.properties : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
