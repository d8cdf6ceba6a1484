/** Files that a tool may import besides code: `import page from "./page.html"`. */

declare module "*.html" {
  const text: string;
  export default text;
}

declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.txt" {
  const text: string;
  export default text;
}

declare module "*.sql" {
  const text: string;
  export default text;
}

declare module "*.bin" {
  const data: ArrayBuffer;
  export default data;
}

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
