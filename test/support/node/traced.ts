/** Runs a built fork with a streaming Tail Worker, which gets every span that the runtime would export. */
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { type Fork, until } from "./fork.ts";
import { addressOf, miniflareOptions, workerConfig } from "./worker.ts";

export interface Span {
  readonly id: string;
  readonly parent: string | undefined;
  readonly trace: string;
  name: string;
  readonly attributes: Record<string, unknown>;
  status: string | undefined;
  isClosed: boolean;
}

export interface Traced {
  readonly url: string;
  /** Waits until this many spans have ended that have an attribute of this name, and returns them. */
  spans(count: number, having: string): Promise<Span[]>;
  /** Everything that the Tail Worker got, as JSON. */
  received(): string;
  stop(): Promise<void>;
}

/** Logs every event, which the test reads. Sizes are bigint, which JSON has not. */
const TAIL = `export default { tailStream: (event) => { log(event); return log; } };
const log = (event) => console.log("TAIL " + JSON.stringify(event, (_, value) => typeof value === "bigint" ? Number(value) : value));`;

// biome-ignore lint/suspicious/noExplicitAny: events have many shapes
type Event = any;

export async function runTraced(fork: Fork): Promise<Traced> {
  const config = workerConfig(join(fork.root, "dist/index.js"), fork.root);
  const main = { ...config, experimental: { streamingTailConsumers: [{ worker: "tail" }] } };
  const tail = {
    name: "tail",
    compatibilityDate: config.compatibilityDate,
    manifest: { mainModule: "tail.js", modules: { "tail.js": { type: "esm", contents: TAIL } } },
  };
  const events: Event[] = [];
  const handleStructuredLogs = ({ message }: { message: string }) => {
    if (message.startsWith("TAIL ")) events.push(JSON.parse(message.slice("TAIL ".length)));
  };
  const miniflare = new Miniflare({ ...miniflareOptions(main, tail), handleStructuredLogs });
  const url = await addressOf(miniflare);
  const ended = (having: string) => spansOf(events).filter((span) => span.isClosed && having in span.attributes);
  return {
    url,
    async spans(count, having) {
      await until(async () => ended(having).length >= count);
      return ended(having);
    },
    received: () => JSON.stringify(events),
    stop: () => miniflare.dispose(),
  };
}

function spansOf(events: readonly Event[]): Span[] {
  const spans = new Map<string, Span>();
  for (const { event, spanContext } of events) {
    if (event.type === "spanOpen") {
      const { spanId: id, name } = event;
      const { spanId: parent, traceId: trace } = spanContext;
      spans.set(id, { id, parent, trace, name, attributes: {}, status: undefined, isClosed: false });
      continue;
    }
    const span = spans.get(spanContext.spanId);
    if (span === undefined) continue;
    if (event.type === "attributes") for (const { name, value } of event.info) span.attributes[name] = value;
    else if (event.type === "spanUpdate" && event.info.type === "name") span.name = event.info.name;
    else if (event.type === "spanUpdate") span.status = event.info.status.code;
    else if (event.type === "spanClose") span.isClosed = true;
  }
  return [...spans.values()];
}
