/** What network.ts uses of Node's module, which workerd has too. The types of Node would bring much that it lacks. */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<Store> {
    run<Made>(store: Store, work: () => Made): Made;
    getStore(): Store | undefined;
  }
}
