/**
 * Questions that a tool may ask its caller while it runs: the user (a form, a page to visit), the client's model, or
 * the client for its roots. An answer is found by the question's key, even if the tool runs again from its start.
 * Independent of any protocol.
 */
import { isRecord } from "../lib/json.ts";
import { readSampled, type SamplingRequest } from "./sampling.ts";

/** One field of a form: a schema of a primitive type or a list of choices, as MCP's elicitation allows. */
export type Field =
  | (FieldText & {
      readonly type: "string";
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly format?: "email" | "uri" | "date" | "date-time";
      readonly enum?: readonly string[];
      /** Labels of `enum`, in the form that early clients support. */
      readonly enumNames?: readonly string[];
      readonly oneOf?: readonly Choice[];
      readonly default?: string;
    })
  | (FieldText & {
      readonly type: "number" | "integer";
      readonly minimum?: number;
      readonly maximum?: number;
      readonly default?: number;
    })
  | (FieldText & { readonly type: "boolean"; readonly default?: boolean })
  | (FieldText & {
      readonly type: "array";
      readonly items:
        | { readonly type: "string"; readonly enum: readonly string[] }
        | { readonly anyOf: readonly Choice[] };
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly default?: readonly string[];
    });

interface FieldText {
  readonly title?: string;
  readonly description?: string;
}

export interface Choice {
  readonly const: string;
  readonly title: string;
}

export type Fields = Readonly<Record<string, Field>>;

/** A filled-in form: required fields are present, others are optional. */
export type Filled<F extends Fields, Required extends keyof F> = {
  readonly [Name in Required]: FieldValue<F[Name]>;
} & { readonly [Name in Exclude<keyof F, Required>]?: FieldValue<F[Name]> };

type FieldValue<F extends Field> = F["type"] extends "string"
  ? string
  : F["type"] extends "number" | "integer"
    ? number
    : F["type"] extends "boolean"
      ? boolean
      : readonly string[];

export type Elicited<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel" };

export interface Root {
  readonly uri: string;
  readonly name?: string;
}

export type Question =
  | { readonly kind: "form"; readonly message: string; readonly fields: Fields; readonly required: readonly string[] }
  /** `id` if the URL was made from it. */
  | { readonly kind: "page"; readonly message: string; readonly url: string; readonly id?: string }
  | { readonly kind: "sample"; readonly request: SamplingRequest }
  | { readonly kind: "roots" };

/** A kind of question that a caller may support. `sample-tools`: sampling in which the model may use tools. */
export type Capability = Question["kind"] | "sample-tools";

/** What a client can do. `views`: it can show views (docs/views.md). Set only in a fork with views. */
export type ClientCapability = Capability | "views";

/** What a client calls itself: at most 64 characters each, without invisible characters. */
export interface ClientIdentity {
  /** `claude-ai` */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** The name to show to people. */
  readonly title?: string | undefined;
}

/** The program that a call comes from, as it describes itself. Nothing proves that it is true. */
export interface ClientInfo extends ClientIdentity {
  /** The protocol of the call: `mcp`, `oxp` or `opentool`. */
  readonly protocol: string;
  /** The revision of MCP that the client speaks; undefined if it does not say. */
  readonly revision?: string | undefined;
  /** What the client declares that it can do. `ctx.canAsk` says whether a question can be asked in this call. */
  readonly capabilities: ReadonlySet<ClientCapability>;
}

/** The capability that a caller needs to be asked this question. */
export function capabilityFor(question: Question): Capability {
  if (question.kind !== "sample") return question.kind;
  const { tools, toolChoice } = question.request;
  return tools || toolChoice ? "sample-tools" : "sample";
}

/** Thrown if a tool asks a kind of question that its caller does not support. */
export class CannotElicit extends Error {
  override readonly name = "CannotAsk";
  readonly question: Question;
  constructor(question: Question) {
    super(`The caller does not support this kind of question (${capabilityFor(question)})`);
    this.question = question;
  }
}

/**
 * Thrown if a tool's question was not answered, or the answers did not fit it. If not caught, the call fails.
 */
export class NotAnswered extends Error {
  override readonly name = "ToolError";
  readonly fault: { readonly message: string };
  constructor(message = "The caller did not answer the question") {
    super(message);
    this.fault = { message };
  }
}

/** Thrown if the client answered with an error: asking it again would not change that. */
export class AnsweredWithError extends NotAnswered {}

const MAX_TRIES = 3;

/** Asks a question until an answer fits. @throws {NotAnswered} if none does */
export async function askUntilFitting(key: string, question: Question, ask: () => Promise<unknown>): Promise<unknown> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = readAnswer(question, await ask());
    if (answer !== undefined) return answer;
  }
  throw new NotAnswered(`The caller's answers do not fit the question "${key}"`);
}

/** Validates an answer. Returns undefined if it does not fit the question, which should then be asked again. */
export function readAnswer(question: Question, answer: unknown): unknown {
  if (!isRecord(answer)) return undefined;
  switch (question.kind) {
    case "form":
    case "page":
      return readElicited(question, answer);
    case "sample":
      return readSampled(question.request, answer);
    case "roots":
      return Array.isArray(answer.roots) ? answer.roots : undefined;
  }
}

function readElicited(
  question: Question & { kind: "form" | "page" },
  { action, content }: Record<string, unknown>,
): Elicited<unknown> | undefined {
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") return undefined;
  if (question.kind === "page") return { action, content: {} };
  // Some serializers write null for absent fields.
  const given = content ?? {};
  if (!isRecord(given)) return undefined;
  const filled: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(question.fields)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined || value === null) {
      if (question.required.includes(name)) return undefined;
    } else if (!fits(field, value)) return undefined;
    else filled[name] = value;
  }
  return { action, content: filled };
}

function fits(field: Field, value: unknown): boolean {
  switch (field.type) {
    case "string": {
      if (typeof value !== "string") return false;
      const choices = field.enum ?? field.oneOf?.map((choice) => choice.const);
      if (choices) return choices.includes(value);
      // JSON Schema counts characters, not code units.
      const { length } = [...value];
      return length >= (field.minLength ?? 0) && length <= (field.maxLength ?? Infinity);
    }
    case "number":
    case "integer":
      if (typeof value !== "number" || (field.type === "integer" && !Number.isInteger(value))) return false;
      return value >= (field.minimum ?? -Infinity) && value <= (field.maximum ?? Infinity);
    case "boolean":
      return typeof value === "boolean";
    case "array": {
      if (!Array.isArray(value)) return false;
      if (value.length < (field.minItems ?? 0) || value.length > (field.maxItems ?? Infinity)) return false;
      const { items } = field;
      const choices = new Set("enum" in items ? items.enum : items.anyOf.map((choice) => choice.const));
      return value.every((item) => choices.has(item));
    }
  }
}
