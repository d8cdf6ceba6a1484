/** Tests of the types that `defineTool` infers, checked by `tsc -p .`: nothing here runs. */
import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  type Attachment,
  defineEvent,
  definePrompt,
  defineResource,
  defineTool,
  defineToolkit,
  defineWorker,
  fromOpenTool,
  type Principal,
  type Session,
  ToolError,
} from "#tool";
import type { CallTool } from "../../src/testing/types.ts";

const tool = { version: "1.0.0", description: "Is only typed." };

// `run` gets the schema's output type, not its input type.
defineTool({
  ...tool,
  input: v.object({
    n: v.number(),
    kind: v.picklist(["a", "b"]),
    at: v.pipe(
      v.string(),
      v.transform((text) => text.length),
    ),
    left: v.optional(v.string()),
    given: v.optional(v.string(), "x"),
  }),
  run(input) {
    expectTypeOf(input).toEqualTypeOf<{
      n: number;
      kind: "a" | "b";
      at: number;
      left?: string | undefined;
      given: string;
    }>();
    // @ts-expect-error no such parameter
    input.m;
  },
});
defineTool({
  ...tool,
  input: z.object({ n: z.number().default(1), text: z.string().optional() }),
  output: z.string().transform(Number),
  run(input) {
    expectTypeOf(input).toEqualTypeOf<{ n: number; text?: string | undefined }>();
    return "1";
  },
});
defineTool({
  ...tool,
  input: type({ n: "number", "text?": "string" }),
  output: type("string.numeric.parse"),
  run(input) {
    expectTypeOf(input).toEqualTypeOf<{ n: number; text?: string }>();
    return "1";
  },
});

// Without an input there are no parameters.
defineTool({
  ...tool,
  run(input) {
    expectTypeOf(input).toEqualTypeOf<Record<never, never>>();
    // @ts-expect-error nothing is declared
    input.n;
  },
});

// The output type is enforced: the schema's input type, returned directly or as a promise.
defineTool({ ...tool, output: v.number(), run: () => 1 });
defineTool({ ...tool, output: v.number(), run: async () => 1 });
defineTool({ ...tool, output: v.object({ x: v.optional(v.string(), "d") }), run: () => ({}) });
defineTool({ ...tool, output: v.array(v.string()), run: () => ["a"] });
// @ts-expect-error a string is not a number
defineTool({ ...tool, output: v.number(), run: () => "1" });
// @ts-expect-error nor is a promise of one
defineTool({ ...tool, output: v.number(), run: async () => "1" });
// @ts-expect-error nothing is not a number
defineTool({ ...tool, output: v.number(), run() {} });
// @ts-expect-error a member is missing
defineTool({ ...tool, output: v.object({ x: v.string() }), run: () => ({}) });
// @ts-expect-error zod's too
defineTool({ ...tool, output: z.object({ x: z.string() }), run: () => ({ x: 1 }) });
// @ts-expect-error arktype's too
defineTool({ ...tool, output: type({ x: "string" }), run: () => ({ x: 1 }) });

// null: the tool returns nothing. Without an output, it may return anything.
defineTool({ ...tool, output: null, run() {} });
defineTool({ ...tool, output: null, async run() {} });
// @ts-expect-error something is not nothing
defineTool({ ...tool, output: null, run: async () => 1 });
defineTool({ ...tool, run: () => ({ any: ["thing"] }) });
defineTool({ ...tool, run() {} });

// The context has what is declared, and nothing else.
defineTool({
  ...tool,
  requirements: { secrets: ["API_KEY", "OTHER"], authorization: [{ id: "google", oauth2: { scopes: ["s"] } }] },
  env: ["NOT_IN_ANY_WRANGLER_TOML"],
  run(_, ctx) {
    expectTypeOf(ctx.secrets).toEqualTypeOf<{ readonly API_KEY: string; readonly OTHER: string }>();
    expectTypeOf(ctx.authorization).toEqualTypeOf<{ readonly google: string }>();
    expectTypeOf(ctx.env).toEqualTypeOf<{ readonly NOT_IN_ANY_WRANGLER_TOML: unknown }>();
    expectTypeOf(ctx.userId).toEqualTypeOf<string | undefined>();
    // @ts-expect-error not declared
    ctx.secrets.ANOTHER;
    // @ts-expect-error not declared
    ctx.authorization.github;
    // @ts-expect-error not declared
    ctx.env.KV;
    // @ts-expect-error not for a tool to change
    ctx.secrets.API_KEY = "";
  },
});
defineTool({
  ...tool,
  requirements: {
    secrets: ["BASE_URL", { id: "API_KEY", from: "worker" }],
    authorization: [{ id: "google", from: "caller" }, { id: "github" }],
  },
  keep: false,
  run(_, ctx) {
    expectTypeOf(ctx.secrets).toEqualTypeOf<{ readonly BASE_URL: string; readonly API_KEY: string }>();
    expectTypeOf(ctx.authorization).toEqualTypeOf<{ readonly google: string; readonly github: string }>();
  },
});
// @ts-expect-error no such provider
defineTool({ ...tool, requirements: { secrets: [{ id: "API_KEY", from: "anyone" }] }, run() {} });
defineTool({
  ...tool,
  run(_, ctx) {
    // @ts-expect-error nothing is declared
    ctx.secrets.API_KEY;
    // @ts-expect-error nothing is declared
    ctx.authorization.google;
    // @ts-expect-error nothing is declared
    ctx.env.BUCKET;
    expectTypeOf(ctx.userId).toEqualTypeOf<string | undefined>();
    expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
    expectTypeOf(ctx.session).toEqualTypeOf<Session | undefined>();
  },
});

