/** 2026-07-28 with the tasks extension (modelcontextprotocol.io, extension io.modelcontextprotocol/tasks). */
import { capabilitiesOf } from "#parts";
import { isRecord } from "../../../core/lib/json.ts";
import { modernDialect } from "../../../protocols/mcp/modern/dialect.ts";
import { type MoreMethods, modernEra } from "../../../protocols/mcp/modern/era.ts";
import { decodeHeaderValue, mismatch } from "../../../protocols/mcp/modern/header-checks.ts";
import { dispatch } from "../../../protocols/mcp/transport/dispatch.ts";
import type { Era, NoEra, Opening } from "../../../protocols/mcp/transport/era.ts";
import { methodsWithTasks } from "./methods.ts";
import { subscribeWithTasks } from "./subscriptions.ts";

/** @param supported returns the supported revisions of all eras */
export function modernEraWithTasks(supported: () => readonly string[], more: MoreMethods = (methods) => methods): Era {
  const plain = modernDialect(supported);
  const dialect = { ...plain, methods: more(methodsWithTasks(plain.methods)) };
  const era = modernEra(supported);
  return {
    ...era,
    match(header, opening, headers) {
      const match = era.match(header, opening, headers);
      return match === undefined || match.era === "refused" ? match : (wrongTaskName(opening, headers) ?? match);
    },
    post(context, message, match) {
      if (message.kind !== "request") return era.post(context, message, match);
      const capabilities = capabilitiesOf(match.capabilities, match.clientInfo);
      const exchange = { context, dialect, session: undefined, capabilities };
      if (message.method === "subscriptions/listen") return subscribeWithTasks(exchange, message);
      return dispatch(message, exchange);
    },
  };
}

/** "The client MUST set the `Mcp-Name` header to the value of `params.taskId`" (Streamable HTTP: Routing Headers). */
function wrongTaskName({ method, params, isRequest }: Opening, headers: Headers): NoEra | undefined {
  const isOfTask = method === "tasks/get" || method === "tasks/update" || method === "tasks/cancel";
  if (!isRequest || !isOfTask || !isRecord(params) || typeof params.taskId !== "string") return undefined;
  const raw = headers.get("mcp-name")?.trim();
  const name = raw === undefined ? undefined : decodeHeaderValue(raw);
  return name === params.taskId ? undefined : mismatch("Mcp-Name", raw, params.taskId);
}
