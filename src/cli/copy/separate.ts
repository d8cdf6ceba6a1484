/** Makes the settings of a second Worker from those of the first, so that the two share nothing. Pure. */
import { createHash } from "node:crypto";
import { KEPT, LEFT_OUT, ONLY_ONE, OPEN, RULES, type Rule } from "./rules.ts";

export type Table = Readonly<Record<string, unknown>>;

/** Something that the copy cannot have of its own. */
export interface Refused {
  /** The table that it is in, such as `hyperdrive` or `queues.producers`. */
  readonly path: string;
  /** Its binding, or its name if it has none: what `--share` takes. */
  readonly name: string;
  readonly why: string;
  readonly fix: string;
  /** The member that is refused; undefined if it is the whole table. */
  readonly member?: string | undefined;
}

/** The longest label of a host name (RFC 1035, section 2.3.4), which is also wrangler's limit for names of buckets. */
const MAX_NAME = 63;
const BY_HAND = "or write the settings of the second Worker by hand";

/**
 * @param raw    the settings as they are written, with a `name`
 * @param suffix what distinguishes the copy: `staging`
 * @param share  names of what the two Workers share
 */
export function separate(raw: Table, suffix: string, share: ReadonlySet<string>) {
  const worker = `${raw.name}-${suffix}`;
  const refused: Refused[] = [];
  // What the copy has of its own (keys are in KV), shares, and lacks; what has to be created; what `--share` may name.
  const [own, shared, leftOut] = [new Set(["secrets"]), new Set<string>(), new Set<string>()];
  const [create, shareable] = [new Set<string>(), new Set<string>()];
  if (!share.has("KV")) own.add("keys");
  // Some kinds of names are not case-sensitive.
  const taken = new Set(namesIn(raw, String(raw.name)).map((name) => name.toLowerCase()));
  const producers = [tableOf(raw.queues).producers ?? []].flat() as Table[];

  const refuse = (path: string, name: string, why: string, otherFix?: string, member?: string) => {
    const fix = otherFix ?? `npm run copy -- ${suffix} --share ${name}, if both Workers may use it`;
    refused.push({ path, name, why, fix, member });
  };

  const isShared = (name: string) => {
    shareable.add(name);
    if (share.has(name)) shared.add(name);
    return share.has(name);
  };

  /** Refuses a name for the copy that is taken or too long. */
  const check = (path: string, name: string, made: string) => {
    const isTaken = taken.has(made.toLowerCase());
    if (!isTaken && made.length <= MAX_NAME) return;
    const why = isTaken ? "this file has already" : `is longer than ${MAX_NAME} characters`;
    refuse(path, name, `would get the name ${made}, which ${why}`, `choose another or shorter name than ${suffix}`);
  };

  /** @returns what the copy calls its resource */
  const renamed = (path: string, binding: string, name: unknown): string => {
    if (path === "ratelimits") return limiterId(worker, name);
    // A dataset's name is written in SQL, so it has no dashes.
    const ending = path === "analytics_engine_datasets" ? `_${suffix.replaceAll("-", "_")}` : `-${suffix}`;
    const made = `${name}${ending}`;
    check(path, binding, made);
    // wrangler creates queues that are bound.
    const isBound = path === "queues.consumers" && producers.some(({ queue }) => queue === name);
    const kind = RULES[path]?.create;
    if (kind && !isBound) create.add(`npx wrangler ${kind} create ${made} (like ${name})`);
    return made;
  };

  /** @returns what the copy has in place of a table; undefined if it has none */
  const entry = (path: string, rule: Rule, given: Table, name: string): Table | undefined => {
    const [names = [], dropped = [], kept = []] = [rule.renamed, rule.dropped, rule.kept].map((one) => one?.split(" "));
    const { id = "", worker: script = "" } = rule;
    const isKnown = (member: string) => [...names, ...dropped, ...kept, script].includes(member);
    for (const member of Object.keys(given).filter((one) => !isKnown(one))) {
      const why = `has ${member}, which may name something of production's: it is not known here`;
      refuse(path, name, why, `remove ${member}, ${BY_HAND}`, member);
    }
    // A dataset without a name has that of its binding.
    const all: Table = path === "analytics_engine_datasets" ? { dataset: given.binding, ...given } : given;
    const isOthers = all[script] !== undefined && all[script] !== raw.name;
    if ((id || isOthers) && isShared(name)) {
      if (isOthers || all[id] !== undefined) return given;
      const fix = `write its ${id} into the settings, or leave out --share ${name}`;
      refuse(path, name, `has no ${id}, so wrangler would create another for the copy`, fix);
    } else if (isOthers) refuse(path, name, `is of another Worker, ${all[script]}, which knows nothing of the copy`);
    // A queue has one consumer: that of a shared queue stays with the original.
    const isBoundBy = ({ queue, binding }: Table) => queue === all.queue && share.has(String(binding));
    if (path === "queues.consumers" && producers.some(isBoundBy)) return undefined;
    const made = Object.entries(all).flatMap(([member, value]): [string, unknown][] => {
      if (names.includes(member)) return [[member, renamed(path, name, value)]];
      if (member === script) return [[member, worker]];
      if (!dropped.includes(member)) return [[member, copied(`${path}.${member}`, value)]];
      leftOut.add(`${path}.${member}`);
      return [];
    });
    if (id && !names.some((member) => member in all)) check(path, name, byDefault(worker, name));
    if (id || names.length > 0) own.add(`${path} ${name}`);
    if (path === "durable_objects.bindings") own.add("durable_objects");
    return Object.fromEntries(made);
  };

  /** @returns what the copy has in place of a value */
  const copied = (path: string, value: unknown): unknown => {
    const rule = RULES[path];
    const list = Array.isArray(value) ? value : [value];
    const named = list.map((one) => nameOf(tableOf(one), path));
    if (ONLY_ONE.includes(path)) refuse(path, path, "would be taken over by the copy", `leave it out, ${BY_HAND}`);
    else if (rule === undefined && !path.includes("."))
      for (const name of named.filter((one) => !isShared(one)))
        refuse(path, name, "is not known to separate: the copy would use that of the original");
    if (rule === undefined) return value;
    if (path === "exports") {
      const classes = Object.entries(tableOf(value));
      return Object.fromEntries(classes.map(([name, one]) => [name, entry(path, rule, tableOf(one), name)]));
    }
    const made = list.flatMap((one, at) => entry(path, rule, tableOf(one), String(named[at])) ?? []);
    return Array.isArray(value) ? made : made[0];
  };

  const settings: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    if (LEFT_OUT.includes(key)) leftOut.add(key);
    else settings[key] = KEPT.includes(key) ? value : copied(key, value);
  }
  check("name", worker, worker);
  // Whether the copy is at workers.dev, where the original is not. Then variables that let everyone in are "false".
  const vars = tableOf(raw.vars);
  const isExposed = !(raw.workers_dev ?? (raw.route === undefined && [raw.routes ?? []].flat().length === 0));
  const closed = isExposed ? OPEN.filter((name) => String(vars[name]) === "true") : [];
  if (closed.length > 0) settings.vars = { ...vars, ...Object.fromEntries(closed.map((name) => [name, "false"])) };
  settings.name = worker;
  return { own, shared, leftOut, worker, settings, refused, create, shareable, isExposed, closed };
}

