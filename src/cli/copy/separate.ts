/** Makes the settings of a second Worker from those of the first, so that the two share nothing. Pure. */
import { createHash } from "node:crypto";
import { KEPT, KINDS, LEFT_OUT, ONLY_ONE, type ResourceKind, WORKERS } from "./kinds.ts";

/** A table of wrangler.toml. */
export type Table = Readonly<Record<string, unknown>>;

/** Something that the copy cannot have of its own. */
export interface Unseparable {
  /** Of wrangler.toml, such as `hyperdrive`. */
  readonly key: string;
  /** What `--share` calls it. */
  readonly name: string;
  readonly why: string;
  readonly fix: string;
}

export interface Separated {
  readonly settings: Table;
  readonly refused: readonly Unseparable[];
  /** What the copy has of its own, shares, and lacks: words for people. */
  readonly own: readonly string[];
  readonly shared: readonly string[];
  readonly leftOut: readonly string[];
  /** Commands that must be run before the first deployment. */
  readonly create: readonly string[];
}

/** The work on one copy: who it is for, and what has been found so far. */
interface Work {
  /** Names of the two Workers. */
  readonly worker: string;
  readonly copy: string;
  readonly suffix: string;
  readonly share: ReadonlySet<string>;
  readonly own: Set<string>;
  readonly shared: Set<string>;
  readonly create: Set<string>;
  readonly refused: Unseparable[];
}

/**
 * @param raw    wrangler.toml as it is written, with a `name`
 * @param suffix what distinguishes the copy: `staging`
 * @param share  names of what the two Workers share
 */
export function separate(raw: Table, suffix: string, share: ReadonlySet<string>): Separated {
  const worker = String(raw.name);
  const found = { own: new Set<string>(), shared: new Set<string>(), create: new Set<string>() };
  const work: Work = { worker, copy: `${worker}-${suffix}`, suffix, share, ...found, refused: [] };
  const leftOut = new Set<string>();
  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    const what = LEFT_OUT[key];
    if (what !== undefined) leftOut.add(what);
    else settings[key] = KEPT.has(key) ? value : settingOf(work, key, value);
  }
  const { own, shared, create, refused } = work;
  return { settings, refused, own: [...own], shared: [...shared], leftOut: [...leftOut], create: [...create] };
}

/** @returns what the copy has in place of the value */
function settingOf(work: Work, key: string, value: unknown): unknown {
  const kind = KINDS[key];
  if (kind) return tables(value).map((entry) => resource(work, key, kind, entry));
  switch (key) {
    case "name":
      return work.copy;
    case "queues":
      return queues(work, value as Table);
    case "services":
      return references(work, key, value);
    case "workflows":
      return workflows(work, value);
    case "durable_objects":
      return { ...(value as Table), bindings: references(work, key, value) };
    case "analytics_engine_datasets":
      return datasets(work, value);
    case "ratelimits":
      return limiters(work, value);
    default:
      refuseAll(work, key, value);
      return value;
  }
}

function renamed({ suffix }: Work, name: unknown): string {
  return `${name}-${suffix}`;
}

/** Whether `--share` names it. Notes that it did. */
function isShared({ share, shared }: Work, name: string): boolean {
  if (share.has(name)) shared.add(name);
  return share.has(name);
}

function refuse(work: Work, key: string, name: string, why: string): void {
  const fix = `npm run copy -- ${work.suffix} --share ${name}, if both Workers may use it`;
  if (!isShared(work, name)) work.refused.push({ key, name, why, fix });
}

/** A resource of a kind that each Worker can have: the copy's has another name, and no id yet. */
function resource(work: Work, key: string, kind: ResourceKind, entry: Table): Table {
  const { what, named, id = named, dropped = [], create: command } = kind;
  const name = String(entry.binding);
  if (work.share.has(name) && entry[id ?? ""] === undefined) {
    const fix = `write its ${id} into wrangler.toml, or leave out --share ${name}`;
    work.refused.push({ key, name, why: `has no ${id}, so wrangler would create another for the copy`, fix });
  }
  if (isShared(work, name)) return entry;
  const left = Object.fromEntries(Object.entries(entry).filter(([member]) => !dropped.includes(member)));
  const original = named === undefined ? undefined : entry[named];
  work.own.add(original === undefined ? `${what} ${name}` : `${what} ${renamed(work, original)}`);
  if (named === undefined || original === undefined) return left;
  if (command) work.create.add(command(renamed(work, original), String(original)));
  return { ...left, [named]: renamed(work, original) };
}

