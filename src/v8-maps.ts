/**
 * Keeps optimized code alive. At a major garbage collection, every few thousand calls, V8 discards the optimized code
 * of a function if no object with a hidden class that it was optimized for is alive. Between calls, none of a call's
 * objects is alive, so this file holds a sample of each. Without the samples, the Worker handles 6 to 14% fewer calls a
 * second (test/bench, 2026-11-28).
 */
import { anonymousAccess } from "./access/anonymous.ts";
import { RunContext } from "./core/call/context.ts";
import { toolRun } from "./core/call/run-tool.ts";
import type { Call, Granted } from "./core/model/call.ts";
import type { CatalogEntry } from "./core/model/catalog-entry.ts";
import type { ToolDefinition } from "./core/model/definition.ts";
import type { Runtime } from "./core/ports/runtime.ts";
import type { RequestContext } from "./http/request-context.ts";
import { JsonClient } from "./http/slow-json.ts";
import { McpCaller } from "./protocols/mcp/methods/mcp-caller.ts";
import { META } from "./protocols/mcp/modern/meta.ts";
import { Exchange, type ExchangeFacts } from "./protocols/mcp/transport/exchange.ts";
import { ResponseStream } from "./protocols/mcp/transport/response-stream.ts";

/** Requests of OXP and OpenTool with their required members, and as in the specifications' examples. */
const REQUESTS = [
  '{"request":{"tool_id":"","input":{}}}',
  '{"request":{"call_id":"","tool_id":"","input":{}}}',
  '{"jsonrpc":"2.0","method":"","params":{},"id":""}',
];
/** The metadata of MCP in the order of the specification's examples (basic/index, `_meta`). */
const SENT = `"${META.protocolVersion}":"","${META.clientInfo}":{},"${META.clientCapabilities}":{}`;
const PARAMS = ['{"name":"","arguments":{}}', `{"name":"","arguments":{},"_meta":{${SENT}}}`, `{"_meta":{${SENT}}}`];
/** Messages in both orders of members: as in the specifications, and as the official SDKs write them. */
const MESSAGES = PARAMS.flatMap((params) => [
  `{"jsonrpc":"2.0","id":1,"method":"","params":${params}}`,
  `{"method":"","params":${params},"jsonrpc":"2.0","id":1}`,
]);

const samples: unknown[] = [];

/** Creates the samples as calls create such objects. They live as long as the isolate, so they must not hold data. */
export function keepMaps(): void {
  const runtime = {} as Runtime;
  const context = {} as RequestContext;
  const exchange = new Exchange({} as ExchangeFacts);
  // The result object of valibot, which most tools use: valibot adds `typed` after it has created the object.
  const dataset: { value: unknown; typed?: boolean } = { value: undefined };
  dataset.typed = true;
  samples.push(
    ...[...REQUESTS, ...MESSAGES].map((text) => JSON.parse(text)),
    anonymousAccess({ isLocal: false, isPublic: true }, false)?.(new Headers()),
    new RunContext({} as Call, {} as CatalogEntry, {} as Granted, runtime),
    toolRun({} as ToolDefinition, {}, {} as Granted, {} as CatalogEntry, {} as Call, runtime),
    new JsonClient(context, () => {}),
    exchange,
    new McpCaller(exchange, undefined, undefined, ""),
    new ResponseStream(context, undefined, undefined),
    dataset,
  );
}
