/**
 * OXP as an OpenAPI 3.1 document, with an operation for each tool, and the path of its own that each tool needs for
 * that. Bundled only as one of the documents for machines (src/features/documents).
 */
import type { Catalog } from "../../core/catalog/catalog.ts";
import { sha256 } from "../../core/crypto/digest.ts";
import { isRecord } from "../../core/lib/json.ts";
import type { CatalogEntry } from "../../core/model/catalog-entry.ts";
import { ANONYMOUS } from "../../core/model/principal.ts";
import { answerListing, type Listing, listingOf, listingTag, withoutQuery } from "../../http/listing.ts";
import type { MaybeResponse, Protocol, RequestContext } from "../../http/request-context.ts";
import { requirementsOf } from "../../protocols/oxp/list.ts";
import { call, oxp } from "../../protocols/oxp/routes.ts";

export const openApi: Protocol = {
  endpoints: [
    { method: "GET", path: "/openapi.json", serve: describe },
    { method: "POST", path: "/tools/call/:tool", serve: callByPath },
  ],
  httpError: oxp.httpError,
};

/** The body is OXP's `request` without the id of the tool, which is in the path. */
function callByPath(context: RequestContext): MaybeResponse {
  const { tool } = context.params;
  return call(context, (body) => (isRecord(body) ? { request: { ...body, tool_id: tool } } : body));
}

/** The document contains its own address. Only the latest is cached, because most deployments have a single address. */
interface Described {
  readonly operations: string;
  last?: { readonly url: string; readonly listing: Listing };
}

async function describe(context: RequestContext): Promise<Response> {
  const { request, runtime, server, toolkit, principal } = context;
  const { catalog } = runtime;
  // Callers without a credential may share their view with callers who have one.
  const name = principal.id === ANONYMOUS ? "openapi-open" : "openapi";
  const described = catalog.listing(name, toolkit, (): Described => ({ operations: operations(catalog, toolkit) }));
  const address = withoutQuery(request);
  if (described.last?.url !== address) {
    const { origin, pathname } = new URL(address);
    const head = JSON.stringify({
      openapi: "3.1.0",
      info: { title: server.title ?? server.name, version: server.version, description: server.description },
      servers: [{ url: origin + pathname.replace(/\/[^/]+\/?$/, "") }],
      tags: ["OXP", ...new Set(catalog.latest(toolkit).map((entry) => entry.toolkit))].map((name) => ({ name })),
      security: [{ key: [] }, ...(principal.id === ANONYMOUS ? [{}] : [])],
      components: COMPONENTS,
    }).slice(0, -1);
    const tag = listingTag(runtime, `${name}-${(await sha256(head)).slice(0, 16)}`, toolkit);
    const paths = JSON.stringify(PATHS).slice(0, -1) + described.operations;
    described.last = { url: address, listing: listingOf(tag, `${head},"paths":${paths}}}`) };
  }
  return answerListing(context, described.last.listing);
}

/** @returns JSON text: members of `paths`, each with a comma in front */
function operations(catalog: Catalog, toolkit: string | undefined): string {
  return catalog.latest(toolkit).map(operation).join("");
}

function operation({ id, name, toolkit, json, output, options }: CatalogEntry): string {
  const head = JSON.stringify({
    operationId: name,
    summary: options.title ?? id,
    tags: [toolkit],
    "x-oxp-requirements": requirementsOf(options),
  }).slice(0, -1);
  const value = output === "none" ? '{"type":"null"}' : json.output;
  const body = `{"type":"object","required":["input"],"properties":{"input":${json.input},${REQUEST}}}`;
  const result = `{"allOf":[{"$ref":"#/components/schemas/Result"},{"properties":{"result":{"properties":{"value":${value}}}}}]}`;
  return `,"/tools/call/${id}":{"post":${head},"description":${json.description},"requestBody":{"required":true,"content":{"application/json":{"schema":${body}}}},"responses":{"200":{"description":${ENDED},"content":{"application/json":{"schema":${result}}}},${FAILURES}}}}`;
}

const text = { type: "string" };
const bool = { type: "boolean" };
const number = { type: "number" };
const object = { type: "object" };
const list = { type: "array", items: object };
const ref = (name: string) => ({ $ref: `#/components/${name}` });
const shape = (required: readonly string[], properties: object) => ({ ...object, required, properties });
const withJson = (schema: object) => ({ content: { "application/json": { schema } } });

/** Members of a request besides the tool and its input (OXP 1.0, Call Tool). */
const OPTIONS = { call_id: text, context: ref("schemas/Context") };
const REQUEST = JSON.stringify(OPTIONS).slice(1, -1);
const DESCRIPTION = "The tool has run. Whether it succeeded is in result.success.";
const ENDED = JSON.stringify(DESCRIPTION);
const ERRORS = { "4XX": ref("responses/Error") };
const FAILURES = JSON.stringify(ERRORS).slice(1, -1);
const get = (operationId: string, summary: string) => ({
  operationId,
  summary,
  tags: ["OXP"],
  responses: { 200: { description: summary, ...withJson(object) }, ...ERRORS },
});

const CALL = shape(["tool_id"], { tool_id: text, input: object, ...OPTIONS });
// No tool has a name with a dot, so these operations cannot have the name of a tool.
const PATHS = {
  "/health": { get: { ...get("oxp.health", "Whether the server is running"), security: [] } },
  "/tools": { get: get("oxp.list", "Lists all tools") },
  "/tools/call": {
    post: {
      operationId: "oxp.call",
      summary: "Calls a tool",
      tags: ["OXP"],
      requestBody: { required: true, ...withJson(shape(["request"], { request: CALL })) },
      responses: { 200: { description: DESCRIPTION, ...withJson(ref("schemas/Result")) }, ...ERRORS },
    },
  },
};

const TOOL_ERROR = shape(["message"], {
  message: text,
  developer_message: text,
  can_retry: bool,
  additional_prompt_content: text,
  retry_after_ms: number,
});
const RESULT = shape(["call_id", "success"], { call_id: text, duration: number, success: bool, error: TOOL_ERROR });
const ERROR = shape(["message"], {
  message: text,
  developer_message: text,
  parameter_errors: object,
  missing_requirements: object,
});
const COMPONENTS = {
  securitySchemes: { key: { type: "http", scheme: "bearer" } },
  responses: { Error: { description: "The tool has not run.", ...withJson(ERROR) } },
  schemas: {
    Context: { ...object, properties: { authorization: list, secrets: list, user_id: text, attachments: list } },
    Result: shape(["result"], { result: RESULT }),
  },
};
