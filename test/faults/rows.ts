/** Counts the rows that the rig's objects write, and the alarms that they set: both are paid for. */

/** How many rows a statement writes is known when it has run. */
const cursors: SqlStorageCursor<never>[] = [];
let alarms = 0;
let isWatched = false;

/** The tables themselves, what the rig and the local runtime keep there. */
const OTHERS = /^\s*CREATE |effects|births|__miniflare/;

type Method = (this: unknown, ...given: never[]) => unknown;

/** @param storage of any object: all have the same methods */
export function watchRows(storage: DurableObjectStorage): void {
  if (isWatched) return;
  isWatched = true;
  const watch = (of: object, name: string, seen: (result: unknown, given: unknown) => void) => {
    const proto = Object.getPrototypeOf(of);
    const method: Method = proto[name];
    proto[name] = function (this: unknown, ...given: never[]) {
      const result = method.apply(this, given);
      seen(result, given[0]);
      return result;
    };
  };
  watch(storage, "setAlarm", () => alarms++);
  watch(storage.sql, "exec", (cursor, statement) => {
    if (!OTHERS.test(String(statement))) cursors.push(cursor as SqlStorageCursor<never>);
  });
}

/** The counts since the last call. Zeros are left out. */
export function rowsWritten(): Record<string, number> {
  const rows = cursors.splice(0).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
  const set = alarms;
  alarms = 0;
  return { ...(rows > 0 && { rows }), ...(set > 0 && { alarms: set }) };
}
