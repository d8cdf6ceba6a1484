/**
 * Marks the parts of an input that the author's schema changes before it checks them, such as `z.coerce.number()` and
 * `v.fallback(v.number(), 5)`. Listings say what such a part should be. When the tool is called, its library decides
 * what the part may be.
 */
import type { JsonSchema } from "../../core/model/tool-description.ts";
import { changeAll } from "./flatten-schema.ts";

/** The keyword that marks a part. */
export const CHANGED = "x-trivet-changed";

/** The schema as it is listed: without marks. */
export function withoutMarks<Schema extends JsonSchema>(schema: Schema): Schema {
  return changeAll(schema, ({ [CHANGED]: _, ...listed }) => listed) as Schema;
}

/** The schema as it is checked: a marked part accepts any value. */
export function openWhereMarked<Schema extends JsonSchema>(schema: Schema): Schema {
  return changeAll(schema, (part) => {
    if (part[CHANGED]) return {};
    const { oneOf, ...rest } = part;
    // A choice that accepts any value fits together with every other choice, which oneOf refuses.
    return oneOf !== undefined && JSON.stringify(oneOf).includes(`"${CHANGED}"`) ? { ...rest, anyOf: oneOf } : part;
  }) as Schema;
}

/** Whether a schema, or one that it combines with others, is marked itself and not only in a part. */
export function isChangedAsAWhole(schema: JsonSchema): boolean {
  const combined = [schema.anyOf, schema.oneOf, schema.allOf].flat() as (JsonSchema | undefined)[];
  return schema[CHANGED] !== undefined || combined.some((part) => part !== undefined && isChangedAsAWhole(part));
}
