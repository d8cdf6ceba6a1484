/** Matching of a resource's URI with variables against the URI that a client sends. Types only. */
import type { ResourceEntry, Variables } from "../model/primitives.ts";

export interface Fit {
  /** How literal each segment of the template is: the numbers order the templates that fit a URI. */
  readonly literal: readonly number[];
  /** The values, decoded. Undefined if one of them is not allowed by the {@link Rule} of its variable. */
  readonly variables: Variables | undefined;
}

/** Decodes a part of a URI. Returns it unchanged if the whole URI is already decoded. */
export type Decode = (text: string) => string;

/** One way to read a URI: escaped delimiters may be taken for real ones, and its end may be left out. */
export interface Reading {
  readonly text: string;
  readonly decode: Decode;
  /** What is between the delimiters, decoded, and the delimiters themselves. */
  readonly segments: readonly string[];
}

/** Matches a URI against a template. @returns undefined if it does not fit */
export type Matcher = (reading: Reading) => Fit | undefined;

/** The values that a variable may have. */
export interface Rule {
  is(value: string): boolean;
  /** Whether a person who types on can turn the text into such a value. */
  begins(text: string): boolean;
}

export interface UriTemplates {
  /** Parses the template of a resource once. */
  matcherOf(entry: ResourceEntry): Matcher;
  /** By name of the variable. */
  rules(entry: ResourceEntry): ReadonlyMap<string, Rule>;
}
