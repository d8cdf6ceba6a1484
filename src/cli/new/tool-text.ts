/** The text of a new tool and of its test: an example to replace, with the requirements that were asked for. */
import { TOOL_DESCRIPTION } from "../lib/examples.ts";
import type { Needs, Target } from "./target.ts";

/** An address for examples, at which nothing answers (RFC 2606, section 3). */
const SERVICE = "https://api.example.com/echo";

/** `storm-check` as a title: `Storm check`. */
export const titleOf = (name: string) => name.replaceAll("-", " ").replace(/^./, (letter) => letter.toUpperCase());

/** Makes an import. If a text spelled it out, the project's rules would take it for an import of this file. */
export const imports = (names: string, module: string) => `import ${names} from ${JSON.stringify(module)};`;

/** Lines that are only there if they are needed. */
const when = (isNeeded: unknown, lines: string) => (isNeeded ? `${lines}\n` : "");

export function toolText({ secret, authorization, session }: Needs): string {
  const calls = secret !== undefined || authorization !== undefined;
  const usesContext = calls || session;
  const required = [
    ...(secret ? [`secrets: ["${secret}"]`] : []),
    ...(authorization ? [`authorization: [{ id: "${authorization}" }]`] : []),
  ].join(", ");
  const token = authorization?.includes("-") ? `["${authorization}"]` : `.${authorization}`;
  const request = `    const response = await ctx.fetch("${SERVICE}", {
      method: "POST",
      headers: {
${when(authorization, `        authorization: \`Bearer \${ctx.authorization${token}}\`,`)}${when(secret, `        "x-api-key": ctx.secrets.${secret},`)}      },
      body: text,
      signal: ctx.signal,
    });
    if (!response.ok) throw new ToolError("The service does not answer", { canRetry: response.status >= 500 });`;
  const answer = calls ? "await response.text()" : "text";
  const counted = `    const count = ((await ctx.session.get<number>("count")) ?? 0) + 1;
    await ctx.session.set("count", count);
    return { text: ${answer}, count };`;
  return `${imports("* as v", "valibot")}
${imports(`{ defineTool${usesContext ? ", ToolError" : ""} }`, "#tool")}

export default defineTool({
  version: "1.0.0",
  // For the model: what the tool does, when to use it, and what it returns.
  description: "${TOOL_DESCRIPTION}",
  // If it changes nothing, say so: annotations: { readOnly: true }
${when(required, `  requirements: { ${required} },`)}${when(session, "  session: true,")}  input: v.object({
    text: v.pipe(v.string(), v.description("The text to repeat.")),
  }),
  output: ${session ? "v.object({ text: v.string(), count: v.number() })" : "v.string()"},
  ${usesContext ? "async " : ""}run({ text }${usesContext ? ", ctx" : ""}) {
${when(session, `    if (ctx.session === undefined) throw new ToolError("This tool needs a session");`)}${when(calls, request)}${session ? counted : `    return ${answer};`}
  },
});
`;
}

export function toolTestText({ id }: Target, { secret, authorization, session }: Needs): string {
  const calls = secret !== undefined || authorization !== undefined;
  const name = authorization?.includes("-") ? `"${authorization}"` : authorization;
  const given = `/** What the tool requires, and the service that it calls: no request leaves this machine. */
const OPTIONS = {
${when(secret, `  secrets: { ${secret}: "a key" },`)}${when(authorization, `  authorization: { ${name}: "a token" },`)}  fetch: { "POST ${SERVICE}": async (request: Request) => new Response(await request.text()) },
};
`;
  const call = (options: string) => `await callTool("${id}", { text: "hello" }${options});`;
  const again = call(`, { ${calls ? "...OPTIONS, " : ""}session: first.session }`);
  const once = `  const { value } = ${call(calls ? ", OPTIONS" : "")}
  expect(value).toEqual("hello");`;
  const twice = `  const first = ${call(calls ? ", OPTIONS" : "")}
  expect(first.value).toEqual({ text: "hello", count: 1 });
  const second = ${again}
  expect(second.value).toEqual({ text: "hello", count: 2 });`;
  const withoutSecret = `
it("does not run without its secret", async () => {
  const { error } = ${call(", { ...OPTIONS, secrets: {} }")}
  expect(error?.reason).toBe("requirements");
});`;
  const wrongInput = `
it("takes only a text", async () => {
  // @ts-expect-error: callers can send anything
  const { error } = await callTool("${id}", { text: 1 });
  expect(error?.parameters).toEqual({ text: "Must be a string" });
});`;
  return `${imports("{ expect, it }", "vitest")}
${imports("{ callTool }", "#test")}

${when(calls, given)}it("repeats a text", async () => {
${session ? twice : once}
});
${when(secret, withoutSecret)}${when(!calls, wrongInput)}`;
}
