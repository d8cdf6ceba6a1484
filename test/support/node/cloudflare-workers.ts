/**
 * Takes the place of `cloudflare:workers` in tests that run in Node. They import generated catalogues, and what these
 * import of the wiring depends on the owner's wrangler.toml. No test runs it.
 */
export const env = {};
export class DurableObject {}
export class WorkflowEntrypoint {}
export function waitUntil(): void {}
