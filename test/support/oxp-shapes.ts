/**
 * Strict schemas of the answers that OXP 1.0's openapi.json (components/schemas) allows. If that file leaves an object
 * open, only the members named in its prose are allowed. Two faults of the file are read as intended; see there.
 */
import * as v from "valibot";

const SCHEMA = v.literal("urn:oxp:1.0");

/** components/schemas/ToolError. */
export const ToolError = v.strictObject({
  message: v.pipe(v.string(), v.minLength(1)),
  developer_message: v.optional(v.string()),
  can_retry: v.optional(v.boolean()),
  additional_prompt_content: v.optional(v.string()),
  retry_after_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
});

const RESULT = {
  call_id: v.pipe(v.string(), v.minLength(1)),
  duration: v.pipe(v.number(), v.minValue(0)),
};

/**
 * components/schemas/CallToolResponse. Its `additionalProperties: false` next to `oneOf` rejects every answer with
 * `value` or `error`, including the document's own examples. Read as `unevaluatedProperties: false`.
 */
export const CallToolResponse = v.strictObject({
  $schema: SCHEMA,
  result: v.variant("success", [
    v.strictObject({ ...RESULT, success: v.literal(true), value: v.optional(v.unknown()) }),
    v.strictObject({ ...RESULT, success: v.literal(false), error: ToolError }),
  ]),
});

/** components/schemas/ServerErrorResponse. Its challenges (ToolAuthorizationChallenge) require a `url`. */
export const ServerErrorResponse = v.strictObject({
  $schema: SCHEMA,
  message: v.pipe(v.string(), v.minLength(1)),
  developer_message: v.optional(v.string()),
  missing_requirements: v.optional(
    v.strictObject({
      authorization: v.optional(
        v.array(
          v.strictObject({ id: v.string(), url: v.pipe(v.string(), v.url()), check_url: v.optional(v.string()) }),
        ),
      ),
      // The schema leaves this object open, but the prose says "name missing secrets by id only".
      secrets: v.optional(v.array(v.strictObject({ id: v.string() }))),
      user_id: v.optional(v.boolean()),
    }),
  ),
});

/** components/schemas/ValidationErrorResponse. */
export const ValidationErrorResponse = v.strictObject({
  $schema: SCHEMA,
  message: v.pipe(v.string(), v.minLength(1)),
  parameter_errors: v.optional(v.record(v.string(), v.pipe(v.string(), v.minLength(1)))),
});

/** "Supports standard JSON Schema validation but excludes $ref and definitions/schemas". */
const FlatSchema = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check((schema) => isFlat(schema), "is not flat"),
);

const EXCLUDED = /^(\$(ref|defs|schema|dynamicRef)|definitions)$/;
/** Parameters may be named like keywords, and data may have such members. */
const BY_NAME = /^(properties|patternProperties|dependencies|dependentSchemas)$/;
const DATA = /^(enum|const|default|examples)$/;

function isFlat(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  return Object.entries(schema).every(([keyword, value]) => {
    if (BY_NAME.test(keyword)) return Object.values(value).every(isFlat);
    return DATA.test(keyword) || (!EXCLUDED.test(keyword) && isFlat(value));
  });
}

const ObjectOfDescribed = v.looseObject({
  type: v.literal("object"),
  properties: v.record(v.string(), v.looseObject({ description: v.pipe(v.string(), v.minLength(1)) })),
});

const Parameters = v.pipe(
  FlatSchema,
  v.check((schema) => v.is(ObjectOfDescribed, schema), "is no object schema whose properties have descriptions"),
);

/**
 * components/schemas/ToolDefinition: closed. The schema has `requirements.*.required` next to `items`; meant inside.
 */
export const ToolDefinition = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_]+\.[A-Za-z0-9_]+@[0-9]+\.[0-9]+\.[0-9]+$/)),
  name: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/)),
  description: v.pipe(v.string(), v.minLength(1)),
  version: v.pipe(v.string(), v.regex(/^[0-9]+\.[0-9]+\.[0-9]+$/)),
  input_schema: v.strictObject({ parameters: Parameters }),
  output_schema: v.nullable(FlatSchema),
  requirements: v.optional(
    v.strictObject({
      authorization: v.optional(
        v.array(
          v.strictObject({
            id: v.string(),
            oauth2: v.optional(v.strictObject({ scopes: v.optional(v.array(v.string())) })),
          }),
        ),
      ),
      secrets: v.optional(v.array(v.strictObject({ id: v.string() }))),
      user_id: v.optional(v.literal(true)),
    }),
  ),
});

export const ListToolsResponse = v.strictObject({
  $schema: SCHEMA,
  tools: v.array(ToolDefinition),
  items: v.array(ToolDefinition),
});

/** The schema for a status: 200, 422, and one shape for all other errors. */
export function shapeOf(status: number): v.GenericSchema {
  if (status === 200) return CallToolResponse;
  return status === 422 ? ValidationErrorResponse : ServerErrorResponse;
}
