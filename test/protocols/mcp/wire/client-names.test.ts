/** What a client says of itself reaches tools (`ctx.client`) and the log, cut and without what cannot be seen. */
import { describe, expect, it, vi } from "vitest";
import { callTool } from "../../../../src/testing/call.ts";
import { call, EVERYTHING, mcp, request } from "../../../support/mcp.ts";
import { callModern, META } from "../../../support/modern-client.ts";
import { rpc } from "../../../support/opentool.ts";
import { call as callOxp } from "../../../support/oxp.ts";

const HOST = { name: "claude-ai", version: "1.2.0", title: "Claude" };
const who = call("Talk_Who");

async function startedBy(clientInfo: unknown, capabilities: object = {}, protocolVersion = "2025-11-25") {
  const { headers } = await mcp(request("initialize", { protocolVersion, capabilities, clientInfo }));
  return { "mcp-session-id": headers.get("mcp-session-id") ?? "" };
}
const inSession = async (session: Record<string, string>) => (await mcp(who, session)).body.result.structuredContent;
const now = async (clientInfo: unknown, capabilities: object = {}) =>
  (await callModern("Talk_Who", {}, { capabilities, meta: { [`${META}clientInfo`]: clientInfo } })).body.result
    .structuredContent;

describe("ctx.client", () => {
  it("is what the handshake said, in later requests", async () => {
    expect(await inSession(await startedBy(HOST, EVERYTHING))).toEqual({
      ...HOST,
      protocol: "mcp",
      revision: "2025-11-25",
      capabilities: ["form", "page", "sample", "roots"],
    });
  });

  it("is what the request says in 2026-07-28", async () => {
    expect(await now(HOST, { roots: {} })).toEqual({
      ...HOST,
      protocol: "mcp",
      revision: "2026-07-28",
      capabilities: ["roots"],
    });
  });

  it("has no name without a handshake, and over the other protocols", async () => {
    const nobody = { protocol: "mcp", capabilities: [] };
    expect(await inSession({})).toEqual(nobody);
    expect(await inSession({ "mcp-protocol-version": "2025-06-18" })).toEqual({ ...nobody, revision: "2025-06-18" });
    expect((await callOxp("Talk.Who", {})).body).toMatchObject({
      result: { value: { protocol: "oxp", capabilities: [] } },
    });
    const { body } = await rpc("Talk_Who");
    expect(body.result).toEqual({ protocol: "opentool", capabilities: [] });
  });

  it.each<[string, unknown, object]>([
    ["separators of the session's id", { name: "a_b.c", version: "1_0.0" }, { name: "a_b.c", version: "1_0.0" }],
    ["other scripts", { name: "客户端 é", version: "%41" }, { name: "客户端 é", version: "%41" }],
    ["what cannot be seen", { name: " a\r\nb\u202ec\u0000 ", version: "\t" }, { name: "abc" }],
    ["half a character", { name: `${"x".repeat(63)}🎂` }, { name: "x".repeat(63) }],
    ["a length that has no end", { name: "n".repeat(100_000) }, { name: "n".repeat(64) }],
    ["another type", { name: 7, version: null, title: ["x"] }, {}],
    ["nothing", undefined, {}],
    ["no object", "claude", {}],
  ])("%s in a name", async (_, info, names) => {
    for (const [given, revision] of [
      [await inSession(await startedBy(info)), "2025-11-25"],
      [await now(info), "2026-07-28"],
    ]) {
      expect(given).toEqual({ ...names, protocol: "mcp", revision, capabilities: [] });
    }
  });

  it("cannot make the id of a session long: it stays below two kilobytes", async () => {
    const { "mcp-session-id": id } = await startedBy({
      name: "客".repeat(999),
      version: "户".repeat(999),
      title: "端".repeat(999),
    });
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    expect(id.length).toBeLessThan(2_000);
  });

  it("is part of what is signed", async () => {
    const { "mcp-session-id": id } = await startedBy(HOST);
    expect((await mcp(who, { "mcp-session-id": id.replace("claude", "closed") })).status).toBe(404);
  });

  it("is what a test says", async () => {
    const { value } = await callTool("Talk.Who", {}, { client: { name: "vscode" }, canAsk: ["form"] });
    expect(value).toEqual({ name: "vscode", protocol: "mcp", capabilities: ["form"] });
  });
});

it("the line of a call names the client", async () => {
  const said = vi.spyOn(console, "log");
  const session = await startedBy(HOST);
  await mcp(who, session);
  await now({ name: "a\nb" });
  await callOxp("Talk.Who", {});
  const lines = said.mock.calls.flat().join("\n");
  said.mockRestore();
  expect(lines).toMatch(/"client":"claude-ai 1\.2\.0"/);
  expect(lines).toMatch(/"client":"ab"/);
  // OXP has no name for clients.
  expect(lines.split("\n").filter((line) => line.includes('"client":'))).toHaveLength(2);
});
