/** Makes the error responses of the endpoint itself, not of a method. */

import { json } from "../../../http/response.ts";
import type { RpcId } from "../../json-rpc.ts";
import { CODE } from "../wire/codes.ts";
import type { NoEra } from "./era.ts";

interface RefuseOptions {
  readonly code?: number;
  readonly id?: RpcId | undefined;
  readonly headers?: Record<string, string> | undefined;
}

/** Omits `id` if the request's id is unknown: the schemas allow a string or a number, but not null. */
export function refuse(
  status: number,
  message: string,
  { code = status === 500 ? CODE.internal : CODE.invalidRequest, id, headers }: RefuseOptions = {},
): Response {
  return json({ jsonrpc: "2.0", id, error: { code, message } }, status, headers);
}

/** Responds with 429 if a principal has too many streams open. */
export function tooManyStreams(id: RpcId | undefined): Response {
  return refuse(429, "Too many open streams; close one first", { id, headers: { "retry-after": "10" } });
}

/** Rejects a message that does not belong to an era, with status 400. */
export function noEra(code: number, message: string, data?: unknown): NoEra {
  return { era: "refused", status: 400, error: data === undefined ? { code, message } : { code, message, data } };
}
