/**
 * Reduces a valibot schema to one side: what goes in, or what comes out. valibot's converter lists all rules of a pipe
 * as rules of one value, but `v.pipe(v.string(), v.trim(), v.maxLength(3))` accepts a text of ten characters.
 */
import type { JsonSchema } from "../../core/model/tool-description.ts";
import { CHANGED } from "./changed.ts";

/** A schema, or an action of a pipe. */
interface Part {
  readonly kind: "schema" | "validation" | "transformation" | "metadata";
  readonly type: string;
  readonly pipe?: readonly Part[];
  readonly metadata?: object;
}

const MARK: Part = { kind: "metadata", type: "metadata", metadata: { [CHANGED]: true } };
/** Transformations that only change the type in TypeScript. */
const UNCHANGING: readonly string[] = ["brand", "flavor", "readonly"];
/** Members of schemas that hold one schema, and those that hold several. */
const ONE = ["wrapped", "item", "key", "value", "rest"];
const SEVERAL = ["items", "options"];

/** A schema that valibot's converter lists as one side of the original. */
export interface Side {
  readonly schema: object;
  /** Names of members, and `[]` for the items of a list, that lead to a part. For messages. */
  readonly pathTo: (part: unknown) => readonly string[];
}

/** A part of the `input` that the author's schema changes is marked with {@link CHANGED} if it accepts any value. */
export function sideOf(original: unknown, side: "input" | "output"): Side {
  // A schema that occurs twice, or in itself, has one copy: the converter recognizes recursion by identity.
  const copies = new Map<unknown, Part>();
  const paths = new Map<unknown, readonly string[]>();

  const copy = (schema: Part, path: readonly string[]): Part => {
    const known = copies.get(schema);
    if (known) return known;
    const copied = { ...schema } as Record<string, unknown> & Part;
    copies.set(schema, copied);
    paths.set(copied, path);
    if (!schema.pipe) copyMembers(copied, path);
    const isReplaced = side === "input" && "fallback" in schema;
    if (!schema.pipe && !isReplaced) return copied;
    const [base = schema, ...actions] = schema.pipe ? partOf(flat(schema), side) : [];
    const inner = schema.pipe ? copy(base, path) : { ...copied };
    paths.set(inner, path);
    return Object.assign(copied, { pipe: [inner, ...actions, ...(isReplaced ? [MARK] : [])] });
  };

  const copyMembers = (copied: Record<string, unknown>, path: readonly string[]) => {
    for (const name of ONE) {
      const inner = name === "wrapped" ? path : [...path, name === "item" ? "[]" : "*"];
      if (isSchema(copied[name])) copied[name] = copy(copied[name], inner);
    }
    for (const name of SEVERAL) {
      const inner = name === "items" ? [...path, "[]"] : path;
      if (!Array.isArray(copied[name])) continue;
      copied[name] = copied[name].map((part) => (isSchema(part) ? copy(part, inner) : part));
    }
    if (typeof copied.getter === "function") {
      const { getter } = copied as { getter(input: unknown): Part };
      copied.getter = (input: unknown) => copy(getter(input), path);
    }
    if (typeof copied.entries !== "object" || copied.entries === null) return;
    const entries = Object.entries(copied.entries).map(([name, entry]) => {
      const member = copy(entry, [...path, name]);
      // An object uses the fallback of a member if that member is missing.
      const mayBeMissing = side === "input" && "fallback" in entry;
      return [name, mayBeMissing ? { kind: "schema", type: "optional", wrapped: member } : member];
    });
    copied.entries = Object.fromEntries(entries);
  };

  return { schema: copy(original as Part, []), pathTo: (part) => paths.get(part) ?? [] };
}

function isSchema(value: unknown): value is Part {
  return typeof value === "object" && value !== null && (value as Part).kind === "schema";
}

/** The schemas and actions of a pipe, including those of the pipes in it. */
function flat(schema: Part): readonly Part[] {
  return schema.pipe?.flatMap((part) => (part.pipe ? flat(part) : part)) ?? [schema];
}

function partOf(pipe: readonly Part[], side: "input" | "output"): readonly Part[] {
  return side === "input" ? rawPart(pipe) : finalPart(pipe);
}

/** The rules of a value before a pipe changes it, and what the rest of the pipe says of it to readers. */
function rawPart(pipe: readonly Part[]): readonly Part[] {
  const change = pipe.findIndex((part, at) => at > 0 && (part.kind === "schema" || changes(part)));
  if (change < 0) return pipe;
  return [...pipe.slice(0, change), ...pipe.slice(change).flatMap(forReaders)];
}

/** The rules of a value after a pipe has changed it for the last time. */
function finalPart(pipe: readonly Part[]): readonly Part[] {
  const after = pipe.slice(pipe.findLastIndex(({ kind }) => kind === "schema"));
  const lastChange = after.findLastIndex(changes);
  return after.filter(({ kind }, at) => kind !== "validation" || at > lastChange);
}

function changes({ kind, type }: Part): boolean {
  return kind === "transformation" && !UNCHANGING.includes(type);
}

function forReaders(part: Part): Part[] {
  if (part.type === "title" || part.type === "description") return [part];
  if (part.type !== "metadata") return [];
  const { title, description } = part.metadata as JsonSchema;
  return [
    { ...part, metadata: { ...(title !== undefined && { title }), ...(description !== undefined && { description }) } },
  ];
}
