/** Tells TypeScript which module the Worker is, so that tests can call `exports.default.fetch`. */
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import("../../src/index.ts");
  }
}

declare module "*?raw" {
  const text: string;
  export default text;
}

/** Vite's `import.meta.glob`, with the options that tests use. */
interface ImportMeta {
  glob<Module>(patterns: string[], options: { query: string; import: string; eager: true }): Record<string, Module>;
}
