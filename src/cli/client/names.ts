/**
 * The names under which a typed client has the tools of a listing: `Vat.FindRate` is `vat.findRate`. The names depend on
 * the ids alone, and not on their order.
 */
import type { ToolDefinition } from "../../client/oxp/types.ts";
import { memberName } from "../../connect/member-name.ts";

/** A function of the client. */
export interface Member {
  readonly name: string;
  /** What it calls: `Toolkit.Tool`, which is the latest version, or `Toolkit.Tool@1.0.0`. */
  readonly id: string;
  readonly tool: ToolDefinition;
}

export interface Named {
  /** The functions of each toolkit, by its name in the client. Sorted. */
  readonly toolkits: ReadonlyMap<string, readonly Member[]>;
  /** The ids of tools that are not of the form `Toolkit.Tool@1.0.0`: they have no name. */
  readonly leftOut: readonly string[];
}

type Version = readonly [version: string, tool: ToolDefinition];

/** Compares versions by their numbers: 10.0.0 comes after 2.0.0. */
const { compare } = new Intl.Collator("en", { numeric: true });

/**
 * Names the latest version of each tool, `readPage`, and if there are several versions, each of them as well:
 * `["readPage@1.0.0"]`. If several tools would get the same name, all but the first get a number.
 */
export function nameTools(tools: readonly ToolDefinition[]): Named {
  const leftOut: string[] = [];
  const byId = new Map<string, Version[]>();
  for (const tool of tools) {
    const [, id, version] = /^([^.@]+\.[^@]+)@(\d{1,15}\.\d{1,15}\.\d{1,15})$/s.exec(tool.id) ?? [];
    if (id === undefined || version === undefined) leftOut.push(tool.id);
    else {
      const versions = byId.get(id) ?? [];
      versions.push([version, tool]);
      byId.set(id, versions);
    }
  }
  const toolkits = new Map<string, Member[]>();
  const names = new Names();
  for (const [id, versions] of [...byId].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const toolkit = memberName(id.slice(0, id.indexOf(".")));
    const members = toolkits.get(toolkit) ?? [];
    toolkits.set(toolkit, members);
    members.push(...membersOf(id, names.take(toolkit, memberName(id.slice(id.indexOf(".") + 1))), versions));
  }
  return { toolkits: new Map([...toolkits].sort(([a], [b]) => (a < b ? -1 : 1))), leftOut };
}

class Names {
  readonly #used = new Set<string>();
  /** The last number that each name got, from which the search for a free one goes on: thousands may be alike. */
  readonly #numbers = new Map<string, number>();

  /** @returns the name, with a number if it is used already */
  take(toolkit: string, plain: string): string {
    const key = `${toolkit}.${plain}`;
    let name = plain;
    while (this.#used.has(`${toolkit}.${name}`)) {
      const number = (this.#numbers.get(key) ?? 1) + 1;
      this.#numbers.set(key, number);
      name = `${plain}${number}`;
    }
    this.#used.add(`${toolkit}.${name}`);
    return name;
  }
}

function membersOf(id: string, name: string, versions: readonly Version[]): Member[] {
  const newestFirst = versions.toSorted(([a], [b]) => compare(b, a));
  // If a server lists a version twice, by mistake, the first one counts.
  const different = newestFirst.filter(([version], at) => compare(version, newestFirst[at - 1]?.[0] ?? "") !== 0);
  const [latest] = different;
  if (latest === undefined) return [];
  const pinned = different.map(([version, tool]) => ({ name: `${name}@${version}`, id: `${id}@${version}`, tool }));
  return [{ name, id, tool: latest[1] }, ...(pinned.length > 1 ? pinned : [])];
}
