/**
 * What network.ts uses of Node's module, which workerd also has. The types of Node would declare much that workerd
 * lacks.
 */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<Store> {
    run<Made>(store: Store, work: () => Made): Made;
    getStore(): Store | undefined;
  }
}
