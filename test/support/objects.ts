/** Looks at what a Durable Object stores. */

/** Tables, keys and alarm. The platform deletes an object that has none of them. */
export async function contentOf(storage: DurableObjectStorage) {
  const { sql, kv } = storage;
  return {
    tables: [...sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")],
    keys: [...kv.list()],
    alarm: await storage.getAlarm(),
  };
}

export const NOTHING = { tables: [], keys: [], alarm: null };
