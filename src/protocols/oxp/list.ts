/** Renders the listing of `GET /tools` from texts that discovery rendered (OXP 1.0, List Tools, Tool Definition). */
import { named } from "../../core/call/requirements.ts";
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../core/model/catalog-entry.ts";

/** @returns JSON text */
export function listTools(catalog: Catalog, toolkit: string | undefined): string {
  const tools = catalog.all(toolkit).map(definition).join(",");
  // The documents say `tools`, but the specification's own schema requires `items`: send both.
  return `{"$schema":"urn:oxp:1.0","tools":[${tools}],"items":[${tools}]}`;
}

/** ToolDefinition is a closed object: no members other than these are allowed. */
function definition({ id, name, version, json, options }: CatalogEntry): string {
  const requirements = requirementsOf(options);
  const required = requirements ? `,"requirements":${JSON.stringify(requirements)}` : "";
  return `{"id":"${id}@${version}","name":"${name}","description":${json.description},"version":"${version}","input_schema":{"parameters":${json.input}},"output_schema":${json.output}${required}}`;
}

/** The values that callers may have to send with a call. @returns undefined if there are none */
export function requirementsOf({ requirements: declared }: CatalogEntry["options"]): object | undefined {
  const { authorization: tokens = [], secrets: names = [], userId } = declared ?? {};
  // Clients cannot supply what only the Worker may supply.
  const authorization = tokens.filter(({ from }) => from !== "worker").map(({ id, oauth2 }) => ({ id, oauth2 }));
  const secrets = names.map(named).filter(({ from }) => from !== "worker");
  const requirements = {
    ...(authorization.length > 0 && { authorization }),
    ...(secrets.length > 0 && { secrets: secrets.map(({ id }) => ({ id })) }),
    ...(userId && { user_id: true }),
  };
  return Object.keys(requirements).length > 0 ? requirements : undefined;
}
