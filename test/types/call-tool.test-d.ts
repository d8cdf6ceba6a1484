/** Tests of the types of `#test`, checked by `tsc -p .`: nothing here runs. */
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { definePrompt, defineTool, type Json, jsonSchema } from "#tool";
import type { CallTool, CompleteField, GetPrompt, ReadResource, ReadView } from "../../src/testing/types.ts";

const about = { version: "1.0.0", description: "Is only typed." };
const tools = {
  "Mail.Send": defineTool({
    ...about,
    input: v.object({ to: v.string(), urgent: v.optional(v.boolean(), false) }),
    output: v.object({ id: v.number() }),
    requirements: { secrets: ["KEY"], authorization: [{ id: "google" }], userId: true },
    env: ["OUTBOX"],
    run: () => ({ id: 1 }),
  }),
  "Mail.Purge": defineTool({ ...about, output: null, run() {} }),
  "Mail.Any": defineTool({ ...about, run: () => 1 }),
  "Mail.Find": defineTool({
    ...about,
    input: v.object({ text: v.optional(v.string()) }),
    output: v.array(v.string()),
    run: () => [],
  }),
  "Mail.Import": defineTool({
    ...about,
    input: v.object({ folder: v.string() }),
    output: v.object({ read: v.number() }),
    requirements: { secrets: ["KEY"] },
    long: true,
    prepare: ({ folder }) => folder.length,
    run: (_, ctx) => ctx.step("read", () => ({ read: ctx.prepared })),
  }),
  "Mail.Plain": defineTool({ ...about, input: jsonSchema<{ a: number }>({}), run: () => null }),
};
const prompts = {
  Mail_Draft: definePrompt({
    description: "Is only typed.",
    arguments: { to: { description: "Whom.", required: true }, tone: { description: "How." } },
    get: () => "",
  }),
};

declare const callTool: CallTool<typeof tools>;
declare const getPrompt: GetPrompt<typeof prompts>;
declare const readResource: ReadResource<"notes://all" | "day://{year}/{month}">;
declare const complete: CompleteField<typeof prompts, "notes://all" | "day://{year}/{month}">;
declare const readView: ReadView<"Mail.Find">;

export async function calls() {
  const sent = await callTool(
    "Mail.Send",
    { to: "a" },
    { secrets: { KEY: "k" }, authorization: { google: "t" }, userId: "u", env: { OUTBOX: {}, RATE_10: { limit } } },
  );
  expectTypeOf(sent.value).toEqualTypeOf<{ id: number }>();
  expectTypeOf((await callTool("Mail.Purge")).value).toEqualTypeOf<undefined>();
  expectTypeOf((await callTool("Mail.Any")).value).toEqualTypeOf<Json | undefined>();
  expectTypeOf((await callTool("Mail.Find")).value).toEqualTypeOf<string[]>();
  const imported = await callTool("Mail.Import", { folder: "a" }, { secrets: { KEY: "k" } });
  expectTypeOf(imported.value).toEqualTypeOf<{ read: number }>();
  await callTool("Mail.Find", {}, { session: sent.session, answers: { size: { action: "decline" } } });
  await callTool(
    "Mail.Plain",
    { a: 1 },
    { fetch: { "https://a.example/": { ok: true }, "POST https://a.example/": reply } },
  );
  await callTool("Mail.Plain", { a: 1 }, { fetch: ({ url }) => (url === "" ? undefined : new Response(url)) });
  // @ts-expect-error no such tool
  await callTool("Mail.Sent", { to: "a" });
  // @ts-expect-error an input of another type
  await callTool("Mail.Send", { to: 1 });
  // @ts-expect-error a required input
  await callTool("Mail.Send");
  // @ts-expect-error a secret that the tool does not declare
  await callTool("Mail.Send", { to: "a" }, { secrets: { KEYS: "k" } });
  // @ts-expect-error a tool without secrets
  await callTool("Mail.Purge", {}, { secrets: { KEY: "k" } });
  // @ts-expect-error a binding that the tool does not declare
  await callTool("Mail.Send", { to: "a" }, { env: { INBOX: {} } });
}

export async function others() {
  const { value } = await getPrompt("Mail_Draft", { to: "a" });
  expectTypeOf(value[0]?.role).toEqualTypeOf<"user" | "assistant" | undefined>();
  // @ts-expect-error a required argument
  await getPrompt("Mail_Draft", { tone: "kind" });
  expectTypeOf((await readResource("notes://all")).value[0]?.uri).toEqualTypeOf<string | undefined>();
  await readResource("day://2026/07");
  // @ts-expect-error no such resource
  await readResource("notes://some");
  expectTypeOf((await complete("Mail_Draft", "tone", "k", { others: { to: "a" } })).value).toEqualTypeOf<string[]>();
  await complete("day://{year}/{month}", "month", "0", { others: { year: "2026" } });
  // @ts-expect-error no such argument
  await complete("Mail_Draft", "from", "k");
  // @ts-expect-error no such variable
  await complete("day://{year}/{month}", "day", "0");
  // @ts-expect-error a resource without variables
  await complete("notes://all", "year", "2");
  const view = await readView("Mail.Find", { scopes: [] });
  expectTypeOf(view.value.html).toEqualTypeOf<string>();
  expectTypeOf(view.value.csp?.connectDomains).toEqualTypeOf<readonly string[] | undefined>();
  // @ts-expect-error a tool without a view
  await readView("Mail.Send");
}

const limit = async () => ({ success: true });
const reply = (request: Request) => Response.json(request.url);
