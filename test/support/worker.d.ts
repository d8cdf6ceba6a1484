/** Tells `cloudflare:workers` which module is the Worker, so that tests can call `exports.default.fetch`. */
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import("../../src/index.ts");
  }
}

declare module "*?raw" {
  const text: string;
  export default text;
}

/** Vite's: files beside a test, as it asks for them. */
interface ImportMeta {
  glob<Module>(patterns: string[], options: { query: string; import: string; eager: true }): Record<string, Module>;
}