// A required user is always defined.
defineTool({
  ...tool,
  requirements: { userId: true },
  run(_, ctx) {
    expectTypeOf(ctx.userId).toEqualTypeOf<string>();
  },
});
defineTool({
  ...tool,
  requirements: { userId: false },
  run(_, ctx) {
    expectTypeOf(ctx.userId).toEqualTypeOf<string | undefined>();
  },
});

// Mistakes that the editor shows before the build does.
// @ts-expect-error no such member
defineTool({ ...tool, descripton: "x", run() {} });
// @ts-expect-error no such annotation
defineTool({ ...tool, annotations: { readonly: true }, run() {} });
// @ts-expect-error no such requirement
defineTool({ ...tool, requirements: { secret: ["K"] }, run() {} });
// @ts-expect-error no schema
defineTool({ ...tool, input: { n: "number" }, run() {} });
// @ts-expect-error no description
defineTool({ version: "1.0.0", run() {} });
// @ts-expect-error no such member
defineToolkit({ name: "SMS", title: "Texts" });
defineToolkit({ name: "SMS" });

new ToolError("No", { canRetry: true, retryAfterMs: 1, developerMessage: "d", additionalPromptContent: "p", cause: 1 });
// @ts-expect-error no such member
new ToolError("No", { retry: true });

// Prompts and resources have the same requirements as tools, by the same names.
const demands = { scopes: ["s"], rate: 10, timeoutMs: 1, env: ["E"], requirements: { secrets: ["S"], userId: true } };
definePrompt({
  ...demands,
  description: "Is only typed.",
  arguments: {
    city: {
      description: "Where.",
      required: true,
      complete(prefix, others, ctx) {
        expectTypeOf(prefix).toEqualTypeOf<string>();
        expectTypeOf(others.kind).toEqualTypeOf<string | undefined>();
        expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
        // @ts-expect-error completion cannot ask the user
        ctx.elicit;
        return [prefix];
      },
    },
    kind: { description: "What." },
  },
  get({ city, kind }, ctx) {
    expectTypeOf(city).toEqualTypeOf<string>();
    expectTypeOf(kind).toEqualTypeOf<string | undefined>();
    expectTypeOf(ctx.elicit).toBeFunction();
    return city;
  },
});
definePrompt({
  description: "Is only typed.",
  // @ts-expect-error completions are strings
  arguments: { city: { description: "Where.", complete: () => [7] } },
  get: () => "",
});
// What they declare is there in `get`, `read` and completions, and nothing else, as in `run`.
const needs = {
  requirements: { secrets: ["S"], authorization: [{ id: "A" }], userId: true },
  env: ["ONLY_TYPED"],
} as const;
definePrompt({
  ...needs,
  description: "Is only typed.",
  arguments: {
    city: {
      description: "Where.",
      required: true,
      complete(prefix, _, ctx) {
        expectTypeOf(ctx.secrets).toEqualTypeOf<{ readonly S: string }>();
        expectTypeOf(ctx.env).toEqualTypeOf<{ readonly ONLY_TYPED: unknown }>();
        expectTypeOf(ctx.userId).toEqualTypeOf<string>();
        return [prefix];
      },
    },
  },
  get({ city }, ctx) {
    expectTypeOf(city).toEqualTypeOf<string>();
    expectTypeOf(ctx.authorization).toEqualTypeOf<{ readonly A: string }>();
    return city;
  },
});
defineResource({
  requirements: { secrets: ["S"] },
  env: ["ONLY_TYPED"],
  uri: "x://{year}{?tag*}",
  description: "Is only typed.",
  complete: {
    year(prefix, _, ctx) {
      expectTypeOf(ctx.secrets).toEqualTypeOf<{ readonly S: string }>();
      expectTypeOf(ctx.env).toEqualTypeOf<{ readonly ONLY_TYPED: unknown }>();
      // @ts-expect-error not declared
      ctx.env.OTHER;
      return [prefix];
    },
    tag: (prefix) => [prefix],
  },
  read({ year }, ctx) {
    expectTypeOf(ctx.secrets).toEqualTypeOf<{ readonly S: string }>();
    expectTypeOf(ctx.userId).toEqualTypeOf<string | undefined>();
    return year;
  },
});
// @ts-expect-error no such variable
defineResource({ uri: "x://{year}", description: "Is only typed.", complete: { month: () => [] }, read: () => "" });

