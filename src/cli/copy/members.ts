/** Finds what a copy would take over from production, in tables that are otherwise copied. Pure. */
import type { Table, Unseparable } from "./separate.ts";

/**
 * What an entry of a table may have: the members that wrangler's config-schema.json has at the time of writing, without
 * those that {@link unsafe} refuses. A member that Cloudflare adds may name something of production's.
 */
const MEMBERS: Readonly<Record<string, string>> = {
  kv_namespaces: "binding id preview_id remote",
  d1_databases:
    "binding database_name database_id preview_database_id migrations_table migrations_dir migrations_pattern database_internal_env remote",
  r2_buckets: "binding bucket_name preview_bucket_name jurisdiction remote local_dev",
  vectorize: "binding index_name remote",
  ai_search_namespaces: "binding namespace remote",
  agent_memory: "binding namespace remote",
  queues: "producers consumers",
  "queues.producers": "binding queue delivery_delay remote",
  "queues.consumers":
    "queue type max_batch_size max_batch_timeout max_retries dead_letter_queue max_concurrency visibility_timeout_ms retry_delay",
  services: "binding service environment entrypoint props remote",
  workflows: "binding name class_name script_name limits concurrency schedules default_retention jurisdiction remote",
  durable_objects: "bindings code_update_strategy",
  "durable_objects.bindings": "name class_name script_name environment",
  analytics_engine_datasets: "binding dataset remote",
  ratelimits: "name namespace_id simple",
  migrations: "tag new_classes new_sqlite_classes renamed_classes deleted_classes",
  observability: "enabled head_sampling_rate redact_query_string issues logs traces",
  "observability.logs": "enabled head_sampling_rate invocation_logs persist destinations",
  "observability.traces": "enabled head_sampling_rate persist destinations",
  ai: "binding staging remote",
  browser: "binding remote",
  media: "binding remote",
  version_metadata: "binding",
  worker_loaders: "binding",
  access: "dev",
  assets: "directory binding html_handling not_found_handling base_path run_worker_first",
  cache: "enabled cross_version_cache",
};

/** As {@link MEMBERS}, by the `type` of an export. */
const EXPORTS: Readonly<Record<string, string>> = {
  worker: "type cache",
  "durable-object": "type state storage renamed_to",
};
const BY_HAND = "write the settings of the second Worker by hand";

/** @param raw wrangler.toml as it is written */
export function unsafe(raw: Table): Unseparable[] {
  return [...unknownMembers(raw), ...unsafeExports(raw.exports)];
}

function unknownMembers(raw: Table): Unseparable[] {
  return Object.entries(MEMBERS).flatMap(([path, members]) => {
    const [key = "", inner] = path.split(".");
    const outer = raw[key];
    const value = inner === undefined || Array.isArray(outer) ? outer : tableOf(outer)[inner];
    // Old settings may have the bindings of Durable Objects in a list.
    if (path === "durable_objects" && Array.isArray(value)) return [];
    const known = new Set(members.split(" "));
    return (Array.isArray(value) ? value : [value]).map(tableOf).flatMap((entry) =>
      Object.keys(entry).flatMap((member) => {
        if (known.has(member)) return [];
        const name = String(entry.binding ?? entry.name ?? entry.service ?? entry.tag ?? path);
        return [member === "transferred_classes" ? transfer(name) : unknown(key, name, member)];
      }),
    );
  });
}

function unknown(key: string, name: string, member: string): Unseparable {
  const why = `has ${member}, which may name something of production's: it is not known here`;
  return { key, name, member, why, fix: `remove ${member}, or ${BY_HAND}` };
}

/** Cloudflare: Durable Objects migrations. The copy begins with the first one, and asks for the objects again. */
function transfer(name: string): Unseparable {
  return {
    key: "migrations",
    name,
    member: "transferred_classes",
    why: "moves objects of another Worker into the copy",
    fix: 'once it is deployed, write the classes as new ones in its place (new_sqlite_classes = ["Name"]): each tag is applied once',
  };
}

function unsafeExports(exports: unknown): Unseparable[] {
  return Object.entries(tableOf(exports)).flatMap(([name, value]) => {
    const entry = tableOf(value);
    const type = String(entry.type);
    const refused = (why: string, fix: string) => [{ key: "exports", name, why, fix }];
    if (type === "workflow") {
      const fix = "declare it in [[workflows]], where the copy gives it another name";
      return refused(`is the Workflow ${entry.name}, which the copy would take over`, fix);
    }
    const known = new Set(EXPORTS[type]?.split(" "));
    const others = Object.keys(entry).filter((member) => !known.has(member));
    const isMoving = !["undefined", "created", "deleted", "renamed"].includes(String(entry.state));
    if (others.length === 0 && !isMoving) return [];
    const fix = `once it is deployed, remove what names another Worker, or ${BY_HAND}`;
    if (isMoving) return refused(`has state = "${entry.state}", which moves objects between Workers`, fix);
    return refused(`has ${others.join(", ")}, which may name something of production's`, `remove it, or ${BY_HAND}`);
  });
}

function tableOf(value: unknown): Table {
  return typeof value === "object" && value !== null ? (value as Table) : {};
}
