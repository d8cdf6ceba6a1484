/**
 * Compiles the check of a tool's parameters with ajv, at build time: a Worker cannot evaluate code at run time. The
 * Worker contains the generated code, but nothing of ajv.
 */
import { _, Ajv2020, type CodeKeywordDefinition, stringify } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { areUnique } from "../../core/catalog/compiled-check.ts";
import type { UncheckedRules } from "./unchecked-rules.ts";

/** Validates schemas. Shared, because creating it compiles the meta-schema. */
const draft = new Ajv2020({ strict: false, logger: false });

/**
 * @returns JavaScript source: an expression of type `Check`, which uses functions from core/catalog/compiled-check.ts
 * @throws if a schema is not valid JSON Schema (draft 2020-12)
 */
export function compile({ required, properties, whole }: UncheckedRules): string {
  const ajv = new Ajv2020({
    // Unknown keywords are the author's own. `format` is an annotation and refuses nothing (2020-12, 7.2.1).
    strict: false,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    messages: false,
    logger: false,
    ownProperties: true,
    // 1e400 parses as Infinity, which an author who wrote "integer" does not expect.
    strictNumbers: true,
    // So that 0.3 is a multiple of 0.1, despite floating point.
    multipleOfPrecision: 9,
    code: { source: true, lines: true },
  });
  replaceKeywords(ajv);
  const parts: Record<string, string> = {};
  const add = (key: string, schema: unknown) => {
    if (!draft.validateSchema(schema as object)) throw new Error(draft.errorsText(draft.errors, { dataVar: "it" }));
    ajv.addSchema(schema as object, key);
    parts[key] = key;
  };
  for (const [index, [, schema]] of properties.entries()) add(`p${index}`, schema);
  if (whole) add("whole", whole);
  const members = [
    `required: ${JSON.stringify(required)}`,
    `properties: [${properties.map(([name], index) => `[${JSON.stringify(name)}, exports.p${index}]`).join(", ")}]`,
    ...(whole ? ["whole: exports.whole"] : []),
  ];
  return `((exports) => {\n${trimmed(standalone(ajv, parts))}\nreturn { ${members.join(", ")} };\n})({})`;
}

/** Replaces keywords whose code in ajv takes long for large input. */
function replaceKeywords(ajv: Ajv2020): void {
  // ajv's own code compares every item with every other.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    code(context) {
      if (!context.schema) return;
      const unique = context.gen.scopeValue("func", { ref: areUnique, code: _`areUnique` });
      context.fail(_`!${unique}(${context.data})`);
    },
  });
  // ajv's own code compares a value with every choice.
  ajv.removeKeyword("enum");
  ajv.addKeyword({
    keyword: "enum",
    schemaType: "array",
    error: { message: "", params: ({ params: { choices } }) => _`{allowedValues: ${choices}.values}` },
    code(context) {
      const { gen, data, schema } = context;
      if (schema.length === 0) throw new Error("an enum must have a value");
      const choices = gen.scopeValue("keyword", { ref: schema, code: _`choicesOf(${stringify(schema)})` });
      context.setParams({ choices });
      context.fail(_`!${choices}.has(${data})`);
    },
  });
  // ajv's own code collects the mistakes of each item until one fits. Here it is enough to say that none does.
  const contains = ajv.getKeyword("contains") as CodeKeywordDefinition;
  ajv.removeKeyword("contains");
  ajv.addKeyword({
    ...contains,
    code(context) {
      const compileItem = context.subschema.bind(context);
      context.subschema = (item, valid) => {
        const compiled = compileItem({ ...item, createErrors: false }, valid);
        context.reset();
        return compiled;
      };
      contains.code(context);
    },
  });
}

/**
 * Replaces imports of ajv's modules with functions from core/catalog/compiled-check.ts, and removes what nothing reads:
 * schema paths and unused copies of schemas.
 */
function trimmed(code: string): string {
  // A schema path begins with `#`. Without it, the end of an author's text `a,schemaPath:` would match.
  return code
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', "lengthOf")
    .replaceAll('require("ajv/dist/runtime/equal").default', "areEqual")
    .replace(/,schemaPath:"#(?:[^"\\]|\\.)*"/g, "")
    .replace(/^const (schema\d+) = .*\n/gm, (line, name) => (code.split(name).length > 2 ? line : ""));
}
