/**
 * What becomes of the settings in a copy. The names are those of wrangler's config-schema.json. What is in none of these
 * lists is refused, tables and their members alike, so that what Cloudflare adds is never shared by accident.
 */

/**
 * What becomes of the members of a table. Their names, with spaces between:
 * - `renamed`: names on the account, to which the copy appends its suffix;
 * - `dropped`: what belongs to production alone, and whatever would trigger the copy or receive its logs;
 * - `kept`: all others that are known.
 *
 * `id` names the member that identifies the resource: if it is set, both Workers can use the same one. `worker` is the
 * member that names a Worker: this one, or another one, which the copy would share. `npx wrangler <create> create NAME`
 * creates what the first deployment does not create.
 */
export type Rule = Partial<Record<"renamed" | "dropped" | "kept" | "id" | "worker" | "create", string>>;

const D1_IDS = "database_id preview_database_id database_internal_env";
const DATABASE = "binding migrations_table migrations_dir migrations_pattern remote";
const BUCKET = "binding jurisdiction remote local_dev";
const CONSUMED = "type max_batch_size max_batch_timeout max_retries max_concurrency visibility_timeout_ms retry_delay";
const WORKFLOW = "binding class_name limits concurrency default_retention jurisdiction remote";
const NAMESPACE: Rule = { id: "namespace", renamed: "namespace", kept: "binding remote" };
/** A binding to something that keeps no data, or that each Worker has for itself. */
const PLAIN: Rule = { kept: "binding staging remote" };

/** The rules, by the path of a table or of a list of tables. */
export const RULES: Readonly<Record<string, Rule>> = {
  // Without an id, wrangler creates a namespace or a database at the first deployment.
  kv_namespaces: { id: "id", dropped: "id preview_id", kept: "binding remote" },
  d1_databases: { id: "database_id", renamed: "database_name", dropped: D1_IDS, kept: DATABASE },
  r2_buckets: { id: "bucket_name", renamed: "bucket_name", dropped: "preview_bucket_name", kept: BUCKET },
  vectorize: { id: "index_name", renamed: "index_name", kept: "binding remote", create: "vectorize" },
  ...{ ai_search_namespaces: NAMESPACE, agent_memory: NAMESPACE },
  queues: { kept: "producers consumers" },
  "queues.producers": { id: "queue", renamed: "queue", kept: "binding delivery_delay remote" },
  "queues.consumers": { renamed: "queue dead_letter_queue", kept: CONSUMED, create: "queues" },
  analytics_engine_datasets: { id: "dataset", renamed: "dataset", kept: "binding remote" },
  ratelimits: { id: "namespace_id", renamed: "namespace_id", kept: "name simple" },
  services: { worker: "service", dropped: "environment", kept: "binding entrypoint props remote" },
  workflows: { worker: "script_name", renamed: "name", dropped: "schedules", kept: WORKFLOW },
  durable_objects: { kept: "bindings code_update_strategy" },
  "durable_objects.bindings": { worker: "script_name", dropped: "environment", kept: "name class_name" },
  // Known members that are refused: those that move objects from another Worker into this one, and a Workflow's name.
  migrations: { kept: "tag new_classes new_sqlite_classes renamed_classes deleted_classes" },
  exports: { kept: "type cache state storage renamed_to" },
  observability: { kept: "enabled head_sampling_rate redact_query_string issues logs traces" },
  "observability.logs": { dropped: "destinations", kept: "enabled head_sampling_rate invocation_logs persist" },
  "observability.traces": { dropped: "destinations", kept: "enabled head_sampling_rate persist" },
  assets: { kept: "directory binding html_handling not_found_handling base_path run_worker_first" },
  ...{ cache: { kept: "enabled cross_version_cache" }, access: { kept: "dev" } },
  ...{ ai: PLAIN, browser: PLAIN, media: PLAIN, version_metadata: PLAIN, worker_loaders: PLAIN },
};

/** Settings that say how the Worker is built and run: the copy has the same. */
export const KEPT: readonly string[] = [
  "$schema account_id compatibility_date compatibility_flags main base_dir preserve_file_names find_additional_modules",
  "preview_urls tsconfig jsx_factory jsx_fragment rules build alias no_bundle minify keep_names upload_source_maps define",
  "python_modules wasm_modules text_blobs data_blobs site limits placement compliance_region name vars secrets keep_vars",
  "send_metrics dev dependencies_instrumentation",
].flatMap((names) => names.split(" "));

/** Addresses, what starts the Worker, and where its logs go. The copy's only address is that of workers.dev. */
export const LEFT_OUT = ["routes", "route", "workers_dev", "addresses", "triggers", "logpush", "env", "previews"];

/** Cannot even be shared: Cloudflare has one of each, and the copy would take it over. */
export const ONLY_ONE = ["containers", "cloudchamber", "connect", "pages_build_output_dir"];

/** Variables that let everyone call if they are "true" (src/access/anonymous.ts). */
export const OPEN = ["PUBLIC", "LOCAL"];
