/** The walk through a schema finds every schema in it, wherever hosts look for one. */
import { expect, it } from "vitest";
import { partsOf } from "../../../src/discovery/listing/parts.ts";

const leaf = (name: string) => ({ title: name });

it("finds schemas under every keyword, with the path of their value, and says which describe a value alone", () => {
  const schema = {
    properties: {
      a: { properties: { b: leaf("property") }, items: leaf("items") },
      c: { anyOf: [leaf("anyOf")], oneOf: [leaf("oneOf")], allOf: [leaf("allOf")], not: leaf("not") },
      d: { if: leaf("if"), else: leaf("else"), dependentSchemas: { x: leaf("dependent") } },
      e: { prefixItems: [leaf("tuple")], contains: leaf("contains"), items: [leaf("tuple of draft 7")] },
      f: { additionalProperties: leaf("additional"), patternProperties: { "^x": leaf("pattern") } },
      // Names that look like keywords, and values that look like schemas.
      items: { enum: [leaf("data")], default: leaf("data"), const: leaf("data"), additionalProperties: false },
    },
    $defs: { g: leaf("$defs") },
    definitions: { h: leaf("definitions") },
  };
  const found = [...partsOf(schema)].filter(({ schema: { title } }) => title !== undefined);
  expect(
    new Set(found.map(({ schema: { title }, path, isValue }) => `${title}: ${path.join(".")} ${isValue}`)),
  ).toEqual(
    new Set([
      "property: a.b true",
      "items: a.[] true",
      "allOf: c false",
      "anyOf: c false",
      "oneOf: c false",
      "not: c false",
      "if: d false",
      "else: d false",
      "dependent: d false",
      "additional: f.* false",
      "contains: e.* false",
      "tuple: e.0 false",
      "$defs: g false",
      "definitions: h false",
      "pattern: f.^x false",
    ]),
  );
});
