/** The result of inspecting a file of tools/: a primitive of some kind, a `toolkit.ts`, or worker.ts. */

import type { EventEntry, PromptEntry, ResourceEntry, UriPattern } from "../../core/model/primitives.ts";
import type { Described, JsonSchema, ListingRule } from "../../core/model/tool-description.ts";
import type { UncheckedRules } from "../schema/unchecked-rules.ts";
import type { PrimitiveFile } from "./paths.ts";
import type { Complaint } from "./problem.ts";

/** The inspection of one file. Plain data, because it comes from another thread. */
export interface Inspected {
  readonly complaints: readonly Complaint[];
  /** What may surprise its author, but does not keep the file from being served. */
  readonly warnings?: readonly Complaint[];
  /** What it printed while it was loaded. */
  readonly printed?: string;
  /** The files of the stack, as messages name them, if it threw a ReferenceError or a TypeError while it loaded. */
  readonly thrownIn?: readonly string[];
  /** Present whenever it is valid, even if there are complaints. */
  readonly version?: string | undefined;
  /** Absent when there are complaints. */
  readonly tool?:
    | (Pick<
        Described,
        | "version"
        | "description"
        | "options"
        | "input"
        | "output"
        | "verbatim"
        | "check"
        | "outputCheck"
        | "view"
        | "visibility"
      > & {
        /** The input before it is rewritten for listings. */
        readonly described: JsonSchema;
        /** The JSON Schema that its author wrote, if no library did. */
        readonly own?: JsonSchema | undefined;
        /** All patterns in the schema of its input. */
        readonly regexes: readonly Pick<RegExp, "source" | "flags">[];
        /** Compiled to `check` outside the thread that inspects. */
        readonly uncheckedRules?: UncheckedRules;
        /** Compiled to `outputCheck`. */
        readonly promises?: UncheckedRules;
      })
    | undefined;
  /** The rules of listings that do not apply to a tool. */
  readonly allowed?: readonly ListingRule[] | undefined;
  /** The name that a definition gives itself. */
  readonly name?: string | undefined;
  /** Absent if there are complaints, or if the file is not a prompt. */
  readonly prompt?: Pick<PromptEntry, "about" | "options"> | undefined;
  /** Absent if there are complaints, or if the file is not a resource. */
  readonly resource?:
    | {
        readonly uri: string;
        readonly pattern?: UriPattern;
        readonly about: Omit<ResourceEntry["about"], "name">;
        readonly ttlMs?: number;
        readonly options: ResourceEntry["options"];
      }
    | undefined;
  /** Absent if there are complaints, or if the file is not an event. */
  readonly event?:
    | (Pick<EventEntry, "about" | "options"> & {
        /** Compiled to `outputCheck`, code that checks what the payload's own schema does not. */
        readonly promises?: UncheckedRules;
        readonly outputCheck?: string;
      })
    | undefined;
  /** How a `toolkit.ts` spells its toolkit: `SMS`. */
  readonly toolkitName?: string | undefined;
  /** What a `toolkit.ts` tells models about its toolkit. */
  readonly instructions?: string | undefined;
  readonly toolkitTools?: readonly FromToolkit[] | undefined;
}

/** A tool that a `toolkit.ts` defines. */
export interface FromToolkit {
  readonly file: PrimitiveFile;
  readonly inspected: Inspected;
}

/** A tool, a prompt, a resource or an event, with the names that come from its path. */
export interface Candidate {
  readonly file: PrimitiveFile;
  readonly inspected: Inspected;
  /** `Calculator.Add` */
  readonly id: string;
  /** `Calculator_Add` */
  readonly name: string;
}
