/** Content besides plain JSON: blocks of every kind, as far as each protocol supports them. */
import { describe, expect, it } from "vitest";
import { call, handshake, mcp } from "../../../support/mcp.ts";
import { callModern } from "../../../support/modern-client.ts";
import { rpc } from "../../../support/opentool.ts";
import { completed } from "../../../support/oxp.ts";

/** server/tools, Tool Result; annotations as in server/resources, Annotations. */
const BLOCKS = [
  {
    type: "text",
    text: "Six blocks",
    annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-07-28T00:00:00Z" },
  },
  { type: "image", data: "aW1hZ2U=", mimeType: "image/png", _meta: { "com.example/page": 1 } },
  { type: "audio", data: "c291bmQ=", mimeType: "audio/wav" },
  {
    type: "resource_link",
    uri: "file:///a.rs",
    name: "a.rs",
    title: "A",
    description: "The first file.",
    mimeType: "text/x-rust",
    size: 12,
  },
  {
    type: "resource",
    resource: { uri: "note://1", mimeType: "text/plain", text: "note", _meta: { "com.example/by": "me" } },
    annotations: { priority: 1 },
  },
  { type: "resource", resource: { uri: "note://2", blob: "AAE=" } },
];

describe("a result with blocks", () => {
  it("returns them next to its value in 2026-07-28", async () => {
    const { result } = (await callModern("Talk_Show")).body;
    expect(result.content).toEqual(BLOCKS);
    expect(result.structuredContent).toEqual({ shown: 6 });
  });

  it.each(["2025-11-25", "2025-06-18", "2025-03-26"])("shows them in %s", async (revision) => {
    const { result } = (await mcp(call("Talk_Show"), await handshake(revision))).body;
    expect(result.content).toEqual(BLOCKS);
    expect(result.structuredContent).toEqual({ shown: 6 });
    expect(result._meta).toEqual({ "com.example/took": 5 });
  });

  it("is its value over OXP and OpenTool, which do not support them", async () => {
    expect(await completed("Talk.Show")).toEqual({ shown: 6 });
    expect((await rpc("Talk_Show")).body.result).toEqual({ shown: 6 });
  });
});
