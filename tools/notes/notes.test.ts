import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";

const URL_OF_MCP = "http://localhost/mcp";
const REVISION = "2025-11-25";

async function rpc(method: string, params: unknown, headers: Record<string, string> = {}) {
  return exports.default.fetch(URL_OF_MCP, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

/** MCP 2025-11-25, "Session Management": the response to initialize has the id, and all later requests send it. */
async function startSession(): Promise<Record<string, string>> {
  const response = await rpc("initialize", {
    protocolVersion: REVISION,
    capabilities: {},
    clientInfo: { name: "test", version: "1.0.0" },
  });
  expect(response.status).toBe(200);
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": REVISION };
}

interface Called {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
  readonly content: readonly { readonly text: string }[];
}

async function call(session: Record<string, string>, name: string, args: unknown = {}): Promise<Called> {
  const response = await rpc("tools/call", { name, arguments: args }, session);
  expect(response.status).toBe(200);
  return ((await response.json()) as { result: Called }).result;
}

const textOf = ({ content }: Called) => content.map(({ text }) => text).join("");
const listOf = async (session: Record<string, string>) =>
  (await call(session, "Notes_List")).structuredContent?.notes as { id: number; text: string }[];

it("remembers notes between the calls of a session, oldest first", async () => {
  const session = await startSession();
  expect(await listOf(session)).toEqual([]);
  const first = await call(session, "Notes_Add", { text: "milk" });
  expect(first.structuredContent).toEqual({ id: 1, count: 1 });
  const second = await call(session, "Notes_Add", { text: "Brot & Käse" });
  expect(second.structuredContent).toEqual({ id: 2, count: 2 });
  expect(await listOf(session)).toEqual([
    { id: 1, text: "milk" },
    { id: 2, text: "Brot & Käse" },
  ]);
});

it("forgets a note, and does not reuse its number", async () => {
  const session = await startSession();
  for (const text of ["a", "b", "c"]) await call(session, "Notes_Add", { text });
  expect((await call(session, "Notes_Remove", { id: 3 })).structuredContent).toEqual({ count: 2 });
  expect((await call(session, "Notes_Add", { text: "d" })).structuredContent).toEqual({ id: 4, count: 3 });
  expect((await listOf(session)).map(({ id }) => id)).toEqual([1, 2, 4]);
});

it("keeps the notes of sessions apart", async () => {
  const [mine, yours] = [await startSession(), await startSession()];
  await call(mine, "Notes_Add", { text: "secret" });
  expect(await listOf(yours)).toEqual([]);
});

it("lists the existing notes if one is not found", async () => {
  const session = await startSession();
  const none = await call(session, "Notes_Remove", { id: 1 });
  expect(none.isError).toBe(true);
  expect(textOf(none)).toBe("There is no note 1 (ids: none)");
  for (const text of ["a", "b"]) await call(session, "Notes_Add", { text });
  expect(textOf(await call(session, "Notes_Remove", { id: 9 }))).toBe("There is no note 9 (ids: 1,2)");
});

it("accepts at most 2,000 characters per note", async () => {
  const session = await startSession();
  expect((await call(session, "Notes_Add", { text: "x".repeat(2_000) })).isError).not.toBe(true);
  for (const text of ["", "x".repeat(2_001)]) {
    const refused = await call(session, "Notes_Add", { text });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain("1 to 2000 characters");
  }
  expect(await listOf(session)).toHaveLength(1);
});

it("accepts at most 100 notes per session, until one is removed", async () => {
  const session = await startSession();
  for (let i = 1; i <= 100; i++) {
    expect((await call(session, "Notes_Add", { text: `note ${i}` })).structuredContent?.count).toBe(i);
  }
  const full = await call(session, "Notes_Add", { text: "one more" });
  expect(full.isError).toBe(true);
  expect(textOf(full)).toContain("100 notes");
  expect(await listOf(session)).toHaveLength(100);
  await call(session, "Notes_Remove", { id: 1 });
  expect((await call(session, "Notes_Add", { text: "one more" })).structuredContent).toEqual({ id: 101, count: 100 });
});

it.each([
  ["Notes.Add", { text: "a" }],
  ["Notes.List", {}],
  ["Notes.Remove", { id: 1 }],
])("%s without a session says that it needs one, and how to have one", async (tool_id, input) => {
  const response = await exports.default.fetch("http://localhost/tools/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ request: { tool_id, input } }),
  });
  expect(response.status).toBe(200);
  const { result } = (await response.json()) as { result: { success: boolean; error: Record<string, string> } };
  expect(result.success).toBe(false);
  expect(result.error.message).toContain("Notes need a session");
  expect(result.error.message).toContain("handshake");
});
