/** The generated catalog: finding tools for a call, and reading them for a listing. */
import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../src/core/catalog/catalog.ts";
import { type Row, readGeneratedCatalog } from "../../../src/core/catalog/generated-catalog.ts";
import type { ToolDefinition } from "../../../src/core/model/definition.ts";

const definition = (description: string): ToolDefinition => ({ version: "1.0.0", description, run: () => null });

function line(id: string, row: Row, own = ""): string {
  return `\v${id}\t${JSON.stringify(row)}\t"${id}"\t{}\tnull\t${own}`;
}

const written: Parameters<typeof readGeneratedCatalog>[0] = {
  revision: "r",
  toolkits: ["kit", "post"],
  scopes: ["s"],
  names: [["sum", "Kit.Add"]],
  modules: [
    async () => ({ default: [definition("old"), definition("new")] }),
    async () => ({ default: definition("send") }),
  ],
  texts: ["description", "input", "output", "own"],
  table: [
    line("Kit.Add", ["1.0.0", "kit", "none", {}, 0, 0, "sum"]),
    line("Kit.Add", ["2.0.0", "kit", "none", { scopes: ["s"] }, 0, 1, "sum"], '{"more":1}'),
    line("Kit.AddOn", ["1.0.0", "kit", "none", {}, 1, 0]),
    line("Post.Send", ["1.0.0", "post", "none", {}, 1, 0]),
  ].join(""),
  prompts: [],
  resources: [],
};
const source = () => readGeneratedCatalog(written);

const everything = { id: "a", scopes: "all", reach: "all" } as const;

describe("a written catalogue", () => {
  it("finds a tool by its id and version, the same entry each time", () => {
    const catalog = createCatalog(source());
    const found = catalog.find({ id: "Kit.Add" });
    expect(found).toMatchObject({ entry: { id: "Kit.Add", name: "sum", version: "2.0.0", toolkit: "kit" } });
    expect(catalog.find({ id: "Kit.Add", version: "1" })).toMatchObject({ entry: { version: "1.0.0" } });
    const again = catalog.find({ name: "sum" });
    expect("entry" in found && "entry" in again && found.entry === again.entry).toBe(true);
  });

  it("finds a tool by its exact name only", () => {
    const catalog = createCatalog(source());
    expect(catalog.find({ name: "sum" })).toMatchObject({ entry: { id: "Kit.Add" } });
    expect(catalog.find({ name: "Post_Send" })).toMatchObject({ entry: { id: "Post.Send" } });
    expect(catalog.find({ name: "Kit_Add" })).toMatchObject({ refusal: { reason: "unknown_tool" } });
  });

  it.each([
    "",
    "Kit.Ad",
    "it.Add",
    "Kit",
    "constructor",
    "Kit.Add\t",
    "\vKit.Add",
    '"Kit.Add"',
    line("Kit.Add", ["1.0.0", "kit", "none", {}, 0, 0, "sum"]).slice(1),
  ])("finds nothing by %j", (text) => {
    const catalog = createCatalog(source());
    expect(catalog.find({ id: text })).toMatchObject({ refusal: { reason: "unknown_tool" } });
    expect(catalog.find({ name: text })).toMatchObject({ refusal: { reason: "unknown_tool" } });
  });

  it("evaluates an entry's own definition, in a module of one or of several", async () => {
    const catalog = createCatalog(source());
    const loaded = catalog.all(undefined).map(async (entry) => (await catalog.definition(entry)).description);
    expect(await Promise.all(loaded)).toEqual(["old", "new", "send", "send"]);
  });

  it("lists every version with its texts, and the latest version of each tool", () => {
    const catalog = createCatalog(source());
    expect(catalog.all(undefined).map(({ id, version }) => `${id}@${version}`)).toEqual([
      "Kit.Add@1.0.0",
      "Kit.Add@2.0.0",
      "Kit.AddOn@1.0.0",
      "Post.Send@1.0.0",
    ]);
    expect(catalog.latest("kit").map(({ id, version, json }) => [id, version, json])).toEqual([
      ["Kit.Add", "2.0.0", { description: '"Kit.Add"', input: "{}", output: "null", own: '{"more":1}' }],
      ["Kit.AddOn", "1.0.0", { description: '"Kit.AddOn"', input: "{}", output: "null", own: undefined }],
    ]);
  });

  it("shows a principal only its own tools", () => {
    const catalog = createCatalog(source());
    const bound = catalog.visibleTo({ ...everything, toolkits: ["kit"], reach: [] });
    expect([...bound.toolkits]).toEqual(["kit"]);
    expect(bound.find({ id: "Kit.Add" })).toMatchObject({ entry: { version: "1.0.0" } });
    expect(bound.find({ name: "Post_Send" })).toMatchObject({ refusal: { reason: "unknown_tool" } });
    expect(catalog.visibleTo(everything)).toBe(catalog);
  });

  it("drops the oldest views of principals who see a part if their listings have more than 16 MB together", () => {
    const catalog = createCatalog(source());
    const seenBy = (at: number) => catalog.visibleTo({ ...everything, toolkits: ["kit", `other${at}`] });
    const list = (at: number) => seenBy(at).listing("tools", undefined, () => ["x".repeat(4_000_000), `of ${at}`]);
    const kept = (at: number) => seenBy(at).listing("tools", undefined, () => ["", "made again"])[1];
    for (let at = 0; at < 3; at++) list(at);
    for (let at = 0; at < 3; at++) expect(kept(at)).toBe(`of ${at}`);
    list(3);
    expect([3, 2, 1, 0].map(kept)).toEqual(["of 3", "of 2", "of 1", "made again"]);
    // What all see is kept, however large.
    catalog.listing("tools", undefined, () => "x".repeat(20_000_000));
    expect(kept(3)).toBe("of 3");
  });
});
