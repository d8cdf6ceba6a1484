/** The listing of `GET /tools`, joined from texts that discovery rendered (OXP 1.0, List Tools, Tool Definition). */
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../core/model/catalog-entry.ts";
import { named } from "../../core/pipeline/requirements.ts";

export function listTools(catalog: Catalog, toolkit: string | undefined): string {
  const tools = catalog.all(toolkit).map(definition).join(",");
  // `tools` is what the documents say, `items` what the specification's own schema requires: both are sent.
  return `{"$schema":"urn:oxp:1.0","tools":[${tools}],"items":[${tools}]}`;
}

/** ToolDefinition is closed: nothing beyond these members may appear. */
function definition({ id, name, version, json, traits }: CatalogEntry): string {
  const { authorization: tokens = [], secrets: names = [], userId } = traits.requirements ?? {};
  // What only the Worker may supply is nothing for a client to bring.
  const authorization = tokens.filter(({ from }) => from !== "worker").map(({ id, oauth2 }) => ({ id, oauth2 }));
  const secrets = names.map(named).filter(({ from }) => from !== "worker");
  const requirements = {
    ...(authorization.length > 0 && { authorization }),
    ...(secrets.length > 0 && { secrets: secrets.map(({ id }) => ({ id })) }),
    ...(userId && { user_id: true }),
  };
  const required = Object.keys(requirements).length > 0 ? `,"requirements":${JSON.stringify(requirements)}` : "";
  return `{"id":"${id}@${version}","name":"${name}","description":${json.description},"version":"${version}","input_schema":{"parameters":${json.input}},"output_schema":${json.output}${required}}`;
}
