/** One call of a tool as other programs would make it: text to copy. Pure. */
import type { Tool, ToolRequirements, ToolVersion } from "../lib/model.ts";
import { clientSamples } from "./clients.ts";
import { afterVariables } from "./context.ts";
import { curlSamples } from "./curl.ts";
import { definitionSamples } from "./definitions.ts";
import { withoutSecrets } from "./secrets.ts";

/** The call that the samples make. */
export interface Call {
  readonly tool: Tool;
  readonly version: ToolVersion;
  /** Whether `version` is the newest: then it is not named, so that the samples follow the tool. */
  readonly isNewest: boolean;
  /** Values as JSON has them. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The server's address without a slash at its end: `https://tools.example.com`. */
  readonly base: string;
  /** Whether the page has a credential. The samples never contain it: they read the variable TRIVET_KEY. */
  readonly hasKey: boolean;
  /** Whether the server answers callers without a credential. */
  readonly isOpen: boolean;
  /** What the samples send besides the input: secrets, tokens and the user's id, each from a variable. */
  readonly needs: ToolRequirements;
}

export interface Sample {
  readonly group: "curl" | "clients" | "definitions";
  /** Unique among the samples of a call. */
  readonly id: string;
  /** `OXP`, or of one of several parts: `OXP: the call`. */
  readonly title: string;
  readonly language: "sh" | "ts" | "json" | "py";
  /** Without comments in shell commands: an interactive zsh would run them. */
  readonly text: string;
  readonly note?: string;
}

/** @returns in the order in which to show them; parts of one sample follow each other. No secret of the input is in them */
export function samples(given: Call): readonly Sample[] {
  const input = withoutSecrets(given.input, given.version.input);
  const call = { ...given, input };
  const secrets = input === given.input ? [] : ["Secrets are not shown: write each in place of …."];
  const calls = [...curlSamples(call), ...clientSamples(call)].map((sample) =>
    withNotes(sample, [...missing(call), ...secrets]),
  );
  return [...calls.flatMap((sample) => afterVariables(call, sample)), ...definitionSamples(call)];
}

/** Says which required parameters the call lacks. */
function missing({ version, input }: Call): readonly string[] {
  const { required } = version.input;
  const names = Array.isArray(required) ? required.filter((name) => !(name in input)) : [];
  return names.length === 0 ? [] : [`Not filled in yet: ${names.join(", ")}. The form is under Try it.`];
}

/** Puts notes before the one that it has. */
function withNotes(sample: Sample, notes: readonly string[]): Sample {
  const all = [...notes, ...(sample.note === undefined ? [] : [sample.note])];
  return all.length === 0 ? sample : { ...sample, note: all.join(" ") };
}
