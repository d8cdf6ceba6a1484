/** Prompts: list, get, errors, completion (server/prompts; server/utilities/completion). */
import { describe, expect, it, vi } from "vitest";
import { handshake, mcp, request } from "../../support/mcp.ts";
import { modern } from "../../support/modern-client.ts";

type Named = { name: string };

const get = async (name: string, args?: unknown) =>
  (await modern("prompts/get", { name, ...(args !== undefined && { arguments: args }) })).body;

describe("prompts/list", () => {
  it("has what a client needs for each prompt (server/prompts, Prompt)", async () => {
    const { prompts } = (await modern("prompts/list")).body.result;
    expect(prompts.find(({ name }: Named) => name === "Talk_Greet")).toEqual({
      name: "Talk_Greet",
      title: "Greet somebody",
      description: "Greets somebody in a language.",
      icons: [{ src: "https://example.com/greet.svg" }],
      arguments: [
        { name: "name", description: "Whom to greet.", required: true, title: "Name" },
        { name: "language", description: "In which language." },
      ],
    });
    const names = prompts.map(({ name }: Named) => name);
    expect(names).toEqual([...names].sort());
  });

  it("has one toolkit's prompts on a toolkit's path", async () => {
    const of = async (path: string) => (await modern("prompts/list", {}, { path })).body.result.prompts.length;
    expect(await of("/talk/mcp")).toBe(await of("/mcp"));
    expect(await of("/math/mcp")).toBe(0);
  });

  it("is the same before 2026-07-28, without what that revision added", async () => {
    const since = (await modern("prompts/list")).body.result;
    const before = (await mcp(request("prompts/list"), await handshake())).body.result;
    expect(before).toEqual({ prompts: since.prompts });
  });
});

describe("prompts/get (server/prompts, Getting a Prompt)", () => {
  it("fills in its arguments, as messages of both roles", async () => {
    const { result } = await get("Talk_Greet", { name: "Ann", language: "Danish" });
    expect(result.description).toBe("Greets somebody in a language.");
    expect(result.messages).toEqual([
      { role: "user", content: { type: "text", text: "Greet Ann in Danish." } },
      {
        role: "assistant",
        content: {
          type: "resource_link",
          uri: "talk://news",
          name: "news",
          annotations: { audience: ["assistant"] },
        },
      },
    ]);
    expect((await get("Talk_Greet", { name: "Bo" })).result.messages[0].content.text).toContain("any language");
  });

  it("of a single block is a message of the user", async () => {
    const { result } = await get("Talk_Ends", { how: "well" });
    expect(result.messages).toEqual([
      { role: "user", content: { type: "image", data: "aW1hZ2U=", mimeType: "image/png" } },
    ]);
  });

  it("with an SVG as a picture is warned of in the log: hosts refuse it", async () => {
    const spies = [vi.spyOn(console, "log"), vi.spyOn(console, "warn")];
    await get("Talk_Ends", { how: "in lines" });
    const lines = spies.flatMap(({ mock }) => mock.calls).map(([line]) => String(line));
    vi.restoreAllMocks();
    const warnings = lines.filter((line) => line.includes("SVG")).map((line) => JSON.parse(line));
    expect(warnings).toEqual([expect.objectContaining({ level: "warning", prompt: "Talk_Ends" })]);
  });

  it.each([
    ["an unknown prompt", "No_Such", {}],
    ["a prompt without what it requires", "Talk_Greet", { language: "Danish" }],
    ["a prompt without arguments at all", "Talk_Greet", undefined],
    ["a required argument that every object has", "Talk_Greet", JSON.parse('{"__proto__":{"name":"x"}}')],
    ["an argument that is not a string", "Talk_Greet", { name: 7 }],
    ["arguments that are no object", "Talk_Greet", ["Ann"]],
    ["arguments of null", "Talk_Greet", null],
  ])("%s is -32602 (Error Handling)", async (_, name, args) => {
    expect((await get(name, args)).error.code).toBe(-32602);
  });

  it("names missing arguments", async () => {
    expect((await get("Talk_Greet", {})).error.message).toContain("name");
  });

  it("of another toolkit is unknown on a toolkit's path", async () => {
    const { body } = await modern(
      "prompts/get",
      { name: "Talk_Greet", arguments: { name: "A" } },
      { path: "/math/mcp" },
    );
    expect(body.error.code).toBe(-32602);
  });

  it.each([
    ["fault", "No such topic (topics: a, b)"],
    ["throw", "internal error"],
    ["forever", "2000 ms"],
    ["not json", "JSON"],
  ])("that ends with %s is -32603 with a safe message (Error Handling)", async (how, text) => {
    const { error } = await get("Talk_Ends", { how });
    expect(error.code).toBe(-32603);
    expect(error.message).toContain(text);
    expect(JSON.stringify(error)).not.toContain("hidden");
  });

  it("that cannot be loaded is -32603 under its id", async () => {
    const { status, body } = await modern("prompts/get", { name: "Talk_Unloadable" }, { id: "u" });
    expect([status, body.id, body.error?.code]).toEqual([200, "u", -32603]);
    expect(JSON.stringify(body)).not.toContain("hidden");
  });

  it("is served before 2026-07-28 as well, and without a handshake", async () => {
    const message = request("prompts/get", { name: "Talk_Greet", arguments: { name: "Ann" } });
    for (const headers of [await handshake(), {}]) {
      const { result } = (await mcp(message, headers)).body;
      expect(result.messages).toHaveLength(2);
      expect(result).not.toHaveProperty("resultType");
    }
  });
});

