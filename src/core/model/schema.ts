/** The part of Standard Schema (standardschema.dev, version 1) that tools need: validate and infer. */

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

// Valibot's verdict, which it makes in two steps: most tools are judged by it.
const verdict: { value: unknown; typed?: boolean } = { value: undefined };
verdict.typed = true;
keepMap(verdict);
