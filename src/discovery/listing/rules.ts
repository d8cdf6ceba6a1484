/**
 * What hosts refuse or drop in a listing, each rule with its check. docs/listings.md has the hosts and the sources.
 * Only names, descriptions and inputs matter: hosts do not show outputs to a model.
 */
import type { JsonSchema, ListingRule } from "../../core/model/tool-description.ts";
import type { Pattern } from "./exploding.ts";
import { type Part, partsOf } from "./parts.ts";
import { rewrites } from "./portable.ts";

/** A tool before its listing is rewritten (portable.ts). */
export interface Listed {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
  /** The JSON Schema that its author wrote, if no library did. */
  readonly own?: JsonSchema | undefined;
  /** Its patterns that may take exponential time. */
  readonly exploding: readonly Pattern[];
}

export interface Breach {
  readonly problem: string;
  readonly fix: string;
}

interface Rule {
  /**
   * "refused": a host, or the model's API, refuses every request while the tool is listed. "rewritten": it would, but
   * the listing says the same in other words.
   */
  readonly effect: "refused" | "warned" | "rewritten";
  readonly check: (tool: Listed, serverName: string) => Iterable<Breach>;
}

/** Anthropic's limit; Gemini's and OpenAI's are wider. */
const PARAMETER_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Cursor drops a tool if its name and the server's, which the user chooses, have more characters together. */
const MAX_WITH_SERVER = 59;
/** Leaves 19 characters for the server's name. */
const MAX_NAME = 40;
const MAX_DESCRIPTION = 4_096;
const UNIONS = ["oneOf", "anyOf", "allOf"];
const REFERENCES = ["$ref", "$defs", "definitions", "$anchor", "$id", "$schema"];
/** A schema with one of these keywords needs no type. */
const TYPED = ["type", "$ref", "const", "enum", ...UNIONS];

