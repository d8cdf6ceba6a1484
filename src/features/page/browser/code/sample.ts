/** What a sample of code is, and the call that it makes. */
import type { Tool, ToolRequirements, ToolVersion } from "../lib/model.ts";

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
  readonly group: "curl" | "clients" | "models";
  /** Unique among the samples of a call. */
  readonly id: string;
  /** `OXP`, or of one of several parts: `OXP: the call`. */
  readonly title: string;
  readonly language: "sh" | "ts" | "py";
  /** Shell commands have no comments: an interactive zsh would run them. */
  readonly text: string;
  readonly note?: string;
}
