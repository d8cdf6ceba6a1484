/** How a resource's URI with variables fits the URI that a client sends. Types only. */
import type { ResourceEntry, Variables } from "../model/primitives.ts";

/** How a template fits a URI. */
export interface Fit {
  /** How literal each segment of the template is: the numbers order the templates that fit a URI. */
  readonly literal: readonly number[];
  /** The values, decoded. Undefined if one of them is nothing that its variable may be, {@link Rule}. */
  readonly variables: Variables | undefined;
}

/** Reads a part of a URI as it is written, or one that is decoded already. */
export type Decode = (text: string) => string;

/** What a variable may be. */
export interface Rule {
  is(value: string): boolean;
  /** Whether more typing can make a text such a value. */
  begins(text: string): boolean;
}

export interface UriTemplates {
  /** @returns undefined if the resource's URI does not fit */
  fit(entry: ResourceEntry, uri: string, decode: Decode): Fit | undefined;
  /** The rules of a template's variables, by name. */
  rules(entry: ResourceEntry): ReadonlyMap<string, Rule>;
}
