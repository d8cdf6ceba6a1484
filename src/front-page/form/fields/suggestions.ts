/** Suggestions while typing: examples of the schema, and completions of the server. */
import { fill, h, newId } from "../../lib/dom.ts";
import { listOf } from "../lib/schema.ts";
import type { FieldSpec } from "./field.ts";

/** The server is asked once nobody has typed for this long. */
const PAUSE_MS = 150;

/** @returns the list to put next to the input; undefined if there is nothing to suggest */
export function suggestions(input: HTMLInputElement, { schema, name, form }: FieldSpec): HTMLElement | undefined {
  const examples = listOf(schema.examples).filter(
    (example) => typeof example === "string" || typeof example === "number",
  );
  const { complete } = form;
  // A secret is sent nowhere but with the call.
  if (input.type === "password" || (examples.length === 0 && !complete)) return undefined;
  const list = h("datalist", { id: newId(form.prefix) }, examples.map(option));
  input.setAttribute("list", list.id);
  if (!complete || input.type === "number") return list;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest = 0;
  const ask = async (question: number) => {
    // Completions are a convenience: where they fail, the examples remain.
    const found = await complete(name, input.value).catch(() => []);
    // Unless more was typed meanwhile.
    if (question === latest) fill(list, [...found, ...examples].map(option));
  };
  for (const event of ["input", "focus"])
    input.addEventListener(event, () => {
      clearTimeout(timer);
      latest += 1;
      timer = setTimeout(ask, PAUSE_MS, latest);
    });
  return list;
}

const option = (value: string | number) => h("option", { value });
