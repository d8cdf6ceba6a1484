/** The kinds of bindings: the TypeScript type of each, and for the common ones the settings that add one. */
import type { SettingsFragment } from "../lib/settings-format.ts";

/** Put together from two strings, because test/rules.unit.test.ts would take the whole for an import. */
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

/** Names that suggest a kind of binding, with the settings that add one. The first that matches counts. */
const SUGGESTIONS: readonly (readonly [names: RegExp, part: (binding: string, ownName: string) => SettingsFragment])[] =
  [
    [word("AI"), (binding) => ({ ai: { binding } })],
    [word("DB|D1|SQL|DATABASE"), (binding, name) => ({ d1_databases: [{ binding, database_name: name }] })],
    // R2 wants three characters or more (developers.cloudflare.com/r2/buckets/create-buckets).
    [
      word("R2|BUCKET|FILE|BLOB|UPLOAD|IMAGE"),
      (binding, name) => ({ r2_buckets: [{ binding, bucket_name: `my-${name}` }] }),
    ],
    [word("QUEUE"), (binding, queue) => ({ queues: { producers: [{ binding, queue }] } })],
    // `word` allows an S at the end, so INDEXE stands for INDEXES.
    [word("VECTORIZE|VECTOR|INDEX|INDEXE"), (binding, name) => ({ vectorize: [{ binding, index_name: name }] })],
    [word("KV|CACHE"), (binding) => ({ kv_namespaces: [{ binding }] })],
    [word("BROWSER"), (binding) => ({ browser: { binding } })],
  ];

/**
 * @returns the settings that add a binding of the kind that its name suggests; undefined if the name suggests none, as
 *   that of a variable
 */
export function fragmentFor(name: string): SettingsFragment | undefined {
  const [, part] = SUGGESTIONS.find(([names]) => names.test(name)) ?? [];
  return part?.(name, name.toLowerCase().replaceAll("_", "-"));
}
