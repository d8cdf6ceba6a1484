/** What tests of src/features/page/browser/api share: tools of every kind, the page's code, and a page without a browser. */
import { resolve } from "node:path";
import { build } from "esbuild";
import { Access } from "../../../src/features/page/browser/api/access.ts";
import type { Browser } from "../../../src/features/page/browser/api/sign-in.ts";

const HEAD = 'import * as v from "valibot";\nimport { defineTool, ToolError, rich } from "#tool";\n';
const text = (description: string) => `v.pipe(v.string(), v.description("${description}"))`;
const tool = (description: string, more: string, version = "1.0.0") =>
  `${HEAD}export default defineTool({ version: "${version}", description: "${description}", ${more} });\n`;

/** Files of `tools/`. */
export const TOOLS: Readonly<Record<string, string>> = {
  "kit/add.ts": tool(
    "Adds.",
    `title: "Add", annotations: { readOnly: true, openWorld: false },
    input: v.object({ a: v.pipe(v.number(), v.description("One.")), deep: v.pipe(v.optional(v.object({ b: v.number() })), v.description("More.")) }),
    output: v.number(), run: ({ a, deep }) => a + (deep?.b ?? 0)`,
    "2.0.0",
  ),
  "kit/add@1.ts": tool(
    "Added.",
    `input: v.object({ a: ${text("One.")} }), output: v.string(), run: ({ a }) => "old " + a`,
  ),
  "kit/fail.ts": tool(
    "Fails.",
    `input: v.object({ how: ${text("How.")} }),
    async run({ how }, ctx) {
      if (how === "slowly") await scheduler.wait(60_000, { signal: ctx.signal });
      throw new ToolError("There is no such cake", { developerMessage: "oven 3", additionalPromptContent: "cakes: Sachertorte", canRetry: how === "for now", retryAfterMs: 50 });
    }`,
  ),
  "kit/peek.ts": tool(
    "Is for views.",
    `visibility: ["app"], input: v.object({ a: ${text("One.")} }), output: v.string(), run: ({ a }) => "peeked " + a`,
  ),
  "kit/view-work.ts": tool(
    "Works for views.",
    `visibility: ["app"], long: true, output: v.string(), run: () => "worked"`,
  ),
  "kit/late.ts": tool(
    "Takes too long.",
    "timeoutMs: 200, run: async (_, ctx) => { await scheduler.wait(10_000, { signal: ctx.signal }); }",
  ),
  "kit/draw.ts": tool(
    "Draws.",
    `output: v.object({ bars: v.number() }),
    run: () => rich({ bars: 3 }, [{ type: "text", text: "Three bars" }, { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }, { type: "resource_link", uri: "kit://notes/1", name: "the note" }])`,
  ),
  "kit/paint.ts": `${HEAD}let runs = 0;
export default defineTool({ version: "1.0.0", description: "Paints slowly.", output: v.number(),
  async run() { runs += 1; await scheduler.wait(300); return rich(runs, [{ type: "image", data: "AAE=", mimeType: "image/png" }]); } });\n`,
  "kit/sketch.ts": tool(
    "Draws, and keeps nothing.",
    `keep: false, output: v.string(), run: () => rich("a sketch", [{ type: "image", data: "AAE=", mimeType: "image/png" }])`,
  ),
  "kit/order.ts": tool(
    "Orders a cake.",
    `input: v.object({ cake: ${text("Which.")} }), output: v.string(),
    async run({ cake }, ctx) {
      const size = await ctx.elicit("size", { message: "Which size should the " + cake + " have?", fields: { size: { type: "string", enum: ["S", "L"] } }, required: ["size"] });
      if (size.action !== "accept") throw new ToolError("Nothing was ordered");
      const paid = await ctx.elicit("pay", { message: "Please pay.", url: "https://pay.example.com/7" });
      return cake + ", size " + size.content.size + ", " + paid.action;
    }`,
  ),
  "kit/track.ts": tool(
    "Tracks.",
    `requirements: { secrets: ["CARRIER_KEY"], authorization: [{ id: "carrier-login" }], userId: true },
    output: v.string(), run: (_, ctx) => ctx.secrets.CARRIER_KEY + " " + ctx.authorization["carrier-login"].length + " " + ctx.userId`,
  ),
  "kit/locked.ts": tool("Is for few.", `scopes: ["kit:open"], output: v.string(), run: () => "open"`),
  "kit/count.ts": tool(
    "Counts.",
    "attachments: true, output: v.array(v.number()), run: (_, ctx) => Promise.all(ctx.attachments.map(async (file) => (await file.text()).length))",
  ),
  "kit/region.ts": tool(
    "Has a header.",
    `input: v.object({ region: v.pipe(v.string(), v.description("Where."), v.metadata({ "x-mcp-header": "Region" })) }), output: v.string(),
    async run({ region }, ctx) { return region + " " + (await ctx.elicit("ok", { message: "Really?", fields: { ok: { type: "boolean" } } })).action; }`,
  ),
  "kit/work.ts": tool(
    "Works for long.",
    `long: true, input: v.object({ ms: v.pipe(v.number(), v.description("How long.")), ask: v.pipe(v.optional(v.boolean(), false), v.description("Whether to ask.")) }), output: v.string(),
    async run({ ms, ask }, ctx) {
      ctx.progress(1, 2, "half done");
      await scheduler.wait(ms, { signal: ctx.signal });
      if (!ask) return "done";
      const answer = await ctx.elicit("price", { message: "For how much?", fields: { price: { type: "number" } }, required: ["price"] });
      return answer.action === "accept" ? "sold for " + answer.content.price : answer.action;
    }`,
  ),
  "kit/hello.prompt.ts": `import { definePrompt } from "#tool";
export default definePrompt({ description: "Greets.", arguments: { name: { description: "Whom.", required: true, complete: (prefix) => ["Ada", "Bob"].filter((it) => it.startsWith(prefix)) }, like: { description: "As whom.", complete: (_prefix, { name }) => [name + "'s friend"] } }, get: ({ name }) => "Greet " + name });\n`,
  "kit/notes.resource.ts": `import { defineResource } from "#tool";
export default defineResource({ uri: "kit://notes/{id}", description: "Notes.", read: ({ id }) => "note " + id });\n`,
  "kit/start.resource.ts": `import { defineResource } from "#tool";
export default defineResource({ uri: "kit://start", description: "The start.", read: () => "the start" });\n`,
};

/** Bundles code that imports from the folder `api` of the page, as one script. */
export async function scriptOf(code: string): Promise<string> {
  const resolveDir = resolve(import.meta.dirname, "../../../src/features/page/browser/api");
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir, loader: "ts" },
    bundle: true,
    write: false,
    format: "iife",
    target: "es2023",
  });
  return outputFiles[0]?.text ?? "";
}

export interface FakeBrowser extends Browser {
  readonly stored: Map<string, string>;
}

/** What the page uses of a browser that shows this address. */
export function browserAt(address: string): FakeBrowser {
  const stored = new Map<string, string>();
  const location = { href: address, assign() {} };
  return {
    stored,
    location,
    history: {
      replaceState(_data, _unused, url) {
        location.href = url;
      },
    },
    sessionStorage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
  };
}

/** The page at `url`, whose caller has this key. */
export function accessTo(url: string, key?: string): Access {
  const access = new Access(browserAt(`${url}/`));
  if (key !== undefined) access.useKey(key);
  return access;
}
