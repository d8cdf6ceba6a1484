/** Suggestions while typing: examples of the schema, and completions of the server. */
import { fill, h, newId } from "../../lib/dom.ts";
import { listOf } from "../lib/schema.ts";
import type { Place } from "./field.ts";

const PAUSE_MS = 150;

/** @returns the list to put next to the input; undefined if there is nothing to suggest */
export function suggestions(input: HTMLInputElement, { schema, name, form }: Place): HTMLElement | undefined {
  const examples = listOf(schema.examples).filter(
    (example) => typeof example === "string" || typeof example === "number",
  );
  const { complete } = form;
  // A secret is sent nowhere but with the call.
  if (input.type === "password" || (examples.length === 0 && !complete)) return undefined;
  const list = h("datalist", { id: newId(form.prefix) }, examples.map(option));
  input.setAttribute("list", list.id);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async () => {
    const typed = input.value;
    const found = await complete?.(name, typed).catch(() => []);
    // Meanwhile, more was typed.
    if (input.value === typed) fill(list, [...(found ?? []), ...examples].map(option));
  };
  if (complete && input.type !== "number") {
    for (const event of ["input", "focus"])
      input.addEventListener(event, () => {
        clearTimeout(timer);
        timer = setTimeout(ask, PAUSE_MS);
      });
  }
  return list;
}

const option = (value: string | number) => h("option", { value });
