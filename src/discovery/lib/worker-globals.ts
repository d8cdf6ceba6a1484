/** Stubs for what a Worker has and Node lacks, so that a definition can be loaded if it only mentions them. */

/** Globals of the Workers runtime that Node does not have. */
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
    // With a member "then", the stub would be awaited, and with a "hasInstance", everything would be an instance of it.
    get: (_, key) => (key === "then" || key === Symbol.hasInstance ? undefined : stub),
    apply: () => stub,
  });
  return stub;
}

/** Defines the stubs as globals of this thread. */
export function addWorkerGlobals(): void {
  for (const name of WORKER_GLOBALS) Object.assign(globalThis, { [name]: makeStub() });
  Object.assign(globalThis, { self: globalThis });
  // Packages read this to find out which runtime they are in.
  Object.defineProperty(navigator, "userAgent", { value: "Cloudflare-Workers" });
}
