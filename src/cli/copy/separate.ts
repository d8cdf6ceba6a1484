/** Makes the settings of a second Worker from those of the first, so that the two share nothing. Pure. */
import { createHash } from "node:crypto";
import { KEPT, KINDS, LEFT_OUT, ONLY_ONE, OPEN, type ResourceKind, WORKERS } from "./kinds.ts";

/** A table of wrangler.toml. */
export type Table = Readonly<Record<string, unknown>>;

/** Something that the copy cannot have of its own. */
export interface Unseparable {
  /** Of wrangler.toml, such as `hyperdrive`. */
  readonly key: string;
  /** What `--share` calls it. */
  readonly name: string;
  /** The member that is to blame, if it is one. */
  readonly member?: string;
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
  /** Whether the copy is at workers.dev, where the original is not. */
  readonly isExposed: boolean;
  /** Variables that would let everyone in there, and are "false" in the copy instead. */
  readonly closed: readonly string[];
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
  readonly leftOut: Set<string>;
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
  const sets = { own: new Set<string>(), shared: new Set<string>(), leftOut: new Set<string>() };
  const work: Work = { worker, copy: `${worker}-${suffix}`, suffix, share, ...sets, create: new Set(), refused: [] };
  const { own, shared, leftOut, create, refused } = work;
  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    const what = LEFT_OUT[key];
    if (what !== undefined) leftOut.add(what);
    else settings[key] = KEPT.has(key) ? value : settingOf(work, key, value);
  }
  own.add("secrets");
  // Where keys are kept.
  if (!share.has("KV")) own.add("keys");
  const vars = (raw.vars ?? {}) as Table;
  const isExposed = !(raw.workers_dev ?? (raw.route === undefined && tables(raw.routes).length === 0));
  const closed = isExposed ? OPEN.filter((name) => String(vars[name]) === "true") : [];
  if (closed.length > 0) settings.vars = { ...vars, ...Object.fromEntries(closed.map((name) => [name, "false"])) };
  const words = { own: [...own], shared: [...shared], leftOut: [...leftOut], create: [...create] };
  return { settings, refused, isExposed, closed, ...words };
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
      return durableObjects(work, value);
    case "analytics_engine_datasets":
      return datasets(work, value);
    case "ratelimits":
      return limiters(work, value);
    case "observability":
      return withoutDestinations(work, value as Table);
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
    const { environment: _, ...rest } = entry;
    if (entry[member] === work.worker) return { ...rest, [member]: work.copy };
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
  return references(work, "workflows", value).map(({ schedules, ...entry }, at) => {
    if (schedules !== undefined) work.leftOut.add("schedules of Workflows");
    // Those of another Worker have its names.
    const isOwn = entry.script_name === undefined || tables(value)[at]?.script_name === work.worker;
    if (isOwn) work.own.add(`workflow ${renamed(work, entry.name)}`);
    return isOwn ? { ...entry, name: renamed(work, entry.name) } : entry;
  });
}

function durableObjects(work: Work, value: unknown): Table {
  const bindings = references(work, "durable_objects", value);
  if (bindings.some(({ script_name: script }) => script === undefined || script === work.copy)) {
    work.own.add("Durable Objects");
  }
  return { ...(value as Table), bindings };
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
  const areAllOwn = tables(value).every(({ name }) => !work.share.has(String(name)));
  return tables(value).map((entry) => {
    if (isShared(work, String(entry.name))) return entry;
    work.own.add(areAllOwn ? "rate limits" : `rate limit ${entry.name}`);
    return { ...entry, namespace_id: limiterId(work.copy, entry.namespace_id) };
  });
}

/** Destinations of logs and traces are the account's, and would get what the copy logs. */
function withoutDestinations({ leftOut }: Work, value: Table): Table {
  const parts = Object.entries(value).map(([part, inner]) => {
    if (typeof inner !== "object" || inner === null || !("destinations" in inner)) return [part, inner];
    const { destinations: _, ...rest } = inner;
    leftOut.add("destinations of logs and traces");
    return [part, rest];
  });
  return Object.fromEntries(parts);
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
    if (KEPT.has(key) || key in LEFT_OUT || ["name", "observability"].includes(key) || ONLY_ONE.includes(key))
      return [];
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

/** @returns nothing if it is not a list */
export function tables(value: unknown): readonly Table[] {
  return Array.isArray(value) ? value : [];
}
