/**
 * What wrangler.toml may have, and what becomes of it in a copy. The names are those of wrangler's config-schema.json.
 * separate.ts itself knows `name`, `queues`, `services`, `workflows`, `durable_objects`, `analytics_engine_datasets`,
 * `ratelimits` and `observability`. What is in none of these lists is refused, so that a kind that Cloudflare adds is
 * never shared by accident.
 */

/** A kind of resource of which the copy gets its own: tables with a `binding` each. */
export interface ResourceKind {
  /** What messages call it. */
  readonly what: string;
  /** The member with the resource's name on the account, to which the copy's is added. */
  readonly named?: string;
  /** The member that says which resource it is, if that is another. */
  readonly id?: string;
  /** Such names have at most so many characters. */
  readonly max?: number;
  /** What else belongs to production's resource. Without an id, wrangler creates a resource at the first deployment. */
  readonly dropped?: readonly string[];
  /** For what wrangler does not create. */
  readonly create?: (name: string, original: string) => string;
}

export const KINDS: Readonly<Record<string, ResourceKind>> = {
  kv_namespaces: { what: "KV namespace", id: "id", dropped: ["id", "preview_id"] },
  d1_databases: {
    what: "D1 database",
    named: "database_name",
    id: "database_id",
    dropped: ["database_id", "preview_database_id", "database_internal_env"],
  },
  // wrangler refuses names of buckets that are longer.
  r2_buckets: { what: "R2 bucket", named: "bucket_name", max: 63, dropped: ["preview_bucket_name"] },
  vectorize: {
    what: "Vectorize index",
    named: "index_name",
    create: (name, original) =>
      `npx wrangler vectorize create ${name} (with the dimensions and the metric of ${original})`,
  },
  ai_search_namespaces: { what: "AI Search namespace", named: "namespace" },
  agent_memory: { what: "Agent Memory namespace", named: "namespace" },
};

/** Left out of a copy. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  routes: "routes",
  route: "routes",
  addresses: "email addresses",
  triggers: "crons",
  // Without routes, the copy's only address is that of workers.dev.
  workers_dev: "workers_dev",
  // The account's jobs would get what the copy logs.
  logpush: "logpush",
  env: "environments",
  previews: "previews",
};

/** Tables that name a Worker in this member: itself, or another, which the copy would share. */
export const WORKERS: Readonly<Record<string, string>> = {
  services: "service",
  workflows: "script_name",
  durable_objects: "script_name",
};

/** Cannot even be shared: Cloudflare has one of each, and the copy would take it over. */
export const ONLY_ONE: readonly string[] = ["containers", "cloudchamber", "connect", "pages_build_output_dir"];

/** Variables that let everyone call if they are "true" (src/access/anonymous.ts). */
export const OPEN: readonly string[] = ["PUBLIC", "LOCAL"];

/**
 * How the Worker is built and run. Also bindings to what keeps nothing, or belongs to each Worker. Migrations and
 * exports may name what is production's: members.ts refuses those.
 */
export const KEPT: ReadonlySet<string> = new Set([
  ...["$schema", "account_id", "compatibility_date", "compatibility_flags", "main", "base_dir", "preserve_file_names"],
  ...["find_additional_modules", "preview_urls", "tsconfig", "jsx_factory", "jsx_fragment", "rules", "build", "alias"],
  ...["no_bundle", "minify", "keep_names", "upload_source_maps", "define", "python_modules", "wasm_modules"],
  ...["text_blobs", "data_blobs", "assets", "site", "limits", "placement", "cache", "access"],
  ...["compliance_region", "migrations", "exports", "vars", "secrets", "keep_vars", "send_metrics", "dev"],
  ...["dependencies_instrumentation", "browser", "ai", "media", "version_metadata", "worker_loaders"],
]);
