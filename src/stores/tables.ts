/**
 * The SQL tables of a Durable Object. They are created before the first write and removed when they are empty. An
 * object without storage costs nothing and ceases to exist (Durable Objects, Lifecycle). If tables were created with
 * the object, every request to a new object would leave storage behind.
 */
export class Tables {
  readonly #storage: DurableObjectStorage;
  readonly #schema: string;
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

  /** The rows that a statement returns; none if the tables do not exist. */
  rows<Row>(statement: string, ...values: SqlStorageValue[]): Row[] {
    return this.exist ? (this.#storage.sql.exec(statement, ...values).toArray() as Row[]) : [];
  }

  /** Removes the object's whole storage including its alarm, before any other code of the object can run. */
  async remove(): Promise<void> {
    this.exist = false;
    await removeAll(this.#storage);
  }
}

/** Removes storage and alarm. Starts both before it awaits either, so that nothing written after the call is lost. */
export async function removeAll(storage: DurableObjectStorage): Promise<void> {
  await Promise.all([storage.deleteAlarm(), storage.deleteAll()]);
}
