/** Signed tokens: texts that clients hold and any isolate can verify without reading from a store. */

import { canonical } from "../lib/json.ts";
import type { Signer } from "./signer.ts";

/**
 * @param text  what the token says, in the clear
 * @param bound what the signature is made of: the token's purpose first, then what it is bound to, and what it says
 */
export async function signToken(signer: Signer, text: string, bound: readonly unknown[]): Promise<string> {
  return `${text}.${await signer.sign(canonical(bound))}`;
}

/**
 * @param boundOf what the signature of a token that says this is made of
 * @returns what the token says; undefined if it was not signed here for this
 */
export async function readToken(
  signer: Signer,
  token: string,
  boundOf: (text: string) => readonly unknown[],
): Promise<string | undefined> {
  const end = token.lastIndexOf(".");
  if (end < 1) return undefined;
  const text = token.slice(0, end);
  return (await signer.verify(canonical(boundOf(text)), token.slice(end + 1))) ? text : undefined;
}