// @ts-expect-error results of prompts are not stored
definePrompt({ description: "Is only typed.", ttlMs: 1, get: () => "" });
defineResource({
  ...demands,
  uri: "x://{year}/{month}",
  description: "Is only typed.",
  ttlMs: 60_000,
  complete: { year: (prefix) => [prefix] },
  read({ year, month, ...rest }) {
    expectTypeOf([year, month]).toEqualTypeOf<string[]>();
    expectTypeOf(rest).toEqualTypeOf<Record<never, string>>();
    return year;
  },
});
// What a client may leave out is optional, and a list is always there.
defineResource({
  uri: "x://{site}/{+path}{?q,limit,tag*}{#part}",
  description: "Is only typed.",
  annotations: { audience: ["user"], priority: 1, lastModified: "2026-07-28T09:00:00Z" },
  size: 1,
  meta: { "example.com/key": [1] },
  read(variables) {
    expectTypeOf(variables.site).toEqualTypeOf<string>();
    expectTypeOf(variables.path).toEqualTypeOf<string>();
    expectTypeOf(variables.q).toEqualTypeOf<string | undefined>();
    expectTypeOf(variables.limit).toEqualTypeOf<string | undefined>();
    expectTypeOf(variables.part).toEqualTypeOf<string | undefined>();
    expectTypeOf(variables.tag).toEqualTypeOf<readonly string[]>();
    // @ts-expect-error the URI has no such variable
    return variables.other;
  },
});
defineResource({
  uri: "x://{owner}{/path*}",
  description: "Is only typed.",
  read({ owner, path, ...rest }) {
    expectTypeOf(path).toEqualTypeOf<readonly string[]>();
    expectTypeOf(rest).toEqualTypeOf<Record<never, string>>();
    return [owner, ...path].join();
  },
});
// @ts-expect-error scopes are a list
defineResource({ uri: "x://y", description: "Is only typed.", scopes: "s", read: () => "" });

// Only a tool that takes files can ask for one.
defineTool({
  ...tool,
  attachments: true,
  async run(_, ctx) {
    const answer = await ctx.upload("report", { message: "Choose it.", accept: [".csv"] });
    expectTypeOf(answer.action).toEqualTypeOf<"accept" | "decline" | "cancel">();
    if (answer.action === "accept") expectTypeOf(answer.file).toEqualTypeOf<Attachment>();
  },
});
defineTool({
  ...tool,
  // @ts-expect-error: it takes no files
  run: (_, ctx) => ctx.upload("report", { message: "Choose it." }),
});

// A worker's handlers get the bindings that it declares; its routes get their path parameters and the principal.
defineWorker<{ readonly PLACE: string }, { readonly n: number }>({
  routes(app, { authenticate }) {
    app.get("/custom/:id", (c) => {
      expectTypeOf(c.req.param("id")).toEqualTypeOf<string>();
      expectTypeOf(c.env.PLACE).toEqualTypeOf<string>();
      // @ts-expect-error: the route does not authenticate
      return c.text(c.get("principal").id);
    });
    app.get("/mine", authenticate, (c) => {
      expectTypeOf(c.get("principal")).toEqualTypeOf<Principal>();
      expectTypeOf(c.env.PLACE).toEqualTypeOf<string>();
      return c.body(null);
    });
  },
  scheduled({ cron }, env) {
    expectTypeOf([cron, env.PLACE]).toEqualTypeOf<string[]>();
  },
  queue({ messages }) {
    for (const { body } of messages) expectTypeOf(body.n).toEqualTypeOf<number>();
  },
});
// @ts-expect-error: the name is scheduled
defineWorker({ shedule() {} });

