/** What a Worker has and Node lacks, as stubs: a definition that only mentions it loads. */

/** Globals of the runtime, besides the classes and functions that Node has, too. */
export const WORKER_GLOBALS: readonly string[] = [
  ...["Body", "Cache", "CacheStorage", "Cloudflare", "ErrorEvent", "EventSource", "ExtendableEvent", "FetchEvent"],
  ...["FixedLengthStream", "HTMLRewriter", "IdentityTransformStream", "PromiseRejectionEvent", "ScheduledEvent"],
  ...["ServiceWorkerGlobalScope", "TailEvent", "TraceEvent", "WebSocketPair", "WebSocketRequestResponsePair"],
  ...["WorkerGlobalScope", "addEventListener", "caches", "dispatchEvent", "origin", "removeEventListener"],
  ...["reportError", "scheduler"],
];

/** @returns a value whose every member is the value itself, and that can be called, constructed and extended */
export function makeStub(): object {
  function target() {}
  const stub: object = new Proxy(target, {
    // With a "then", it would be awaited, and with a "hasInstance", everything would be an instance of it.
    get: (_, key) => (key === "then" || key === Symbol.hasInstance ? undefined : stub),
    apply: () => stub,
  });
  return stub;
}

/** Adds them to this thread. */
export function addWorkerGlobals(): void {
  for (const name of WORKER_GLOBALS) Object.assign(globalThis, { [name]: makeStub() });
  Object.assign(globalThis, { self: globalThis });
  // What packages ask to find out where they are.
  Object.defineProperty(navigator, "userAgent", { value: "Cloudflare-Workers" });
}
