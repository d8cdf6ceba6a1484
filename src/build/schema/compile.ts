/**
 * Compiles the check that a tool's parameters need at build time, by ajv: the Worker must not evaluate text, and takes
 * none of ajv along but the code that comes out.
 */
import { _, Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { areUnique } from "../../core/catalog/compiled-check.ts";
import type { Demands } from "./demands.ts";

/** Tells what is a schema. Made once: it compiles the schema of schemas first. */
const draft = new Ajv2020({ strict: false, logger: false });

/**
 * @returns an expression that makes a `Check`, in terms of the functions that core/catalog/compiled-check.ts exports
 * @throws on what is no JSON Schema (draft 2020-12)
 */
export function compile({ required, properties, whole }: Demands): string {
  const ajv = new Ajv2020({
    // Words that it does not know are the author's own; `format` says what is meant, and refuses nothing (2020-12, 7.2.1).
    strict: false,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    messages: false,
    logger: false,
    ownProperties: true,
    // 1e400 is Infinity once it is read, and nothing that an author who wrote "integer" thought of.
    strictNumbers: true,
    // 0.3 is a multiple of 0.1, for all that floating point says.
    multipleOfPrecision: 9,
    code: { source: true, lines: true },
  });
  // In place of ajv's, which compares each item with each.
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
  return `((exports) => {\n${withoutRest(standalone(ajv, parts))}\nreturn { ${members.join(", ")} };\n})({})`;
}

/** Calls what core/catalog/compiled-check.ts has in place of ajv's modules, and drops what nothing reads: places in, copies of the schema. */
function withoutRest(code: string): string {
  return code
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', "lengthOf")
    .replaceAll('require("ajv/dist/runtime/equal").default', "areEqual")
    .replace(/,schemaPath:"(?:[^"\\]|\\.)*"/g, "")
    .replace(/^const (schema\d+) = .*\n/gm, (line, name) => (code.split(name).length > 2 ? line : ""));
}
