/** Finds names that a copy would get, and that something of wrangler.toml has already, or that are too long. Pure. */
import { KINDS } from "./kinds.ts";
import { type Table, tables, type Unseparable } from "./separate.ts";

/** Something that an account has once, by the name that it has there. */
interface Named {
  readonly key: string;
  readonly binding?: unknown;
  readonly what: string;
  readonly resource: unknown;
  /** Its name has at most so many characters. */
  readonly max?: number | undefined;
}

/** wrangler's limit for the names of Workflows. */
const MAX_WORKFLOW = 64;

/**
 * @param raw      wrangler.toml as it is written, with a `name`
 * @param settings the copy's
 * @param suffix   what distinguishes the copy: `staging`
 * @param share    names of what the two Workers shall share
 */
export function taken(raw: Table, settings: Table, suffix: string, share: ReadonlySet<string>): Unseparable[] {
  const fix = `choose another name than ${suffix}`;
  const environments = Object.entries((raw.env ?? {}) as Table).map(([name, value]): [string, Table] => [
    name,
    { name: `${raw.name}-${name}`, ...(value as Table) },
  ]);
  const all = [raw, (raw.previews ?? {}) as Table, ...environments.map(([, table]) => table)];
  const existing = new Set(all.flatMap((table) => [...resourcesIn(table), ...othersIn(table)]).map(identity));
  const refused = resourcesIn(settings).flatMap((one): Unseparable[] => {
    const { key, binding, what, max = Number.POSITIVE_INFINITY } = one;
    const resource = String(one.resource);
    if (share.has(String(binding))) return [];
    const name = String(binding ?? resource.slice(0, -suffix.length - 1));
    const would = `would get the ${what} ${resource}, which`;
    if (existing.has(identity(one))) return [{ key, name, why: `${would} this file has already`, fix }];
    if (resource.length <= max) return [];
    return [
      { key, name, why: `${would} is longer than ${max} characters`, fix: `choose a shorter one than ${suffix}` },
    ];
  });
  const worker = String(settings.name);
  const isWorker = (name: unknown) => String(name).toLowerCase() === worker.toLowerCase();
  const environment =
    environments.find(([, table]) => isWorker(table.name)) ?? environments.find(([name]) => name === suffix);
  if (environment) {
    const [name, table] = environment;
    const why = isWorker(table.name) ? `is the Worker of [env.${name}]` : `would be taken for that of [env.${name}]`;
    refused.push({ key: `env.${name}`, name: worker, why, fix });
  }
  const key = all.flatMap(workersIn).find(([, name]) => isWorker(name))?.[0];
  if (key !== undefined) refused.push({ key, name: worker, why: "is another Worker, which this file names", fix });
  return refused;
}

/** Some kinds of names are the same in capitals. */
function identity({ what, resource }: Named): string {
  return `${what} ${resource}`.toLowerCase();
}

function resourcesIn(table: Table): Named[] {
  const kinds = Object.entries(KINDS).flatMap(([key, { what, named, max }]) =>
    tables(table[key]).map((entry) => {
      // wrangler gives this name to what it creates without one.
      const byDefault = `${table.name}-${String(entry.binding).toLowerCase().replaceAll("_", "-")}`;
      const resource = (named === undefined ? undefined : entry[named]) ?? byDefault;
      return { key, binding: entry.binding, what, resource, max };
    }),
  );
  const { producers, consumers } = (table.queues ?? {}) as Table;
  const queues = [...tables(producers), ...tables(consumers)].flatMap(({ binding, queue, dead_letter_queue: dead }) =>
    [queue, dead].flatMap((resource) =>
      resource === undefined ? [] : [{ key: "queues", binding, what: "queue", resource }],
    ),
  );
  const workflows = tables(table.workflows).map(({ binding, name }) => {
    return { key: "workflows", binding, what: "Workflow", resource: name, max: MAX_WORKFLOW };
  });
  const datasets = tables(table.analytics_engine_datasets).map(({ binding, dataset = binding }) => {
    return { key: "analytics_engine_datasets", binding, what: "dataset", resource: dataset };
  });
  return [...kinds, ...queues, ...workflows, ...datasets];
}

/** What else a table names, and a copy never has. */
function othersIn(table: Table): Named[] {
  const buckets = tables(table.r2_buckets).map(({ preview_bucket_name: resource }) => {
    return { key: "r2_buckets", what: KINDS.r2_buckets?.what ?? "", resource };
  });
  const workflows = Object.values((table.exports ?? {}) as Readonly<Record<string, Table>>).map(({ name }) => {
    return { key: "exports", what: "Workflow", resource: name };
  });
  return [...buckets, ...workflows];
}

/** The Workers that a table names, with the key that names them. */
function workersIn(table: Table): [key: string, name: unknown][] {
  const {
    durable_objects: objects,
    services,
    workflows,
    tail_consumers: tails,
    streaming_tail_consumers: live,
  } = table;
  const lists = { services, workflows, tail_consumers: tails, streaming_tail_consumers: live };
  const bindings = Array.isArray(objects) ? objects : ((objects ?? {}) as Table).bindings;
  return Object.entries({ ...lists, durable_objects: bindings }).flatMap(([key, list]) =>
    tables(list).map(({ service, script_name: script }): [string, unknown] => [key, service ?? script]),
  );
}
