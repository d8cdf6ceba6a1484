/**
 * The tables of an object. They come with its first write and go when nothing is in them any more: an object that stores
 * nothing costs nothing, and the platform forgets it (Durable Objects, Lifecycle). To ask for an object makes it, so that
 * anyone who may ask could otherwise leave objects for ever.
 */
export class Tables {
  readonly #storage: DurableObjectStorage;
  readonly #schema: string;
  /** Whether they are there. */
  exist: boolean;

  /**
   * @param schema makes all of them
   * @param name   of one of them
   */
  constructor(storage: DurableObjectStorage, schema: string, name: string) {
    this.#storage = storage;
    this.#schema = schema;
    this.exist = [...storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = ?", name)].length > 0;
  }

  /** To be called before each write. */
  make(): void {
    if (this.exist) return;
    this.#storage.sql.exec(this.#schema);
    this.exist = true;
  }

  /** Leaves nothing of the object's storage, its alarm included. All of it goes at once, before anything else can run. */
  async remove(): Promise<void> {
    this.exist = false;
    await removeAll(this.#storage);
  }
}

/** Both begin before either is waited for: what is written meanwhile is written behind them, and stays. */
export async function removeAll(storage: DurableObjectStorage): Promise<void> {
  await Promise.all([storage.deleteAlarm(), storage.deleteAll()]);
}
