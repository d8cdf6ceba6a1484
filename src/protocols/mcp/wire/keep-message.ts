/** Keeps the shape of messages alive, which each parsed request has and no object between two of them. */
import { keepMap } from "../../../core/lib/v8-maps.ts";

/** @param params JSON text. As the specification's examples write a message, and as the official SDKs do. */
export function keepMessage(params: string): void {
  keepMap(JSON.parse(`{"jsonrpc":"2.0","id":1,"method":"","params":${params}}`));
  keepMap(JSON.parse(`{"method":"","params":${params},"jsonrpc":"2.0","id":1}`));
}
