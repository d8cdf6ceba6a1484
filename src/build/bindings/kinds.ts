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

const word = (words: string) => new RegExp(`(^|_)(${words})S?(_|$)`, "i");

/**
 * Names that suggest a kind, and the lines for it: the first whose names fit is suggested. `NAME` stands for the name,
 * and `own-name` for its lower-case form.
 */
const SUGGESTIONS: readonly (readonly [names: RegExp, lines: string])[] = [
  [word("AI"), '[ai]\nbinding = "NAME"'],
  [word("DB|D1|SQL|DATABASE"), '[[d1_databases]]\nbinding = "NAME"\ndatabase_name = "own-name"'],
  // R2 wants three characters or more (developers.cloudflare.com/r2/buckets/create-buckets).
  [word("R2|BUCKET|FILE|BLOB|UPLOAD|IMAGE"), '[[r2_buckets]]\nbinding = "NAME"\nbucket_name = "my-own-name"'],
  [word("QUEUE"), '[[queues.producers]]\nbinding = "NAME"\nqueue = "own-name"'],
  // `word` adds an s, to INDEXE as well.
  [word("VECTORIZE|VECTOR|INDEX|INDEXE"), '[[vectorize]]\nbinding = "NAME"\nindex_name = "own-name"'],
  [word("KV|CACHE"), '[[kv_namespaces]]\nbinding = "NAME"'],
  [word("BROWSER"), '[browser]\nbinding = "NAME"'],
];

/**
 * @returns the lines of wrangler.toml that add a binding of the kind that its name suggests; undefined if it suggests
 *   none, so that it may be a variable
 */
export function linesFor(name: string): string | undefined {
  const [, lines] = SUGGESTIONS.find(([names]) => names.test(name)) ?? [];
  const own = name.toLowerCase().replaceAll("_", "-");
  return lines?.replace(/own-name|NAME/g, (word) => (word === "NAME" ? name : own));
}
