/** `tools/instructions.md` and the toolkits' paragraphs: what is read, what is too long, and docs/listings.md. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFork, serveBuilt } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { project, ROOT, tool } from "../../support/node/project.ts";

const toolkit = (text: string) =>
  `import { defineToolkit } from "#tool";\nexport default defineToolkit({ instructions: ${JSON.stringify(text)} });`;

async function discovered(files: Record<string, string>) {
  const { discover, catalog, out } = project(files);
  const result = await discover();
  const tells = result.code === 0 ? (await catalog()).instructions : undefined;
  return { ...result, told: tells?.(new Set(["kit", "other"]), undefined), out };
}

it("are joined: the server's, then those of the toolkits in the order of their names", async () => {
  const { told, stderr } = await discovered({
    "instructions.md": "\nThe server.\n\nMore of it.\n",
    "kit/add.ts": tool(),
    "other/add.ts": tool(),
    "other/toolkit.ts": toolkit("Other things. "),
    "kit/toolkit.ts": 'export default { name: "KIT", instructions: "The kit." };',
  });
  expect(stderr).toBe("");
  expect(told).toBe("The server.\n\nMore of it.\n\nThe kit.\n\nOther things.");
});

it("a catalogue without them has no byte for them", async () => {
  for (const files of [{}, { "instructions.md": " \n" }] as Record<string, string>[]) {
    const { told, out } = await discovered(files);
    expect(told).toBeUndefined();
    expect(readFileSync(out, "utf8")).not.toMatch(/instructions|instructionsFor/);
  }
});

describe("their length", () => {
  it("all together may have 2,048 characters, with the lines between them", async () => {
    const files = { "instructions.md": "a\n\nb", "kit/toolkit.ts": toolkit("c".repeat(2_042)) };
    expect(await discovered(files)).toMatchObject({ code: 0, stderr: "" });
    const { code, stderr, out } = await discovered({ ...files, "instructions.md": "a\n\nbcd" });
    expect(code).toBe(1);
    expect(stderr).toBe(
      "1 problem(s) in tools:\ntools/kit/toolkit.ts\n" +
        "  problem: all instructions together have 2050 characters, 2 more than Claude Code reads\n" +
        "  fix:     shorten them: tools/kit/toolkit.ts has 2042, tools/instructions.md has 6\n",
    );
    expect(existsSync(out)).toBe(false);
  });

  it("a first paragraph of over 512 is a warning: it should make sense alone", async () => {
    const text = `${"a".repeat(512)}\n\n${"b".repeat(600)}`;
    expect(await discovered({ "instructions.md": text })).toMatchObject({ code: 0, stderr: "" });
    const { code, stderr } = await discovered({ "instructions.md": `a${text}` });
    expect(code).toBe(0);
    expect(stderr).toContain("tools/instructions.md\n  problem: its first paragraph has 513 characters");
  });
});

describe("a text that would not be read is a mistake", () => {
  it.each([
    ["Instructions.md", "only instructions.md is read", "rename it to instructions.md"],
    ["instructions.txt", "only instructions.md is read", "rename it to instructions.md"],
    ["kit/instructions.md", "a toolkit's instructions are not read from here", "move the text to tools/kit/toolkit.ts"],
  ])("%s", async (file, problem, fix) => {
    // A folder without code is not a toolkit.
    const beside: Record<string, string> = file.startsWith("kit/") ? { "kit/add.ts": tool() } : {};
    const { code, stderr } = await discovered({ [file]: "A text.", ...beside });
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^tools/${file}\n  problem: ${problem}\n  fix:     ${fix}`, "m"));
  });

  it.each(["5", '" "', "{}"])("instructions: %s", async (text) => {
    const { code, stderr } = await discovered({ "kit/toolkit.ts": `export default { instructions: ${text} };` });
    expect(code).toBe(1);
    expect(stderr).toContain('tools/kit/toolkit.ts:1\n  problem: its "instructions" is not a text');
  });
});

it("docs/listings.md: its files and settings are what clients get", async () => {
  const docs = readFileSync(join(ROOT, "docs/listings.md"), "utf8");
  const block = (language: string) => new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(docs)?.[1] ?? "";
  const [shop, parcels, settings] = [block("md"), block("ts"), block("toml")];
  const fork = makeFork({ "instructions.md": shop, "parcels/toolkit.ts": parcels, "parcels/track.ts": tool() });
  const toml = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
  fork.write("wrangler.toml", toml.replace("[vars]\n", `[vars]\n${settings}`));
  const server = await serveBuilt(fork);
  try {
    const initialize = async (path: string) => {
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
      const message = { jsonrpc: "2.0", id: 1, method: "initialize", params };
      return (await postJson(server.url + path, message)).body.result;
    };
    const paragraph = /instructions: "(.*)"/.exec(parcels)?.[1];
    const { instructions, serverInfo } = await initialize("/mcp");
    expect(instructions).toBe(`${shop.trim()}\n\n${paragraph}`);
    expect((await initialize("/parcels/mcp")).instructions).toBe(paragraph);
    expect(serverInfo).toEqual({
      name: "trivet",
      version: "1.0.0",
      title: "Example Shop",
      websiteUrl: "https://example.com",
      icons: [{ src: "https://example.com/icon.png" }, { src: "https://example.com/icon.svg" }],
    });
    const load = await fetch(`${server.url}/opentool/load`);
    expect((await load.json()) as object).toMatchObject({ info: { title: "Example Shop", description: instructions } });
  } finally {
    await server.stop();
    fork.remove();
  }
});
