/** Decides which tools are imported, and so evaluated, together. */
import type { Discovered } from "../read/discovery.ts";

/** Up to this many tools are each imported separately, so that a call evaluates only its own tool. */
export const ALONE = 100;
/**
 * With more tools, up to this many of a toolkit are evaluated together. If one of them fails to load, all of them do.
 */
const TOGETHER = 32;

/** Tools that one module defines. */
export type ToolGroup = [Discovered, ...Discovered[]];

/** Whether a toolkit.ts defines the tool. Such a toolkit stays one module, because its tools share an object. */
export function isFromToolkit({ nameInToolkit }: Discovered): boolean {
  return nameInToolkit !== undefined;
}

/** Groups tools that are evaluated together. Tools of one toolkit are adjacent, because they are sorted by id. */
export function splitByToolkit(tools: readonly Discovered[]): ToolGroup[] {
  const most = tools.length > ALONE ? TOGETHER : 1;
  const groups: ToolGroup[] = [];
  for (const tool of tools) {
    const last = groups.at(-1);
    const isNext = last?.[0].toolkit === tool.toolkit && isFromToolkit(last[0]) === isFromToolkit(tool);
    if (last && last.length < most && isNext) last.push(tool);
    else groups.push([tool]);
  }
  return groups;
}
