/**
 * Who finds what was uploaded on a page, where callers have names; a task that asks, and runs again; and what is stored
 * of it all. On a built Worker.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SECRET } from "../../support/node/attacks/tokens.ts";
import { BINDINGS } from "../../support/node/files.ts";
import {
  asking,
  callOxp,
  endOf,
  type Long,
  newName,
  serveLong,
  startTask,
  TASKS,
  tokenOf,
  update,
  WORKFLOW,
} from "../../support/node/long.ts";
import { linkIn } from "../../support/upload-link.ts";

/** Only ends a test that hangs. */
const PATIENCE = { timeout: 60_000 };
const PAGES = { elicitation: { url: {} } };

let server: Long;
beforeAll(async () => {
  const vars = { LONG_WAIT_SECONDS: "30", TASK_LEASE_SECONDS: "2", JWT_SECRET: SECRET };
  const more = `${WORKFLOW}${BINDINGS}`;
  server = await serveLong({ tools: "test/fixtures/uploads", closed: true, vars, more });
});
afterAll(() => server?.stop());

/** Does what the page does. */
async function upload(url: string, name = "q3.csv"): Promise<void> {
  const headers = { "content-type": "text/csv", "x-file-name": name };
  expect((await fetch(url, { method: "PUT", headers, body: "a,b" })).status).toBe(201);
}

describe("a caller with a name, over OXP without a call_id", () => {
  const call = async (who: string, input: object, context: object = {}, tool = "Kit.Now") =>
    (await callOxp(server.url, tool, input, { context }, tokenOf(who))).body;

  it.each(["Kit.Now", "Kit.Later"])("finds its file when it calls %s again with the same input", async (tool) => {
    const [who, input] = [newName(), { name: "one" }];
    const url = linkIn((await call(who, input, {}, tool)).message);
    expect(linkIn((await call(who, input, {}, tool)).message)).toBe(url);
    const others = [
      await call(newName(), input, {}, tool),
      await call(who, { name: "other" }, {}, tool),
      await call(who, input, {}, tool === "Kit.Now" ? "Kit.Later" : "Kit.Now"),
    ].map(({ message }) => linkIn(message));
    expect(new Set([url, ...others]).size).toBe(4);
    await upload(url);
    expect((await call(newName(), input, {}, tool)).message).toContain("Upload it at");
    expect((await call(who, input, {}, tool)).result.value).toMatchObject({ name: "q3.csv", size: 3 });
    // That call has its result: the next one asks for another file.
    await expect.poll(async () => linkIn((await call(who, input, {}, tool)).message), PATIENCE).toMatch(/^http/);
    expect(linkIn((await call(who, input, {}, tool)).message)).not.toBe(url);
  });

  it("is told apart by the user on whose behalf it calls", async () => {
    const who = newName();
    const [one, other] = [await call(who, {}, { user_id: "one" }), await call(who, {}, { user_id: "other" })];
    expect(linkIn(one.message)).not.toBe(linkIn(other.message));
    await upload(linkIn(one.message));
    expect((await call(who, {}, { user_id: "other" })).message).toContain("Upload it at");
    expect((await call(who, {}, { user_id: "one" })).result.value).toMatchObject({ name: "q3.csv" });
  });

  it("is told apart by the credentials that it has from its user", async () => {
    const who = newName();
    const as = (value: string) => call(who, {}, { secrets: [{ id: "ACCOUNT", value }] }, "Kit.Mine");
    const [one, other] = [linkIn((await as("one")).message), linkIn((await as("other")).message)];
    expect([one, other]).toEqual([expect.stringMatching(/^http/), expect.stringMatching(/^http/)]);
    expect(one).not.toBe(other);
    await upload(one);
    expect((await as("other")).message).toContain("Upload it at");
    expect((await as("one")).result.value).toMatchObject({ name: "q3.csv" });
  });
});

it.each([
  ["POST", "/api/v1/files/presign-upload"],
  ["GET", "/api/v1/files/x"],
  ["PUT", "/api/v1/files/x/upload"],
  ["DELETE", "/api/v1/files/x"],
])("a stranger cannot tell from %s %s which toolkits exist", async (method, path) => {
  const answers = ["kit", "nothing"].map(async (toolkit) => {
    const response = await fetch(`${server.url}/${toolkit}${path}`, { method });
    return [response.status, await response.text(), Object.fromEntries(response.headers)];
  });
  const [one, other] = await Promise.all(answers);
  expect(one).toEqual(other);
  expect(one).toMatchObject([401, expect.stringMatching(/^\{"message":/), { "cache-control": "private, no-store" }]);
});

describe("a task", () => {
  const way = (who: string) => ({ capabilities: { ...TASKS, ...PAGES }, headers: tokenOf(who) });

  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  const questionOf = ({ inputRequests }: any) => {
    const [[name, { params }] = ["", { params: { url: "" } }]] = Object.entries<{ params: { url: string } }>(
      inputRequests,
    );
    return { name, url: params.url };
  };

  it("that runs again after a deployment asks for the file on the same page, and finds it", async () => {
    const who = way(newName());
    const id = await startTask(server.url, "Kit_Later", {}, who);
    const { name, url } = questionOf(await asking(server.url, id, who));
    await server.restart();
    await upload(url);
    await update(server.url, id, { [name]: { action: "accept" } }, who);
    const { status, result } = await endOf(server.url, id, who);
    expect([status, result.structuredContent]).toMatchObject(["completed", { name: "q3.csv", size: 3 }]);
  });

  it("tells its tool that the user declines, and closes the page", async () => {
    const who = way(newName());
    const id = await startTask(server.url, "Kit_Later", {}, who);
    const { name, url } = questionOf(await asking(server.url, id, who));
    await update(server.url, id, { [name]: { action: "decline" } }, who);
    expect((await endOf(server.url, id, who)).result.structuredContent).toEqual({ action: "decline" });
    await expect.poll(async () => (await fetch(url)).status, PATIENCE).toBe(410);
  });
});

it("nothing that the tool says, the caller sends or the file is called is readable in storage", async () => {
  const [who, secret] = [newName(), `secret-${newName()}`];
  const ask = async () => (await callOxp(server.url, "Kit.Now", { name: secret }, {}, tokenOf(who))).body;
  const url = linkIn((await ask()).message);
  const [ticket = ""] = (new URL(url).searchParams.get("page") ?? "").split(".");
  const { owner } = JSON.parse(Buffer.from(ticket, "base64url").toString());
  const rows = async () => JSON.stringify(await server.rows("FileRecords", owner, "SELECT * FROM files"));
  const asked = await rows();
  await upload(url, `${secret}.csv`);
  const stored = await rows();
  for (const text of [asked, stored]) {
    expect(text.length).toBeGreaterThan(100);
    for (const word of [secret, "summarize", "Kit.Now", "csv", who]) expect(text).not.toContain(word);
  }
});