describe("completion/complete (server/utilities/completion)", () => {
  const GREET = { type: "ref/prompt", name: "Talk_Greet" };
  const PET = { type: "ref/resource", uri: "talk://people/{person}/pets/{pet}.json" };
  const complete = async (ref: unknown, name: unknown, value: unknown, context?: unknown) =>
    (await modern("completion/complete", { ref, argument: { name, value }, ...(context !== undefined && { context }) }))
      .body;

  it.each([
    ["", 100, 250, true],
    ["language 24", 11, 11, false],
    ["language 1", 100, 111, true],
    ["klingon", 0, 0, false],
  ])(
    "of %j has 100 values at most, and says how many there are (Completion Results)",
    async (value, shown, total, hasMore) => {
      const { completion } = (await complete(GREET, "language", value)).result;
      expect(completion).toEqual({ values: expect.any(Array), total, hasMore });
      expect(completion.values).toHaveLength(shown);
      for (const found of completion.values) expect(found.startsWith(value)).toBe(true);
    },
  );

  it("knows the other arguments (context)", async () => {
    const { completion } = (await complete(GREET, "language", "name", { arguments: { name: "Ann" } })).result;
    expect(completion.values).toEqual(["Ann"]);
    expect((await complete(GREET, "language", "name")).result.completion.values).toEqual(["nobody"]);
  });

  it("of a template's variable", async () => {
    const { completion } = (await complete(PET, "pet", "p", { arguments: { person: "Ann" } })).result;
    expect(completion.values).toEqual(["pony of Ann"]);
  });

  it.each<[string, string, Record<string, string>]>([
    ["a path up", "p", { person: "../../etc" }],
    ["the folder above", "p", { person: ".." }],
    ["this folder", "p", { person: "." }],
    ["a path of another system", "p", { person: "..\\etc" }],
    ["a control character", "p", { person: "Ann\u0000" }],
    ["a path that is being typed", "../../etc", { person: "Ann" }],
    ["a backslash that is being typed", "a\\b", {}],
    ["a control character that is being typed", "a\n", {}],
  ])(
    "hands a template's author no text that a read could not have, and suggests nothing: %s",
    async (_, value, args) => {
      const { result } = await complete(PET, "pet", value, { arguments: args });
      expect(result.completion).toEqual({ values: [], total: 0, hasMore: false });
    },
  );

  it("passes a template's author only its own variables, and none that is empty", async () => {
    const args = { person: "", other: "../../etc", "person}/pets/{pet": "/" };
    const { completion } = (await complete(PET, "pet", "..p", { arguments: args })).result;
    expect(completion.values).toEqual(["..pony of somebody"]);
    expect((await complete(PET, "person}/pets/{pet", "")).error.code).toBe(-32602);
  });

  it.each([
    ["a prompt's argument", GREET, "name"],
    ["a template's variable", PET, "person"],
  ])("of %s that suggests nothing is empty", async (_, ref, name) => {
    expect((await complete(ref, name, "a")).result.completion).toEqual({ values: [], total: 0, hasMore: false });
  });

  it("that throws is empty: suggestions are optional", async () => {
    expect((await complete(GREET, "language", "throw")).result.completion.values).toEqual([]);
  });

  it.each([
    ["a prompt", { type: "ref/prompt", name: "Talk_Unloadable" }],
    ["a resource", { type: "ref/resource", uri: "talk://unloadable/{any}" }],
  ])("of %s that cannot be loaded is empty", async (_, ref) => {
    expect((await complete(ref, "any", "")).result?.completion.values).toEqual([]);
  });

  it.each<[string, unknown, unknown, unknown]>([
    ["an unknown prompt", { type: "ref/prompt", name: "No_Such" }, "language", ""],
    ["an unknown argument", GREET, "color", ""],
    ["an argument that every object has", GREET, "constructor", ""],
    ["an unknown template", { type: "ref/resource", uri: "talk://{never}" }, "never", ""],
    ["a resource without variables", { type: "ref/resource", uri: "talk://news" }, "any", ""],
    ["an unknown variable", PET, "color", ""],
    ["half a variable's name", PET, "pe", ""],
    ["another kind of reference", { type: "ref/tool", name: "Math_Add" }, "a", ""],
    ["no reference", undefined, "language", ""],
    ["a reference that is not an object", "Talk_Greet", "language", ""],
    ["an argument without a name", GREET, undefined, ""],
    ["a value that is not a string", GREET, "language", 7],
  ])("of %s is -32602 (Error Handling)", async (_, ref, name, value) => {
    expect((await complete(ref, name, value)).error.code).toBe(-32602);
  });

  it.each([[null], [7], [{ arguments: null }], [{ arguments: [] }]])(
    "takes a context of %j for none",
    async (context) => {
      expect((await complete(GREET, "language", "name", context)).result.completion.values).toEqual(["nobody"]);
    },
  );

  it.each([{ name: 7 }, { name: null }, { name: ["Ann"] }, { name: { first: "Ann" } }, { name: "Ann", other: true }])(
    "refuses a context with arguments of %j, which are no texts (Security: validate all inputs)",
    async (args) => {
      expect((await complete(GREET, "language", "name", { arguments: args })).error.code).toBe(-32602);
    },
  );

  it("finds no inherited member as an argument", async () => {
    const context = JSON.parse('{"arguments": {"__proto__": "x", "toString": "y"}}');
    expect((await complete(GREET, "language", "name", context)).result.completion.values).toEqual(["nobody"]);
    expect((await complete(GREET, "language", "inherited")).result.completion.values).toEqual(["nothing"]);
  });

  it("knows one toolkit on a toolkit's path", async () => {
    const params = { ref: GREET, argument: { name: "language", value: "" } };
    expect((await modern("completion/complete", params, { path: "/math/mcp" })).body.error.code).toBe(-32602);
    expect((await modern("completion/complete", params, { path: "/talk/mcp" })).body.result).toBeDefined();
  });

  it("is served before 2026-07-28 as well", async () => {
    const params = { ref: GREET, argument: { name: "language", value: "language 24" } };
    const { result } = (await mcp(request("completion/complete", params), await handshake())).body;
    expect(result).toEqual({ completion: { values: expect.any(Array), total: 11, hasMore: false } });
  });
});