/** All values of a table, and what wrangler derives from them, that may be names on the account. */
function namesIn(table: Table, worker: string): string[] {
  return Object.entries(table).flatMap(([key, value]) => {
    if (key === "vars") return [];
    if (key === "binding") return [byDefault(worker, String(value))];
    if (key === "env")
      return Object.entries(tableOf(value)).flatMap(([name, one]) => ofEnvironment(one, `${worker}-${name}`));
    return typeof value === "object" && value !== null ? namesIn(value as Table, worker) : [String(value)];
  });
}

function ofEnvironment(table: unknown, worker: string): string[] {
  return [worker, ...namesIn(tableOf(table), String(tableOf(table).name ?? worker))];
}

/** What wrangler calls a resource that it creates for a binding without a name. */
function byDefault(worker: string, binding: string): string {
  return `${worker}-${binding.toLowerCase().replaceAll("_", "-")}`;
}

/** Limiters of one account with the same id count together. The id is a positive whole number, as text. */
function limiterId(worker: string, id: unknown): string {
  return String(1 + (createHash("sha256").update(`${worker} ${id}`).digest().readUInt32BE() % 1_000_000_000));
}

function nameOf({ binding, name, service, tag, queue }: Table, path: string): string {
  return String(binding ?? name ?? service ?? tag ?? queue ?? path);
}

function tableOf(value: unknown): Table {
  return typeof value === "object" && value !== null ? (value as Table) : {};
}
