/** Finds the secrets in an input: what its schema calls a password. */
import { isRecord } from "../../../../../client/lib/json.ts";
import { type JsonSchema, listOf, resolve } from "./schema.ts";

/** Deeper than any form shows. */
const MAX_DEPTH = 256;

/** @returns the texts in the value whose schema has `format: "password"`, in any alternative */
export function passwordsIn(value: unknown, schema: JsonSchema): string[] {
  const found = new Set<string>();
  /** Alternatives may refer to themselves. */
  const seen = new Map<unknown, Set<unknown>>();
  const visit = (value: unknown, unresolved: unknown, depth = 0): void => {
    const met = seen.get(unresolved) ?? new Set();
    if (!isRecord(unresolved) || met.has(value) || depth > MAX_DEPTH) return;
    seen.set(unresolved, met.add(value));
    const one = resolve(unresolved, schema);
    if (typeof value === "string" && one.format === "password") found.add(value);
    for (const part of [...listOf(one.anyOf), ...listOf(one.oneOf), one.then, one.else]) visit(value, part, depth + 1);
    if (Array.isArray(value)) {
      const first = listOf(one.prefixItems ?? one.items);
      for (const [index, item] of value.entries()) visit(item, first[index] ?? one.items, depth + 1);
    } else if (isRecord(value)) {
      const properties = isRecord(one.properties) ? one.properties : {};
      const patterns = isRecord(one.patternProperties) ? Object.values(one.patternProperties) : [];
      for (const [name, member] of Object.entries(value)) {
        const of = Object.hasOwn(properties, name) ? [properties[name]] : [...patterns, one.additionalProperties];
        for (const part of of) visit(member, part, depth + 1);
      }
    }
  };
  visit(value, schema);
  return [...found];
}
