/**
 * The SQL tables of a Durable Object. They are created before its first write and removed when they are empty. An
 * object without storage costs nothing, and ceases to exist (Durable Objects, Lifecycle). A mere request to an object
 * creates it, so otherwise every caller could leave objects behind.
 */
export class Tables {
  readonly #storage: DurableObjectStorage;
  readonly #schema: string;
  /** Whether the tables exist. */
  exist: boolean;

  /**
   * @param schema statements that create all tables
   * @param name   name of one of them
   */
  constructor(storage: DurableObjectStorage, schema: string, name: string) {
    this.#storage = storage;
    this.#schema = schema;
    this.exist = [...storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = ?", name)].length > 0;
  }

  /** Creates the tables if they do not exist. Call it before each write. */
  make(): void {
    if (this.exist) return;
    this.#storage.sql.exec(this.#schema);
    this.exist = true;
  }

  /** The rows that a statement returns: none if there are no tables. */
  rows<Row>(statement: string, ...values: SqlStorageValue[]): Row[] {
    return this.exist ? (this.#storage.sql.exec(statement, ...values).toArray() as Row[]) : [];
  }

  /** Removes the object's whole storage including its alarm, before any other code of the object can run. */
  async remove(): Promise<void> {
    this.exist = false;
    await removeAll(this.#storage);
  }
}

/** Starts both before it awaits either, so that anything written meanwhile comes after them and is not lost. */
export async function removeAll(storage: DurableObjectStorage): Promise<void> {
  await Promise.all([storage.deleteAlarm(), storage.deleteAll()]);
}
