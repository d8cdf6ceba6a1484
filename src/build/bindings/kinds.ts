/** The kinds of bindings: the TypeScript type of each, and the lines that add the common ones to wrangler.toml. */

/** Not written as an import, which the test of what each folder imports would take it for. */
const PIPELINES = `import(${JSON.stringify("cloudflare:pipelines")})`;

/**
 * Types by the kind that wrangler gives a binding, the same that `wrangler types` writes: all but that of a pipeline
 * are global types of @cloudflare/workers-types. A kind that is missing here, such as a new or an unsafe one, is
 * `unknown`.
 */
export const TYPES: Readonly<Record<string, string>> = {
  agent_memory: "AgentMemoryNamespace",
  ai: "Ai",
  ai_search: "AiSearchInstance",
  ai_search_namespace: "AiSearchNamespace",
  analytics: "AnalyticsSQLBinding",
  analytics_engine: "AnalyticsEngineDataset",
  artifacts: "Artifacts",
  assets: "Fetcher",
  browser: "BrowserRun",
  d1: "D1Database",
  data_blob: "ArrayBuffer",
  dispatch_namespace: "DispatchNamespace",
  durable_object_namespace: "DurableObjectNamespace",
  flagship: "Flagship",
  hyperdrive: "Hyperdrive",
  images: "ImagesBinding",
  kv_namespace: "KVNamespace",
  media: "MediaBinding",
  mtls_certificate: "Fetcher",
  pipeline: `${PIPELINES}.Pipeline<${PIPELINES}.PipelineRecord>`,
  plain_text: "string",
  queue: "Queue",
  r2_bucket: "R2Bucket",
  ratelimit: "RateLimit",
  secrets_store_secret: "SecretsStoreSecret",
  send_email: "SendEmail",
  service: "Fetcher",
  stream: "StreamBinding",
  text_blob: "string",
  vectorize: "VectorizeIndex",
  version_metadata: "WorkerVersionMetadata",
  vpc_network: "Fetcher",
  vpc_service: "Fetcher",
  wasm_module: "WebAssembly.Module",
  worker_loader: "WorkerLoader",
  workflow: "Workflow",
};

interface Suggestion {
  /** Names that suggest this kind. */
  readonly names: RegExp;
  readonly lines: (name: string) => readonly string[];
}

const lower = (name: string) => name.toLowerCase().replaceAll("_", "-");
/** R2 wants three characters or more (developers.cloudflare.com/r2/buckets/create-buckets). */
const bucket = (name: string) => `my-${lower(name)}`;
const word = (words: string) => new RegExp(`(^|_)(${words})S?(_|$)`, "i");

/** In order: the first whose names fit is suggested. */
const SUGGESTIONS: readonly Suggestion[] = [
  { names: word("AI"), lines: (name) => ["[ai]", `binding = "${name}"`] },
  {
    names: word("DB|D1|SQL|DATABASE"),
    lines: (name) => ["[[d1_databases]]", `binding = "${name}"`, `database_name = "${lower(name)}"`],
  },
  {
    names: word("R2|BUCKET|FILE|BLOB|UPLOAD|IMAGE"),
    lines: (name) => ["[[r2_buckets]]", `binding = "${name}"`, `bucket_name = "${bucket(name)}"`],
  },
  {
    names: word("QUEUE"),
    lines: (name) => ["[[queues.producers]]", `binding = "${name}"`, `queue = "${lower(name)}"`],
  },
  {
    // `word` adds an s, to INDEXE as well.
    names: word("VECTORIZE|VECTOR|INDEX|INDEXE"),
    lines: (name) => ["[[vectorize]]", `binding = "${name}"`, `index_name = "${lower(name)}"`],
  },
  { names: word("KV|CACHE"), lines: (name) => ["[[kv_namespaces]]", `binding = "${name}"`] },
  { names: word("BROWSER"), lines: (name) => ["[browser]", `binding = "${name}"`] },
];

/**
 * @returns the lines of wrangler.toml that add a binding of the kind that its name suggests; undefined if it suggests
 *   none, so that it may be a variable
 */
export function linesFor(name: string): readonly string[] | undefined {
  return SUGGESTIONS.find(({ names }) => names.test(name))?.lines(name);
}
