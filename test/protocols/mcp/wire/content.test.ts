/** Content besides plain JSON: blocks of every kind, as far as each protocol supports them. */
import { describe, expect, it, vi } from "vitest";
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
    expect(result.content).toEqual([{ type: "text", text: '{"shown":6}' }, ...BLOCKS]);
    expect(result.structuredContent).toEqual({ shown: 6 });
  });

  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])("shows them in %s", async (revision) => {
    const { result } = (await mcp(call("Talk_Show"), await handshake(revision))).body;
    expect(result.content).toEqual([{ type: "text", text: '{"shown":6}' }, ...BLOCKS]);
    expect(result.structuredContent).toEqual({ shown: 6 });
    expect(result._meta).toEqual({ "com.example/took": 5 });
  });

  it("is its value over OXP and OpenTool, which do not support them", async () => {
    expect(await completed("Talk.Show")).toEqual({ shown: 6 });
    expect((await rpc("Talk_Show")).body.result).toEqual({ shown: 6 });
  });
});

describe("the value of a result with blocks", () => {
  const REVISIONS = ["bare", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
  const PICTURE = { type: "image", data: "aW1hZ2U=", mimeType: "image/png" };
  const said = (text: string) => ({ type: "text", text });

  async function resultIn(revision: string, name: string, args: object) {
    const params = call(name, args);
    if (revision === "2026-07-28") return (await callModern(name, args)).body.result;
    return (await mcp(params, revision === "bare" ? {} : await handshake(revision))).body.result;
  }
  const shown = (revision: string, args: object) =>
    resultIn(revision, "Outputs_Rich", { picture: "image/png", ...args });

  // Server/tools, Structured Content: "a tool that returns structured content SHOULD also return the serialized JSON in a
  // TextContent block".
  it.each(REVISIONS)("%s: is a text in front of them", async (revision) => {
    for (const value of [{ bars: 3 }, [1, 2], 7, false, null]) {
      expect((await shown(revision, { value })).content).toEqual([said(JSON.stringify(value)), PICTURE]);
    }
    expect((await shown(revision, { value: "a text" })).content).toEqual([said("a text"), PICTURE]);
    const other = await shown(revision, { value: { bars: 3 }, text: "Three bars" });
    expect(other.content).toEqual([said('{"bars":3}'), said("Three bars"), PICTURE]);
    expect(other.structuredContent).toEqual({ bars: 3 });
  });

  it.each(REVISIONS)(
    "%s: is not repeated if a block says the same, and adds nothing if there is none",
    async (revision) => {
      expect((await shown(revision, { value: "same", text: "same" })).content).toEqual([said("same"), PICTURE]);
      expect((await shown(revision, {})).content).toEqual([PICTURE]);
      expect((await resultIn(revision, "Outputs_Rich", {})).content).toEqual([said("Done.")]);
    },
  );

  it.each(REVISIONS)("%s: may be left out of the content, or of the structured content", async (revision) => {
    const value = { bars: 3 };
    const text = await shown(revision, { value, omit: "text" });
    expect([text.content, text.structuredContent]).toEqual([[PICTURE], value]);
    const structured = await shown(revision, { value, omit: "structured" });
    expect(structured.content).toEqual([said('{"bars":3}'), PICTURE]);
    expect(structured).not.toHaveProperty("structuredContent");
  });

  it("is left out of neither over OXP and OpenTool, which have one place for it", async () => {
    for (const omit of ["text", "structured"]) {
      expect(await completed("Outputs.Rich", { value: { bars: 3 }, omit })).toEqual({ bars: 3 });
      expect((await rpc("Outputs_Rich", { value: { bars: 3 }, omit })).body.result).toEqual({ bars: 3 });
    }
  });

  // Server/tools, Output Schema: "Servers MUST provide structured results that conform to this schema".
  it.each(REVISIONS)("%s: is not left out of the structured content if a schema is listed", async (revision) => {
    const { isError, content } = await resultIn(revision, "Outputs_Unstructured", {});
    expect([isError, content[0].text]).toEqual([true, "The tool's result does not match its declared output."]);
  });

  it.each(REVISIONS)("%s: is left out if it is an empty text: the APIs of models refuse one", async (revision) => {
    expect((await resultIn(revision, "Echo_Any", { value: "" })).content).toEqual([]);
    expect((await shown(revision, { value: "" })).content).toEqual([PICTURE]);
    expect((await resultIn(revision, "Echo_Any", { value: " " })).content).toEqual([said(" ")]);
  });

  it.each([
    ["image/svg+xml", 1],
    ["IMAGE/SVG+XML; charset=utf-8", 1],
    ["image/png", 0],
  ])("a picture of the type %s: %i lines in the log that warn of it", async (picture, lines) => {
    const spies = [vi.spyOn(console, "log"), vi.spyOn(console, "warn")];
    await callModern("Outputs_Rich", { picture });
    const all = spies.flatMap(({ mock }) => mock.calls).map(([line]) => String(line));
    const logged = all.filter((line) => line.includes("SVG")).map((line) => JSON.parse(line));
    vi.restoreAllMocks();
    const expected = { level: "warning", message: expect.stringMatching(/SVG.*PNG/), tool: "Outputs.Rich@1.0.0" };
    expect(logged).toEqual(Array(lines).fill(expect.objectContaining(expected)));
  });
});
