/** The contract of key records: the Worker reads what the owner writes. */
import { describe, expect, it } from "vitest";
import type { KeyEditor, KeyRecord, KeyRecords } from "../../src/core/ports/key-records.ts";

/** Tests a store. `open` returns an empty one, with its reader and its editor. */
export function keyRecordsContract(name: string, open: () => { records: KeyRecords; editor: KeyEditor }): void {
  const id = () => crypto.randomUUID().replaceAll("-", "").slice(0, 16);
  const record = (more: Partial<KeyRecord> = {}): KeyRecord => ({
    name: "my bot",
    hash: "00ff",
    scopes: [],
    created: 1_700_000_000,
    ...more,
  });
  const LATER = Math.floor(Date.now() / 1_000) + 3_600;

  describe(`${name} fulfils the contract of key records:`, () => {
    it("a record is read as it was written, also with all terms", async () => {
      const { records, editor } = open();
      const [plain, full] = [id(), id()];
      const said = record({ name: "Zoë's “bot”", toolkits: ["a", "b"], scopes: ["*"], rate: 60, expires: LATER });
      await editor.write(plain, record());
      await editor.write(full, said);
      expect(await records.read(plain)).toEqual(record());
      expect(await records.read(full)).toEqual(said);
    });

    it("an unknown id has no record, whatever its form", async () => {
      const { records } = open();
      for (const none of [id(), "", "../x", "__proto__"]) expect(await records.read(none)).toBeUndefined();
    });

    it("all keys are listed, the oldest first, without hashes", async () => {
      const { editor } = open();
      const [one, two, three] = [id(), id(), id()];
      expect(await editor.list()).toEqual([]);
      await editor.write(two, record({ created: 2 }));
      await editor.write(three, record({ created: 3, expires: LATER }));
      await editor.write(one, record({ created: 1, toolkits: ["a"] }));
      const { hash: _, ...terms } = record();
      expect(await editor.list()).toEqual([
        { id: one, terms: { ...terms, created: 1, toolkits: ["a"] } },
        { id: two, terms: { ...terms, created: 2 } },
        { id: three, terms: { ...terms, created: 3, expires: LATER } },
      ]);
    });

    it("a removed key is gone, and the others stay", async () => {
      const { records, editor } = open();
      const [gone, stays] = [id(), id()];
      await editor.write(gone, record());
      await editor.write(stays, record());
      await editor.remove(gone);
      // Removing it again does nothing.
      await editor.remove(gone);
      expect(await records.read(gone)).toBeUndefined();
      expect((await editor.list()).map((key) => key.id)).toEqual([stays]);
    });
  });
}
