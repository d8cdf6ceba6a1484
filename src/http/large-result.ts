/** Logs results that are larger than a model can read: its host cuts them, or keeps them from it. */
import type { CallResult } from "../core/model/call-result.ts";
import type { RequestContext } from "./request-context.ts";

/** About 250,000 tokens. Hosts cut far sooner: Claude Code at 25,000 tokens. */
const MAX_CHARACTERS = 1_000_000;

/** @param text what is sent of a result that a tool has just returned; a repeat of it is not logged again */
export function logIfLarge(text: string, { entry, replayed }: CallResult, { runtime }: RequestContext): void {
  if (text.length <= MAX_CHARACTERS || replayed) return;
  const tool = entry && `${entry.id}@${entry.version}`;
  runtime.log({ level: "warning", message: "result too large for a model", tool, characters: text.length });
}
