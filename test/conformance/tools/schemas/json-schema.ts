import { defineTool, jsonSchema } from "#tool";

/** Keywords of draft 2020-12 that listings must preserve. */
export default defineTool({
  name: "json_schema_2020_12_tool",
  version: "1.0.0",
  description: "Takes a contact: a phone number or an e-mail address, whichever way is named.",
  listing: { allow: ["reference", "top-level-union"] },
  input: jsonSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string", description: "Who it is." },
      address: { $ref: "#/$defs/address", description: "Where they live." },
      contactMethod: { type: "string", enum: ["phone", "email"], description: "How to reach them." },
      phone: { type: "string", description: "Their phone number." },
      email: { type: "string", description: "Their e-mail address." },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  }),
  run: (contact) => contact,
});
