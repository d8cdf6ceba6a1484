/** The texts of a new prompt, resource or event, and of their tests. */
import { EVENT_DESCRIPTION, PROMPT_DESCRIPTION, RESOURCE_DESCRIPTION } from "../lib/examples.ts";
import type { Target } from "./target.ts";
import { imports } from "./tool-text.ts";

export const PROMPT_TEXT = `${imports("{ definePrompt }", "#tool")}

export default definePrompt({
  // For the person who picks it.
  description: "${PROMPT_DESCRIPTION}",
  arguments: {
    topic: { description: "What to explain.", required: true },
  },
  // What the user says to the model.
  get: ({ topic }) => \`Explain \${topic} in three sentences.\`,
});
`;

export const promptTestText = ({ mcpName }: Target) => `${imports("{ expect, it }", "vitest")}
${imports("{ getPrompt }", "#test")}

it("asks for an explanation", async () => {
  const { value } = await getPrompt("${mcpName}", { topic: "tides" });
  const content = { type: "text", text: "Explain tides in three sentences." };
  expect(value).toEqual([{ role: "user", content }]);
});
`;

export const resourceText = ({ toolkit, name }: Target) => `${imports("{ defineResource }", "#tool")}

export default defineResource({
  // With a {variable} in it, this is a family of resources, and \`read\` gets the variable.
  uri: "${toolkit}://${name}",
  description: "${RESOURCE_DESCRIPTION}",
  mimeType: "text/plain",
  read: () => "Hello!",
});
`;

export const resourceTestText = ({ toolkit, name }: Target) => `${imports("{ expect, it }", "vitest")}
${imports("{ readResource }", "#test")}

it("is a greeting", async () => {
  const { value } = await readResource("${toolkit}://${name}");
  expect(value).toMatchObject([{ text: "Hello!" }]);
});
`;

export const eventText = ({ toolkit, name }: Target) => `${imports("* as v", "valibot")}
${imports("{ defineEvent }", "#tool")}

export default defineEvent({
  name: "${toolkit}.${name}",
  // For a model that decides what to subscribe to.
  description: "${EVENT_DESCRIPTION}",
  // What subscribers get. A tool tells them: await ctx.emit(theEvent, { id })
  payload: v.object({ id: v.string() }),
});
`;

export const eventTestText = ({ name }: Target) => `${imports("* as v", "valibot")}
${imports("{ expect, it }", "vitest")}
${imports("event", `./${name}.event.ts`)}

it("says what has changed", () => {
  expect(v.is(event.payload, { id: "1" })).toBe(true);
  expect(v.is(event.payload, {})).toBe(false);
});
`;
