/** Finds `x-mcp-header` in an input schema (MCP 2026-07-28, basic/transports/streamable-http, Schema Extension). */

import { isRecord } from "../../core/lib/json.ts";
import type { ToolOptions } from "../../core/model/definition.ts";
import type { JsonSchema } from "../../core/model/tool-description.ts";

type Header = NonNullable<ToolOptions["headers"]>[number];
type Complain = (problem: string, fix: string) => void;

const KEYWORD = "x-mcp-header";
/** A field name (RFC 9110, section 5.1). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES = ["string", "integer", "boolean"];

/** Clients drop a tool with an invalid annotation, so here it is an error. @returns all of them, valid or not */
export function parameterHeaders(input: JsonSchema, complain: Complain): Header[] {
  const found: Header[] = [];
  collect(input, [], found, complain);
  const names = found.map(({ header }) => header.toLowerCase());
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin) complain(`two parameters have the ${KEYWORD} "${twin}"`, "give one of them another");
  const all = JSON.stringify(input).split(`"${KEYWORD}":`).length - 1;
  if (all > found.length) {
    const fix = 'put it on a parameter, or on a property of an object, not inside "items", "anyOf" or the like';
    complain(`a ${KEYWORD} is where clients do not look for it`, fix);
  }
  return found;
}

function collect(schema: JsonSchema, path: readonly string[], found: Header[], complain: Complain): void {
  if (!isRecord(schema.properties)) return;
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!isRecord(property)) continue;
    const at = [...path, name];
    const header = property[KEYWORD];
    if (header !== undefined) {
      found.push({ header: String(header), path: at });
      if (typeof header !== "string" || !TOKEN.test(header)) {
        complain(`the ${KEYWORD} of "${at.join(".")}" is not a header name`, 'write a token, such as "Region"');
      } else if (!TYPES.includes(String(property.type))) {
        const problem = `the ${KEYWORD} of "${at.join(".")}" is not on one of the types ${TYPES.join(", ")}`;
        complain(problem, "remove it, or change the type");
      }
    }
    collect(property, at, found, complain);
  }
}
