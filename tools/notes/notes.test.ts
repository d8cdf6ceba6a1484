import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { callTool, getPrompt, readResource } from "#test";

/** Starts a session. Returns how to add, remove and list its notes. */
async function notebook() {
  const { session } = await callTool("Notes.List");
  return {
    session,
    add: (text: string) => callTool("Notes.Add", { text }, { session }),
    remove: (id: number) => callTool("Notes.Remove", { id }, { session }),
    list: async () => (await callTool("Notes.List", {}, { session })).value.notes,
  };
}

it("remembers notes between the calls of a session, oldest first", async () => {
  const { session, add, list } = await notebook();
  expect(await list()).toEqual([]);
  expect((await add("milk")).value).toEqual({ id: 1, count: 1 });
  expect((await add("Brot & Käse")).value).toEqual({ id: 2, count: 2 });
  expect(await list()).toEqual([
    { id: 1, text: "milk" },
    { id: 2, text: "Brot & Käse" },
  ]);
  const { value } = await readResource("notes://all", { session });
  expect(value).toEqual([{ uri: "notes://all", mimeType: "text/plain", text: "1. milk\n2. Brot & Käse" }]);
});

it("forgets a note, and does not reuse its number", async () => {
  const { add, remove, list } = await notebook();
  for (const text of ["a", "b", "c"]) await add(text);
  expect((await remove(3)).value).toEqual({ count: 2 });
  expect((await add("d")).value).toEqual({ id: 4, count: 3 });
  expect((await list()).map(({ id }) => id)).toEqual([1, 2, 4]);
});

it("tells of each change", async () => {
  const { add, remove, list } = await notebook();
  expect((await add("a")).events).toEqual([{ name: "notes.changed", data: { change: "added", id: 1, count: 1 } }]);
  expect((await remove(1)).events.map(({ data }) => data)).toEqual([{ change: "removed", id: 1, count: 0 }]);
  expect((await remove(1)).events).toEqual([]);
  expect(await list()).toEqual([]);
});

it("keeps the notes of sessions apart", async () => {
  const [mine, yours] = [await notebook(), await notebook()];
  await mine.add("secret");
  expect(await yours.list()).toEqual([]);
});

it("lists the existing notes if one is not found", async () => {
  const { add, remove } = await notebook();
  expect((await remove(1)).error).toMatchObject({
    message: "There is no note 1",
    additionalPromptContent: "ids: none",
  });
  for (const text of ["a", "b"]) await add(text);
  expect((await remove(9)).error?.additionalPromptContent).toBe("ids: 1,2");
});

it("accepts at most 2,000 characters per note", async () => {
  const { add, list } = await notebook();
  expect((await add("x".repeat(2_000))).error).toBeUndefined();
  for (const text of ["", "x".repeat(2_001)]) {
    expect((await add(text)).error?.message).toContain("1 to 2000 characters");
  }
  expect(await list()).toHaveLength(1);
});

it("accepts at most 100 notes per session, until one is removed", async () => {
  const { add, remove, list } = await notebook();
  for (let i = 1; i <= 100; i++) expect((await add(`note ${i}`)).value.count).toBe(i);
  expect((await add("one more")).error?.message).toContain("100 notes");
  expect(await list()).toHaveLength(100);
  await remove(1);
  expect((await add("one more")).value).toEqual({ id: 101, count: 100 });
});

it.each([
  ["Notes.Add", { text: "a" }],
  ["Notes.List", {}],
  ["Notes.Remove", { id: 1 }],
] as const)("%s without a session says that it needs one, and how to have one", async (id, input) => {
  const { error } = await callTool(id, input as never, { session: null });
  expect(error?.message).toContain("Notes need a session");
  expect(error?.message).toContain("handshake");
});

it("MCP clients get a session from their handshake", async () => {
  const post = (method: string, params: unknown, headers: Record<string, string> = {}) =>
    exports.default.fetch("http://localhost/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  const protocolVersion = "2025-11-25";
  const clientInfo = { name: "test", version: "1.0.0" };
  const initialized = await post("initialize", { protocolVersion, capabilities: {}, clientInfo });
  await initialized.text();
  const id = initialized.headers.get("mcp-session-id") ?? "";
  const headers = { "mcp-session-id": id, "mcp-protocol-version": protocolVersion };
  for (const count of [1, 2]) {
    const response = await post("tools/call", { name: "Notes_Add", arguments: { text: "milk" } }, headers);
    expect(await response.json()).toMatchObject({ result: { structuredContent: { id: count, count } } });
  }
});

it("has a prompt that names the tool to read them with", async () => {
  const { value } = await getPrompt("Notes_Summarize", { form: "a list" });
  expect(JSON.stringify(value)).toContain("Read the notes with the tool Notes_List, and summarize them in a list.");
});