export const RULES: Readonly<Record<ListingRule, Rule>> = {
  "parameter-name": {
    effect: "refused",
    *check({ input }) {
      for (const name of Object.keys((input.properties as object | undefined) ?? {})) {
        if (PARAMETER_NAME.test(name)) continue;
        const problem = `Claude refuses every tool of a server with a parameter named ${JSON.stringify(name)}`;
        yield { problem, fix: "give it a name of 1 to 64 letters, digits, dots, dashes and underscores" };
      }
    },
  },
  "top-level-union": {
    effect: "refused",
    *check({ input }) {
      const union = UNIONS.find((keyword) => Object.hasOwn(input, keyword));
      if (union === undefined) return;
      const problem = `Claude refuses every tool of a server with ${union} at the top level of an input`;
      yield { problem, fix: "write one object, and check in run what the schema cannot say" };
    },
  },
  tuple: {
    effect: "refused",
    *check({ input }) {
      for (const { schema, path } of partsOf(input)) {
        if (schema.prefixItems === undefined && !Array.isArray(schema.items)) continue;
        const problem = `Gemini refuses every tool of a server with a tuple, such as ${shown(path)}`;
        yield { problem, fix: "write an object with a name for each item, or a list of one type of items" };
      }
    },
  },
  "array-items": {
    effect: "refused",
    *check({ input }) {
      for (const { schema, path } of partsOf(input)) {
        const isArray = [schema.type].flat().includes("array");
        if (!isArray || schema.items !== undefined || schema.prefixItems !== undefined) continue;
        const example = shown(path);
        const problem = `Gemini and OpenAI refuse every tool of a server with a list without items, such as ${example}`;
        yield { problem, fix: 'add what it holds, such as items: { type: "string" }' };
      }
    },
  },
  "long-name": {
    effect: "warned",
    *check({ name }, serverName) {
      const most = Math.min(MAX_NAME, MAX_WITH_SERVER - serverName.length);
      if (name.length <= most) return;
      const room = Math.max(0, MAX_WITH_SERVER - name.length);
      const fix =
        most < 1
          ? "shorten SERVER_NAME"
          : `shorten the name of the file or the folder, or write a name of up to ${most} characters`;
      const problem =
        `its name ${name} has ${name.length} characters, which leaves ${room} for the server's name: ` +
        `Cursor drops a tool if the two have over ${MAX_WITH_SERVER} together`;
      yield { problem, fix };
    },
  },
  "long-description": {
    effect: "warned",
    *check({ description }) {
      if (description.length <= MAX_DESCRIPTION) return;
      const { length } = description;
      const problem = `its description has ${length} characters: Claude Code may cut it at ${MAX_DESCRIPTION}`;
      yield { problem, fix: "say the most important first, and the rest in instructions, a resource or a result" };
    },
  },
  "no-type": {
    effect: "warned",
    *check({ input }) {
      for (const { schema, path, isValue } of partsOf(input)) {
        if (!isValue || TYPED.some((keyword) => schema[keyword] !== undefined)) continue;
        const problem = `${shown(path)} has no type: some hosts refuse it with Gemini, others guess`;
        yield { problem, fix: "give it a type; for any value, take JSON in a string" };
      }
    },
  },
  lookaround: {
    effect: "warned",
    *check({ input }) {
      for (const { schema, path } of partsOf(input)) {
        if (typeof schema.pattern !== "string" || !hasLookaround(schema.pattern)) continue;
        const problem =
          `the pattern of ${shown(path)} looks ahead or behind: ` +
          "OpenAI refuses such tools where it enforces schemas";
        yield { problem, fix: "write a pattern without (?=, (?!, (?<= and (?<!, and check the rest in run" };
      }
    },
  },
  "exploding-pattern": {
    effect: "warned",
    *check({ exploding }) {
      for (const { source, path } of exploding) {
        const problem =
          `the pattern ${source} of ${shown(path)} repeats a repetition: ` +
          "for some texts, it takes longer than a call may";
        yield { problem, fix: "let a text match it in one way only: ^\\w+( \\w+)*$ for ^(\\w+ ?)*$" };
      }
    },
  },
  "choice-of-values": {
    effect: "warned",
    *check({ input }) {
      for (const { schema, path } of partsOf(input)) {
        if (choicesOf(schema).every((choice) => choice === null || typeof choice === "string")) continue;
        const problem =
          `the choices of ${shown(path)} are not texts, which Gemini refuses: ` +
          "they are listed in its description, where models may overlook them";
        yield { problem, fix: "write texts as choices, and convert them in run" };
      }
    },
  },
  "empty-choice": {
    effect: "warned",
    *check({ input }) {
      for (const { schema, path } of partsOf(input)) {
        if (!choicesOf(schema).includes("")) continue;
        const problem = `${shown(path)} has an empty text among its choices, which Gemini refuses: it is not listed`;
        yield { problem, fix: 'name the choice, such as "none", or make the parameter optional' };
      }
    },
  },
  reference: {
    effect: "rewritten",
    *check({ own }) {
      const word = REFERENCES.find((keyword) => JSON.stringify(own ?? {}).includes(`"${keyword}":`));
      if (word !== undefined) yield { problem: `${word} is written out`, fix: "" };
    },
  },
  const: rewritten("const"),
  "type-list": rewritten("type-list"),
  "exclusive-bound": rewritten("exclusive-bound"),
  "names-of-members": rewritten("names-of-members"),
  format: rewritten("format"),
};

/**
 * The rule of a rewriting that loses nothing: an author is only told about an exception that the tool does not need.
 */
function rewritten(rule: ListingRule): Rule {
  return {
    effect: "rewritten",
    *check({ input }) {
      for (const { schema, path } of partsOf(input)) {
        if (rewrites(rule, schema)) yield { problem: `${shown(path)} is listed in other words`, fix: "" };
      }
    },
  };
}

function choicesOf({ const: only, enum: choices }: JsonSchema): readonly unknown[] {
  return Array.isArray(choices) ? choices : [only ?? null];
}

/** Looks for `(?=` and its like, but not after a backslash or between brackets, where these have no special meaning. */
function hasLookaround(pattern: string): boolean {
  return /\(\?<?[=!]/.test(pattern.replace(/\\.|\[(\\.|[^\]\\])*\]/gs, ""));
}

function shown(path: Part["path"]): string {
  return path.length === 0 ? "the input" : `"${path.join(".")}"`;
}
