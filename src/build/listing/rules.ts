/**
 * What hosts refuse or drop in a listing, each rule with its check. docs/listings.md has the hosts and the sources.
 * Only names, descriptions and inputs matter: hosts do not show outputs to a model.
 */
import type { ListingRule } from "../../core/model/definition.ts";
import type { JsonSchema } from "../../core/model/tool-description.ts";
import { type Part, partsOf } from "./parts.ts";

/** A tool as MCP lists it. */
export interface Listed {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
}

/** What breaks a rule, and how to fix it. */
export interface Breach {
  readonly problem: string;
  readonly fix: string;
}

interface Rule {
  /** "refused": a host refuses every request while the tool is listed, or the model's API does. */
  readonly effect: "refused" | "warned";
  readonly check: (tool: Listed, serverName: string) => Iterable<Breach>;
}

/** Anthropic's limit; Gemini's and OpenAI's are wider. */
const PARAMETER_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Cursor drops a tool whose name is longer than this together with the server's, which is the user's choice. */
const MAX_WITH_SERVER = 59;
/** What leaves 19 characters for the server's name. */
const MAX_NAME = 40;
const MAX_DESCRIPTION = 4_096;
const UNIONS = ["oneOf", "anyOf", "allOf"];
/** Keywords beside which a type is not needed. */
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
};

/** Ignores the same characters after a backslash and between brackets, where they mean themselves. */
function hasLookaround(pattern: string): boolean {
  return /\(\?<?[=!]/.test(pattern.replace(/\\.|\[(\\.|[^\]\\])*\]/gs, ""));
}

function shown(path: Part["path"]): string {
  return path.length === 0 ? "the input" : `"${path.join(".")}"`;
}
