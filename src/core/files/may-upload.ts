/** Who may upload files: strangers of a public deployment could fill its bucket at its owner's cost. */
import { isNamed, type Principal } from "../model/principal.ts";
import type { Files } from "../ports/files.ts";
import type { Runtime } from "../ports/runtime.ts";

export const NOT_FROM_ANYONE = "Only callers with a credential of their own can upload files here";

/** Under `npm start`, the caller is the owner. */
export function mayUpload(
  principal: Principal,
  { takesFromAnyone }: Pick<Files, "takesFromAnyone">,
  { isLocal }: Pick<Runtime, "isLocal">,
): boolean {
  return takesFromAnyone || isLocal === true || isNamed(principal);
}
