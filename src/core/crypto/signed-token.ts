/** Signed tokens: texts that clients hold and any isolate can verify without reading from a store. */

import { canonical } from "../lib/json.ts";
import type { Signer } from "./signer.ts";

/**
 * @param text  the contents of the token, not encrypted
 * @param bound the values to sign: the token's purpose first, then what it is bound to, and its contents
 */
export async function signToken(signer: Signer, text: string, bound: readonly unknown[]): Promise<string> {
  return `${text}.${await signer.sign(canonical(bound))}`;
}

/**
 * @param boundOf returns the signed values of a token with these contents
 * @returns the contents of the token; undefined if this deployment did not sign it with these values
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
