/** The text of a new tool and of its test: an example to replace, with the requirements that were asked for. */
import { TOOL_DESCRIPTION } from "../lib/examples.ts";
import type { Needs, Target } from "./target.ts";

/** An example that never answers, so the text can name it: RFC 2606, section 3. */
const SERVICE = "https://api.example.com/echo";

/** Joins lines, without those that are left out. */
export const lines = (...all: readonly (string | false | undefined)[]) =>
  `${all.filter((line) => line !== false && line !== undefined).join("\n")}\n`;

/** A line that imports names from a module. */
export const imports = (names: string, module: string) => `import { ${names} } from ${JSON.stringify(module)};`;

/** `storm-check` as a title: `Storm check`. */
export const titleOf = (name: string) => name.replaceAll("-", " ").replace(/^./, (letter) => letter.toUpperCase());

/** The file of a new tool. */
export function toolText(needs: Needs): string {
  const { secret, authorization, session } = needs;
  const calls = secret !== undefined || authorization !== undefined;
  const required = [
    secret && `secrets: ["${secret}"]`,
    authorization && `authorization: [{ id: "${authorization}" }]`,
  ].filter(Boolean);
  const usesContext = calls || session;
  return lines(
    `import * as v from "valibot";`,
    imports(`defineTool${calls || session ? ", ToolError" : ""}`, "#tool"),
    "",
    "export default defineTool({",
    `  version: "1.0.0",`,
    "  // For the model: what the tool does, when to use it, and what it returns.",
    `  description: "${TOOL_DESCRIPTION}",`,
    "  // If it changes nothing, say so: annotations: { readOnly: true }",
    required.length > 0 && `  requirements: { ${required.join(", ")} },`,
    session && "  session: true,",
    "  input: v.object({",
    `    text: v.pipe(v.string(), v.description("The text to repeat.")),`,
    "  }),",
    session ? "  output: v.object({ text: v.string(), count: v.number() })," : "  output: v.string(),",
    `  ${calls || session ? "async " : ""}run({ text }${usesContext ? ", ctx" : ""}) {`,
    session && `    if (ctx.session === undefined) throw new ToolError("This tool needs a session");`,
    ...(calls ? request(needs) : []),
    ...(session
      ? [
          `    const count = ((await ctx.session.get<number>("count")) ?? 0) + 1;`,
          `    await ctx.session.set("count", count);`,
          `    return { text: ${calls ? "await response.text()" : "text"}, count };`,
        ]
      : [calls ? "    return await response.text();" : "    return text;"]),
    "  },",
    "});",
  );
}

/** Calls the service with the values that the tool requires. */
function request({ secret, authorization }: Needs): string[] {
  const token = authorization?.includes("-") ? `["${authorization}"]` : `.${authorization}`;
  return lines(
    `    const response = await ctx.fetch("${SERVICE}", {`,
    `      method: "POST",`,
    "      headers: {",
    authorization && `        authorization: \`Bearer \${ctx.authorization${token}}\`,`,
    secret && `        "x-api-key": ctx.secrets.${secret},`,
    "      },",
    "      body: text,",
    "      signal: ctx.signal,",
    "    });",
    `    if (!response.ok) throw new ToolError("The service does not answer", { canRetry: response.status >= 500 });`,
  )
    .trimEnd()
    .split("\n");
}

/** The test of a new tool. */
export function toolTestText({ id }: Target, { secret, authorization, session }: Needs): string {
  const given = [
    secret && `secrets: { ${secret}: "a key" }`,
    authorization &&
      `authorization: { ${authorization.includes("-") ? `"${authorization}"` : authorization}: "a token" }`,
  ].filter(Boolean);
  const calls = given.length > 0;
  const options = calls ? ", OPTIONS" : "";
  const value = (count: number) => (session ? `{ text: "hello", count: ${count} }` : `"hello"`);
  return lines(
    imports("expect, it", "vitest"),
    imports("callTool", "#test"),
    "",
    calls && "/** What the tool requires, and the service that it calls: no request leaves this machine. */",
    calls && "const OPTIONS = {",
    ...given.map((one) => `  ${one},`),
    calls && `  fetch: { "POST ${SERVICE}": async (request: Request) => new Response(await request.text()) },`,
    calls && "};",
    calls && "",
    `it("repeats a text", async () => {`,
    `  const ${session ? "first" : "{ value }"} = await callTool("${id}", { text: "hello" }${options});`,
    `  expect(${session ? "first.value" : "value"}).toEqual(${value(1)});`,
    session &&
      `  const second = await callTool("${id}", { text: "hello" }, ` +
        `{ ${calls ? "...OPTIONS, " : ""}session: first.session });`,
    session && `  expect(second.value).toEqual(${value(2)});`,
    "});",
    ...(secret
      ? [
          "",
          `it("does not run without its secret", async () => {`,
          `  const { error } = await callTool("${id}", { text: "hello" }, { ...OPTIONS, secrets: {} });`,
          `  expect(error?.reason).toBe("requirements");`,
          "});",
        ]
      : []),
    ...(calls
      ? []
      : [
          "",
          `it("takes only a text", async () => {`,
          "  // @ts-expect-error: callers can send anything",
          `  const { error } = await callTool("${id}", { text: 1 });`,
          `  expect(error?.parameters).toEqual({ text: "Must be a string" });`,
          "});",
        ]),
  );
}
