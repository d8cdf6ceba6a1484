/** The parts of Standard Schema (standardschema.dev, version 1) that tools need: validation and type inference. */
import { holdsMoreThan } from "../lib/json.ts";
import { LOST_NUMBERS, type MayHaveLost } from "../lib/lost-numbers.ts";
import { isThenable, type MaybePromise } from "../lib/maybe-promise.ts";

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, ...rest: never[]) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type InferInput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];
export type InferOutput<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["output"];

/** Validates a value. Returns a promise only if the schema is asynchronous; a library's thenable becomes a promise. */
export function validate(schema: StandardSchema, value: unknown): MaybePromise<Validated<unknown>> {
  const validated = schema["~standard"].validate(value);
  return isThenable(validated) ? Promise.resolve(validated) : validated;
}

/**
 * Most values in an input for which every mistake is reported. Libraries allocate an object per mistake; for a union, one
 * for each member of each choice: with 30 choices of 12 members, 2,000 values took 142 MB.
 */
const MAX_VALUES_IN_FULL = 200;
/**
 * Most values in an input if the schema cannot stop at the first mistake. Even a union of a few checks allocates
 * several kilobytes per value.
 */
const MAX_VALUES = 10_000;

/** Whether an input has too many values for all its mistakes to be reported. */
export function isLarge(input: unknown): boolean {
  return holdsMoreThan(input, MAX_VALUES_IN_FULL);
}

/** Validates a caller's input. For a large input, reports only the first mistake if the library can stop there. */
export function validateInput(schema: StandardSchema, input: object): MaybePromise<Validated<unknown>> {
  const lost = (input as MayHaveLost)[LOST_NUMBERS];
  if (lost) return { issues: lost };
  const { vendor } = schema["~standard"];
  // Our own schemas (an author's `validate` function, the compiled check) allocate no more than the input holds.
  if (vendor === "trivet" || !isLarge(input)) return validate(schema, input);
  // Standard Schema has no option to stop early.
  const valibot = vendor === "valibot" && "~run" in schema ? (schema as ValibotSchema) : undefined;
  // Asynchronous schemas validate all items in parallel, so they do not stop early either.
  if (valibot?.async !== false && holdsMoreThan(input, MAX_VALUES)) {
    return { issues: [{ message: `Must hold at most ${MAX_VALUES} values` }] };
  }
  return valibot ? valibot["~run"]({ value: input }, FIRST_ONLY) : validate(schema, input);
}

/** The internal method that valibot's `safeParse` calls. */
interface ValibotSchema extends StandardSchema {
  readonly async: boolean;
  "~run"(dataset: { value: unknown }, config: typeof FIRST_ONLY): MaybePromise<Validated<unknown>>;
}

const FIRST_ONLY = { abortEarly: true, abortPipeEarly: true };
