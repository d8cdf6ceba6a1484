/** A call with curl over OXP, MCP and OpenTool, for any POSIX shell. */
import { KEY } from "../../../../connect/variables.ts";
import { contextOf, filled, sendsKey, toolId, variablesOf } from "./context.ts";
import { escaped, json, quoted, word } from "./literals.ts";
import type { Call, Sample } from "./sample.ts";

/** Linux passes no longer argument to a program (execve(2): 128 KiB). In bytes, with room to spare. */
const MAX_ARGUMENT = 120_000;

export function curlSamples(call: Call): readonly Sample[] {
  return [oxp(call), ...(call.isNewest ? [mcp(call), openTool(call)] : [])];
}

function oxp(call: Call): Sample {
  const request = json({ request: { tool_id: toolId(call), input: call.input } });
  const context = contextOf(call);
  if (context === undefined) return sample(call, "OXP", "/tools/call", argument(request));
  // A variable is outside the single quotes, between double ones.
  const values = filled(escaped(json(context)), (variable) => `"'"$${variable}"'"`);
  const data = `-d '${escaped(request.slice(0, -2))}, "context": ${values}}}'`;
  // The shell puts a value into the JSON as it is.
  return sample(call, "OXP", "/tools/call", data, 'In a value, write \\ before each " and each \\.');
}

/** Makes no handshake: Trivet answers a request that stands alone. A name is that of the newest version. */
function mcp(call: Call): Sample {
  const params = { name: call.tool.name, arguments: call.input };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  return sample(call, "MCP", "/mcp", argument(json(body)), notSent(call));
}

function openTool(call: Call): Sample {
  const body = { jsonrpc: "2.0", id: "1", method: call.tool.name, params: call.input };
  return sample(call, "OpenTool", "/opentool/call", argument(json(body)), notSent(call));
}

/** The note at samples over protocols other than OXP. @returns undefined if they send all that the tool requires */
export function notSent(call: Call): string | undefined {
  const variables = variablesOf(call).join(", ");
  return variables === "" ? undefined : `Only OXP can send ${variables}. Here, the server uses its own.`;
}

function sample(call: Call, title: string, path: string, data: string, note?: string): Sample {
  const key = sendsKey(call) ? ` -H "Authorization: Bearer $${KEY}"` : "";
  const text = `curl -s ${word(call.base + path)}${key} -H 'Content-Type: application/json' \\\n  ${data}`;
  const id = `curl-${title.toLowerCase()}`;
  return { group: "curl", id, title, language: "sh", text, ...(note !== undefined && { note }) };
}

/** @param body JSON on one line */
function argument(body: string): string {
  if (new TextEncoder().encode(body).length <= MAX_ARGUMENT) return `-d ${quoted(body)}`;
  return `-d @- <<'END'\n${body}\nEND`;
}
