/** Events and callbacks: every message to a receiver is kept before it is sent, so that it is not lost. */
import { readSettings } from "../../settings.ts";
import type { Feature } from "../feature.ts";
import { webhooksApi } from "./api.ts";
import { withEmit } from "./events/emit.ts";
import { withPublishing } from "./events/publish-events.ts";
import { methodsWithEvents } from "./mcp/methods.ts";
import { stream } from "./mcp/stream.ts";
import { type OutboxObjects, objectOutbox } from "./object-outbox.ts";
import { readOutboxSettings } from "./settings.ts";
import { withCallbacks } from "./with-callbacks.ts";

export const feature: Feature = {
  readSettings: readOutboxSettings,
  provide(runtime) {
    const objects = runtime.binding("OUTBOX") as OutboxObjects | undefined;
    // An environment of wrangler.toml may have no outbox.
    if (objects === undefined) return runtime;
    const { privateHosts } = readSettings({ ALLOWED_HOSTS: runtime.binding("ALLOWED_HOSTS") }).settings;
    const outbox = withPublishing(objectOutbox(objects, runtime.signer, privateHosts), runtime);
    return { ...runtime, outbox, callbacks: outbox };
  },
  aroundCall: withCallbacks,
  aroundRun: withEmit,
  endpoints: ({ callbacks }) => callbacks && webhooksApi(callbacks),
  mcp: {
    modern: {
      methods: methodsWithEvents,
      streams: { "events/stream": ({ context }, request) => stream(context, request) },
    },
  },
};
