/** Makes an input that a listed schema allows, so that a tool of the documentation can be called without its page. */

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly minLength?: number;
  readonly format?: string;
}

const TEXTS: Readonly<Record<string, string>> = {
  email: "ada@example.com",
  uri: "https://example.com/",
  date: "2026-11-21",
  "date-time": "2026-11-21T13:04:17Z",
};

export function exampleOf(schema: Schema): unknown {
  const given = [schema.const, schema.default, ...(schema.examples ?? []), ...(schema.enum ?? [])];
  const first = given.find((value) => value !== undefined);
  if (first !== undefined) return first;
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0]);
  switch (schema.type) {
    case "object": {
      const required = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name));
      return Object.fromEntries(required.map(([name, inner]) => [name, exampleOf(inner)]));
    }
    case "array":
      if (schema.prefixItems) return schema.prefixItems.map(exampleOf);
      return Array.from({ length: schema.minItems ?? 1 }, () => exampleOf(schema.items ?? {}));
    case "number":
    case "integer":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      return TEXTS[schema.format ?? ""] ?? "text".padEnd(schema.minLength ?? 0, "x");
  }
}
