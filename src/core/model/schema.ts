/** The part of Standard Schema (standardschema.dev, version 1) that tools need: validate and infer. */
import { holdsMoreThan } from "../lib/json.ts";
import { isThenable, type MaybePromise } from "../lib/maybe-promise.ts";
import { keepMap } from "../lib/v8-maps.ts";

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

/** What a schema says of a value. A library may return a thenable of its own: it is waited for as a promise is. */
export function judge(schema: StandardSchema, value: unknown): MaybePromise<Validated<unknown>> {
  const verdict = schema["~standard"].validate(value);
  return isThenable(verdict) ? Promise.resolve(verdict) : verdict;
}

/**
 * Values that an input may hold for each of its mistakes to be told. A library that looks for all of them makes an object
 * of each, and of 1 MB that is all wrong more than an isolate has room for.
 */
const MAX_VALUES_IN_FULL = 2_000;
/**
 * Values that an input may hold for a schema that cannot be told to stop at the first mistake: a union of a few checks
 * makes several kilobytes of each.
 */
const MAX_VALUES = 10_000;

export function isLarge(input: unknown): boolean {
  return holdsMoreThan(input, MAX_VALUES_IN_FULL);
}

/** What a schema says of what a caller sent: of a large input, only the first mistake if the library can stop there. */
export function judgeInput(schema: StandardSchema, input: unknown): MaybePromise<Validated<unknown>> {
  const { vendor } = schema["~standard"];
  // Our own vendor's are an author's function, and the compiled check: neither makes more of an input than it holds.
  if (vendor === "trivet" || !isLarge(input)) return judge(schema, input);
  // The standard has no word for stopping.
  const valibot = vendor === "valibot" && "~run" in schema ? (schema as ValibotSchema) : undefined;
  // A schema that waits judges all items side by side: it does not stop either.
  if (valibot?.async !== false && holdsMoreThan(input, MAX_VALUES)) {
    return { issues: [{ message: `Must hold at most ${MAX_VALUES} values` }] };
  }
  return valibot ? valibot["~run"]({ value: input }, FIRST_ONLY) : judge(schema, input);
}

/** What valibot's own `safeParse` calls. */
interface ValibotSchema extends StandardSchema {
  readonly async: boolean;
  "~run"(dataset: { value: unknown }, config: typeof FIRST_ONLY): MaybePromise<Validated<unknown>>;
}

const FIRST_ONLY = { abortEarly: true, abortPipeEarly: true };

// Valibot's verdict, which it makes in two steps: most tools are judged by it.
const verdict: { value: unknown; typed?: boolean } = { value: undefined };
verdict.typed = true;
keepMap(verdict);
