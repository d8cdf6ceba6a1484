/** What every store of key records keeps to: what its owner writes, the Worker reads. */
import { describe, expect, it } from "vitest";
import type { KeyEditor, KeyRecord, KeyRecords } from "../../src/core/ports/key-records.ts";

/** @param open a store that holds nothing, as both see it */
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

  describe(`${name} keeps to the contract of key records:`, () => {
    it("what was written is read as it is, also if everything is said", async () => {
      const { records, editor } = open();
      const [plain, full] = [id(), id()];
      const said = record({ name: "Zoë's “bot”", toolkits: ["a", "b"], scopes: ["*"], rate: 60, expires: LATER });
      await editor.write(plain, record());
      await editor.write(full, said);
      expect(await records.read(plain)).toEqual(record());
      expect(await records.read(full)).toEqual(said);
    });

    it("an id that no key has is none, whatever it looks like", async () => {
      const { records } = open();
      for (const none of [id(), "", "../x", "__proto__"]) expect(await records.read(none)).toBeUndefined();
    });

    it("all keys are listed, the oldest first, and no hash with them", async () => {
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

    it("one that was removed is gone, and the others are not", async () => {
      const { records, editor } = open();
      const [gone, stays] = [id(), id()];
      await editor.write(gone, record());
      await editor.write(stays, record());
      await editor.remove(gone);
      // Nothing happens a second time.
      await editor.remove(gone);
      expect(await records.read(gone)).toBeUndefined();
      expect((await editor.list()).map((key) => key.id)).toEqual([stays]);
    });
  });
}
