/** What is in a form while a person fills it in. */
import type { InputForm } from "../form/form.ts";

/** @returns undefined if something that is required is missing, or something is wrong */
export function valuesIn(form: InputForm): Readonly<Record<string, unknown>> | undefined {
  const read = form.read();
  return "value" in read ? read.value : undefined;
}
