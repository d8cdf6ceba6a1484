/** Decides who may upload files: anonymous callers of a public deployment could fill its bucket at its owner's cost. */
import { isIdentified, type Principal } from "../../core/model/principal.ts";
import type { Files } from "../../core/ports/files.ts";
import type { Runtime } from "../../core/ports/runtime.ts";

export const NOT_FROM_ANYONE = "Only callers with a credential of their own can upload files here";

export function mayUpload(
  principal: Principal,
  { takesFromAnyone }: Pick<Files, "takesFromAnyone">,
  runtime: Pick<Runtime, "isLocal">,
): boolean {
  return takesFromAnyone || isIdentified(principal, runtime);
}
