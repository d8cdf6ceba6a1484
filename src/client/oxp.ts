/**
 * A client for OXP 1.0 servers (docs/oxp-client.md): lists tools, calls them, and retries calls if that may help. Uses
 * nothing but `fetch`: for Workers, Node from version 20, Deno, Bun and browsers.
 */

export type { Fetch, NoResponseReason } from "./lib/http.ts";
export { type OxpCallOptions, OxpClient, type OxpClientOptions, type OxpResult } from "./oxp/client.ts";
export {
  isOxpError,
  type MissingRequirements,
  OxpError,
  type OxpErrorCode,
  type OxpFailure,
  OxpInvalidInput,
  OxpNoResponse,
  OxpRefused,
  OxpStatus,
  OxpToolFailed,
  OxpUnauthorized,
  OxpUnreadable,
} from "./oxp/errors.ts";
export { type Needs, needsOf } from "./oxp/requirements.ts";
export type { Clock, Retry, RetryOptions } from "./oxp/retry.ts";
export type {
  CallContext,
  CallOptions,
  JsonSchema,
  ToolCaller,
  ToolDefinition,
  ToolRequirements,
} from "./oxp/types.ts";