/** References to Workers: the copy refers to itself where the original does. */
function references(work: Work, key: string, value: unknown): Table[] {
  const member = WORKERS[key] ?? "";
  return tables(listIn(key, value)).map((entry) => {
    if (entry[member] === undefined) return entry;
    if (entry[member] === work.worker) return { ...entry, [member]: work.copy };
    refuse(work, key, nameOf(entry, key), `is of another Worker, ${entry[member]}, which knows nothing of the copy`);
    return entry;
  });
}

function queues(work: Work, { producers, consumers }: Table): Table {
  const kind: ResourceKind = { what: "queue", named: "queue" };
  const produced = tables(producers).map((entry) => resource(work, "queues", kind, entry));
  const made = new Set(produced.map(({ queue }) => queue));
  const kept = new Set(tables(producers).flatMap((entry, at) => (produced[at] === entry ? [entry.queue] : [])));
  // A queue has one consumer: that of a shared queue stays with the original.
  const consumed = tables(consumers).filter(({ queue }) => !kept.has(queue));
  return {
    producers: produced,
    consumers: consumed.map((entry) => {
      const changed = Object.fromEntries(
        ["queue", "dead_letter_queue"].flatMap((member) =>
          entry[member] === undefined ? [] : [[member, renamed(work, entry[member])]],
        ),
      );
      for (const queue of Object.values(changed)) {
        work.own.add(`queue ${queue}`);
        // wrangler creates only those that are bound.
        if (!made.has(queue)) work.create.add(`npx wrangler queues create ${queue}`);
      }
      return { ...entry, ...changed };
    }),
  };
}

function workflows(work: Work, value: unknown): Table[] {
  return references(work, "workflows", value).map((entry, at) => {
    // Those of another Worker have its names.
    const isOwn = entry !== tables(value)[at] || entry.script_name === undefined;
    if (isOwn) work.own.add(`workflow ${renamed(work, entry.name)}`);
    return isOwn ? { ...entry, name: renamed(work, entry.name) } : entry;
  });
}

function datasets(work: Work, value: unknown): Table[] {
  return tables(value).map((entry) => {
    if (isShared(work, String(entry.binding))) return entry;
    // Without a name, it is that of the binding. It is a name in SQL, so without dashes.
    const dataset = `${entry.dataset ?? entry.binding}_${work.suffix.replaceAll("-", "_")}`;
    work.own.add(`dataset ${dataset}`);
    return { ...entry, dataset };
  });
}

function limiters(work: Work, value: unknown): Table[] {
  return tables(value).map((entry) => {
    if (isShared(work, String(entry.name))) return entry;
    work.own.add("rate limits");
    return { ...entry, namespace_id: limiterId(work.copy, entry.namespace_id) };
  });
}

/** What is of no kind that is known here. */
function refuseAll(work: Work, key: string, value: unknown): void {
  for (const name of namesIn(key, value)) {
    if (ONLY_ONE.includes(key)) {
      const fix = "leave it out of wrangler.toml, or write the settings of the second Worker by hand";
      work.refused.push({ key, name, why: "would be taken over by the copy", fix });
    } else refuse(work, key, name, "is not known to separate: the copy would use that of the original");
  }
}

/** Names of all that `--share` may name. */
export function shareable(raw: Table): string[] {
  return Object.entries(raw).flatMap(([key, value]) => {
    if (KEPT.has(key) || key in LEFT_OUT || key === "name" || ONLY_ONE.includes(key)) return [];
    if (key === "queues") return namesIn(key, (value as Table).producers ?? []);
    const member = WORKERS[key];
    if (member === undefined) return namesIn(key, value);
    const ofOthers = tables(listIn(key, value)).filter(
      ({ [member]: worker }) => worker !== undefined && worker !== raw.name,
    );
    return namesIn(key, ofOthers);
  });
}

function listIn(key: string, value: unknown): unknown {
  return key === "durable_objects" && !Array.isArray(value) ? (value as Table).bindings : value;
}

function namesIn(key: string, value: unknown): string[] {
  const list = listIn(key, value);
  return Array.isArray(list) ? list.map((entry) => nameOf(entry, key)) : [nameOf(list, key)];
}

/** What binds it, or what it is. */
function nameOf(entry: unknown, key: string): string {
  const { binding, name, service } = (typeof entry === "object" && entry !== null ? entry : {}) as Table;
  return String(binding ?? name ?? service ?? key);
}

/** Limiters of one account with the same id count together. The id is a positive whole number, as text. */
function limiterId(worker: string, id: unknown): string {
  return String(1 + (createHash("sha256").update(`${worker} ${id}`).digest().readUInt32BE() % 1_000_000_000));
}

function tables(value: unknown): readonly Table[] {
  return Array.isArray(value) ? value : [];
}
