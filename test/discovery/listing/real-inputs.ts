/** Makes inputs that a JSON Schema accepts, and inputs that it refuses. */
import { Ajv2020 } from "ajv/dist/2020.js";

type JsonSchema = Readonly<Record<string, unknown>>;
type Input = Record<string, unknown>;

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
const OTHERS: readonly unknown[] = ["text", 7, 1.5, true, null, [], {}, [{}], { x: 1 }];

/** zod checks formats. */
const FORMATTED: Readonly<Record<string, string>> = {
  uri: "https://example.com/",
  email: "ada@example.com",
  uuid: "3f2b8f9e-4d2c-4b7a-9a51-0c2d7f1e8a60",
  date: "2026-11-25",
  "date-time": "2026-11-25T00:00:00Z",
};

/** @param schema of an object, without references */
export function inputsFor(schema: JsonSchema): { readonly good: readonly Input[]; readonly bad: readonly Input[] } {
  const accepts = ajv.compile(schema);
  const [least, most] = [exampleOf(schema, false), exampleOf(schema, true)] as [Input, Input];
  const good = [least, most].filter((input) => accepts(input));
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: string[] };
  const missing = required.map((name) => Object.fromEntries(Object.entries(least).filter(([other]) => other !== name)));
  const wrong = Object.keys(properties).map((name) => {
    const input = OTHERS.map((value) => ({ ...least, [name]: value })).find((one) => !accepts(one));
    return input ?? least;
  });
  const deep = Object.entries(most).flatMap(([name, value]) =>
    brokenWithin(value).map((it) => ({ ...most, [name]: it })),
  );
  const bad = [...missing, ...wrong, ...deep, { ...least, "not a parameter": 1 }].filter((input) => !accepts(input));
  return { good, bad };
}

/** The value with a member or an item of another type, at each place. */
function brokenWithin(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.length > 0 ? [[[]], ...brokenWithin(value[0]).map((it) => [it])] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    [["x"], ...brokenWithin(member)].map((it) => ({ ...value, [name]: it })),
  );
}

/** @param isFull with all that is optional */
function exampleOf(schema: JsonSchema, isFull: boolean): unknown {
  const {
    type,
    enum: choices,
    anyOf,
    oneOf,
    allOf,
  } = schema as {
    type?: string | string[];
    enum?: unknown[];
    anyOf?: JsonSchema[];
    oneOf?: JsonSchema[];
    allOf?: JsonSchema[];
  };
  if (schema.const !== undefined) return schema.const;
  if (choices) return choices.at(isFull ? -1 : 0);
  const [first] = anyOf ?? oneOf ?? allOf ?? [];
  if (first) return exampleOf({ ...schema, anyOf: undefined, oneOf: undefined, allOf: undefined, ...first }, isFull);
  switch ([type].flat()[0]) {
    case "integer":
    case "number":
      return numberIn(schema);
    case "boolean":
      return isFull;
    case "null":
      return null;
    case "array": {
      const items = (schema.items ?? {}) as JsonSchema;
      const length = Math.max((schema.minItems as number | undefined) ?? 0, isFull ? 1 : 0);
      return Array.from({ length }, () => exampleOf(items, isFull));
    }
    case "object":
      return objectOf(schema, isFull);
    default:
      if (typeof schema.format === "string" && FORMATTED[schema.format]) return FORMATTED[schema.format];
      return "x".repeat(Math.max(1, (schema.minLength as number | undefined) ?? 1));
  }
}

function numberIn({ minimum, exclusiveMinimum, maximum, multipleOf = 1 }: JsonSchema): number {
  const least = (minimum as number | undefined) ?? ((exclusiveMinimum as number | undefined) ?? 0) + 1;
  const most = (maximum as number | undefined) ?? Infinity;
  return Math.ceil(Math.min(least, most) / (multipleOf as number)) * (multipleOf as number);
}

function objectOf(
  { properties = {}, required = [], additionalProperties, propertyNames }: JsonSchema,
  isFull: boolean,
) {
  const names = Object.keys(properties as object).filter((name) => isFull || (required as string[]).includes(name));
  const members = names.map((name) => [
    name,
    exampleOf((properties as Record<string, JsonSchema>)[name] ?? {}, isFull),
  ]);
  if (!isFull || typeof additionalProperties !== "object" || members.length > 0) return Object.fromEntries(members);
  const name = propertyNames ? exampleOf(propertyNames as JsonSchema, true) : "other";
  return { [String(name)]: exampleOf(additionalProperties as JsonSchema, true) };
}
