/** What prompts and templates of addresses have in common: a few texts to fill in, and the result below them. */

import type { Mcp } from "../api/mcp.ts";
import { formElement, inputForm } from "../form/form.ts";
import { type Child, h } from "../lib/dom.ts";
import type { JsonSchema } from "../lib/model.ts";
import { loadInto } from "./view.ts";

/**
 * @param of    what the server suggests values for
 * @param label of the button
 * @param load  what to show for the values that were filled in
 */
export function inputs(
  mcp: Mcp,
  of: Parameters<Mcp["complete"]>[0],
  properties: readonly (readonly [name: string, schema: JsonSchema, required: boolean])[],
  label: string,
  load: (values: Readonly<Record<string, unknown>>) => Promise<Child>,
): HTMLElement[] {
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties),
    required: properties.flatMap(([name, , required]) => (required ? [name] : [])),
  };
  const form = inputForm(schema, {
    idPrefix: "values",
    complete(path, value) {
      const filled = Object.entries(form.value() ?? {}).map(([name, it]) => [name, String(it)]);
      // The path of a list's entry has an index, as in `tag[1]`. The server completes values of the list.
      return mcp.complete(of, { name: path.replace(/\[\d+\]$/, ""), value }, Object.fromEntries(filled));
    },
  });
  const result = h("div", { "aria-live": "polite" });
  const send = h("p.acts", h("button.main", { type: "submit" }, label));
  return [formElement(form, (values) => loadInto(result, () => load(values)), send), result];
}