// An event's `matches` gets what its schemas make, and `ctx.emit` takes what its payload accepts.
const event = defineEvent({
  name: "typed.only",
  description: "Is only typed.",
  input: v.object({ above: v.optional(v.number(), 0) }),
  payload: v.object({ n: v.number(), unit: v.optional(v.string(), "m") }),
  matches(args, data) {
    expectTypeOf(args).toEqualTypeOf<{ above: number }>();
    expectTypeOf(data).toEqualTypeOf<{ n: number; unit: string }>();
    return data.n > args.above;
  },
});
defineEvent({
  name: "typed.plain",
  description: "Has no arguments.",
  payload: z.object({ n: z.number() }),
  // @ts-expect-error: it has no arguments
  matches: (args, data) => data.n > args.above,
});
defineTool({
  ...tool,
  async run(_, ctx) {
    await ctx.emit(event, { n: 1 });
    await ctx.emit(event, { n: 1, unit: "km" }, { id: "1" });
    // @ts-expect-error: n is missing
    await ctx.emit(event, {});
    // @ts-expect-error: a number
    await ctx.emit(event, { n: "1" });
  },
});
definePrompt({
  description: "Is only typed.",
  async get(_, ctx) {
    // @ts-expect-error: only tools emit
    await ctx.emit(event, { n: 1 });
    return "";
  },
});

// An existing tool of OpenTool's SDKs is accepted, whether its methods are asynchronous or not.
abstract class OpenToolSdk {
  // biome-ignore lint/suspicious/noExplicitAny: as in the published SDK
  abstract call(name: string, args?: { [key: string]: any }): Promise<{ [key: string]: any }>;
  async load(): Promise<{ opentool: string; functions: object[] } | null> {
    return null;
  }
}
class Tides extends OpenToolSdk {
  async call(name: string) {
    return { name };
  }
}
const mounted = defineToolkit({ name: "Tides", tools: fromOpenTool(new Tides(), { scopes: ["tides"] }) });
fromOpenTool({ call: () => ({}), load: () => null });
// @ts-expect-error an OpenTool tool has a load
fromOpenTool({ call: () => ({}) });
// @ts-expect-error call returns a map
fromOpenTool({ call: () => 1, load: () => null });
// @ts-expect-error call gets no secrets
fromOpenTool(new Tides(), { requirements: { secrets: ["KEY"] } });
// @ts-expect-error tools is a function
defineToolkit({ tools: {} });
// @ts-expect-error no such member
defineToolkit({ tool: fromOpenTool(new Tides()) });

declare const callTide: CallTool<{ "Tides.Get": Awaited<ReturnType<NonNullable<(typeof mounted)["tools"]>>>["get"] }>;
export async function callsOpenTool() {
  const { value } = await callTide("Tides.Get", { port: "brest" });
  expectTypeOf(value).toEqualTypeOf<Readonly<Record<string, unknown>>>();
  await callTide("Tides.Get");
  // @ts-expect-error the input is an object
  await callTide("Tides.Get", "brest");
}

// Questions
defineTool({
  version: "1.0.0",
  description: "Is only typed.",
  async run(_, ctx) {
    expectTypeOf(ctx.client.name).toEqualTypeOf<string | undefined>();
    expectTypeOf(ctx.client.capabilities.has("views")).toEqualTypeOf<boolean>();
    // @ts-expect-error what the client says cannot be changed
    ctx.client.name = "x";
    const paid = await ctx.elicit("pay", {
      message: "Pay.",
      url: (id) => `https://x.example/${id}`,
      until: (id) => !id,
    });
    if (paid.action === "accept") expectTypeOf(paid.content.id).toEqualTypeOf<string>();
    const plain = await ctx.elicit("page", { message: "Read.", url: "https://x.example/" });
    // @ts-expect-error only a URL that was made has an id
    if (plain.action === "accept") plain.content.id;
    const { content } = await ctx.sample("poem", {
      messages: [
        { role: "user", content: { type: "tool_result", toolUseId: "u", content: { type: "text", text: "" } } },
      ],
      maxTokens: 5,
      // @ts-expect-error a tool needs the schema of its input
      tools: [{ name: "look_up" }],
    });
    for (const block of [content].flat())
      if (block.type === "tool_use") expectTypeOf(block.name).toEqualTypeOf<string>();
    await ctx.sample("poem", {
      // @ts-expect-error the results of tools are the user's message
      messages: [{ role: "assistant", content: [{ type: "tool_result", toolUseId: "u", content: [] }] }],
      maxTokens: 5,
    });
  },
});
