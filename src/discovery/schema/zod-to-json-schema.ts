/**
 * Has zod's converter list one side of a schema: what goes in, or what comes out. Without these options, it lists all
 * rules of `z.string().trim().max(3)` as rules of one value, and `z.coerce.number()` as a number.
 */
import type { JsonSchema } from "../../core/model/tool-description.ts";
import { CHANGED } from "./changed.ts";
import { inlined, isAnnotation } from "./flatten-schema.ts";
import { Unlistable } from "./unlistable.ts";

interface Zod {
  readonly _zod: { readonly def: Definition; readonly constr: new (def: object) => Zod };
  readonly "~standard": {
    validate(value: unknown): unknown;
    readonly jsonSchema: Record<"input" | "output", (options: object) => JsonSchema>;
  };
}

interface Definition {
  readonly type: string;
  readonly coerce?: boolean;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string } } }[];
  readonly innerType?: Zod;
  readonly in?: Zod;
  readonly shape?: Readonly<Record<string, Zod>>;
}

type Writable = Record<string, unknown>;
type Path = readonly (string | number)[];

/** Options of the converter. A part of the `input` that accepts any value is marked with {@link CHANGED}. */
export function zodOptions(side: "input" | "output"): object {
  const options = {
    override({ zodSchema, jsonSchema, path }: { zodSchema: Zod; jsonSchema: Writable; path: Path }) {
      const { def } = zodSchema._zod;
      if (def.type === "file") throw new Unlistable("File cannot be represented in JSON Schema", "file", namesIn(path));
      const rules = rulesOfSide(zodSchema, side, options);
      if (rules) replaceRules(jsonSchema, rules);
      if (side === "output") return;
      if (replacesValue(def)) jsonSchema[CHANGED] = true;
      if (Array.isArray(jsonSchema.required) && def.shape) {
        jsonSchema.required = jsonSchema.required.filter((name) => !mayBeMissing(name, zodSchema));
      }
    },
    unrepresentable({ zodSchema, path, message }: { zodSchema: Zod; path: Path; message: string }) {
      // A value that is computed for each call cannot be listed, so the listing leaves it out.
      if (zodSchema._zod.def.type === "catch") return {};
      throw new Unlistable(message, zodSchema._zod.def.type, namesIn(path));
    },
  };
  return options;
}

/** Whether a part replaces any value that it is given, before it checks it. */
function replacesValue({ type, coerce, in: first }: Definition): boolean {
  return coerce === true || type === "catch" || (type === "pipe" && first?._zod.def.type === "transform");
}

/** Whether a member may be left out, because a part of it replaces any value, even a missing one. */
function mayBeMissing(name: string, { _zod: { def, constr } }: Zod): boolean {
  const member = def.shape?.[name];
  const isReplaced = (part: Zod | undefined): boolean =>
    part !== undefined && (replacesValue(part._zod.def) || isReplaced(part._zod.def.innerType ?? part._zod.def.in));
  if (!isReplaced(member)) return false;
  try {
    const alone = new constr({ ...def, checks: [], shape: { [name]: member } });
    const verdict = alone["~standard"].validate({}) as { issues?: unknown } & Partial<PromiseLike<unknown>>;
    return verdict.then === undefined && verdict.issues === undefined;
  } catch {
    return false;
  }
}

/** @returns the rules before the first change of the value, or after the last; undefined if nothing changes it */
function rulesOfSide(schema: Zod, side: "input" | "output", libraryOptions: object): JsonSchema | undefined {
  const { def, constr } = schema._zod;
  const { checks = [] } = def;
  const isChange = ({ _zod }: (typeof checks)[number]) => _zod.def.check === "overwrite";
  const first = checks.findIndex(isChange);
  if (first < 0) return undefined;
  const kept = side === "input" ? checks.slice(0, first) : checks.slice(checks.findLastIndex(isChange) + 1);
  const { $schema: _, ...rules } = new constr({ ...def, checks: kept })["~standard"].jsonSchema[side]({
    target: "draft-2020-12",
    libraryOptions,
  });
  return inlined(rules);
}

function replaceRules(schema: Writable, rules: JsonSchema): void {
  for (const keyword of Object.keys(schema)) {
    if (keyword === "format" || !isAnnotation(keyword)) delete schema[keyword];
  }
  Object.assign(schema, { ...rules, ...schema });
}

/** `["properties", "when"]` → `["when"]` */
function namesIn(path: Path): string[] {
  const names: string[] = [];
  for (let at = 0; at < path.length; at++) {
    if (path[at] === "properties") names.push(String(path[++at]));
    else if (path[at] === "items") names.push("[]");
  }
  return names;
}
