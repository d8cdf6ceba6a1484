/**
 * A client for OpenTool 1.0 servers, ours and others' (docs/opentool.md): for Workers, Node from version 20, Deno,
 * Bun and browsers. It uses nothing but `fetch`.
 */
export type { Fetch } from "./lib/http.ts";
export {
  type OpenToolCallOptions,
  OpenToolClient,
  type OpenToolClientOptions,
  type RequestOptions,
  type Version,
} from "./opentool/client.ts";
export {
  type FunctionModel,
  type Info,
  type OpenTool,
  type Parameter,
  type Return,
  resolveSchema,
  type Schema,
  type ServerInfo,
} from "./opentool/document.ts";
export {
  ErrorNullException,
  type NoAccessReason,
  OpenToolException,
  OpenToolServerCallException,
  OpenToolServerNoAccessException,
  OpenToolServerUnauthorizedException,
  ResponseNullException,
} from "./opentool/exceptions.ts";
export { FunctionCall, type JsonObject, ToolReturn } from "./opentool/model.ts";
export type { StreamEvent } from "./opentool/stream.ts";
