/** The texts of a new prompt, resource or event, and of their tests. */
import { EVENT_DESCRIPTION, PROMPT_DESCRIPTION, RESOURCE_DESCRIPTION } from "../lib/examples.ts";
import type { Target } from "./target.ts";

/** The file of a new prompt. */
export const PROMPT_TEXT = `import { definePrompt } from "#tool";

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

/** The test of a new prompt. */
export const promptTestText = ({ mcpName }: Target) => `import { expect, it } from "vitest";
import { getPrompt } from "#test";

it("asks for an explanation", async () => {
  const { value } = await getPrompt("${mcpName}", { topic: "tides" });
  const content = { type: "text", text: "Explain tides in three sentences." };
  expect(value).toEqual([{ role: "user", content }]);
});
`;

/** The file of a new resource. */
export const resourceText = ({ toolkit, name }: Target) => `import { defineResource } from "#tool";

export default defineResource({
  // With a {variable} in it, this is a family of resources, and \`read\` gets the variable.
  uri: "${toolkit}://${name}",
  description: "${RESOURCE_DESCRIPTION}",
  mimeType: "text/plain",
  read: () => "Hello!",
});
`;

/** The test of a new resource. */
export const resourceTestText = ({ toolkit, name }: Target) => `import { expect, it } from "vitest";
import { readResource } from "#test";

it("is a greeting", async () => {
  const { value } = await readResource("${toolkit}://${name}");
  expect(value).toMatchObject([{ text: "Hello!" }]);
});
`;

/** The file of a new event. */
export const eventText = ({ toolkit, name }: Target) => `import * as v from "valibot";
import { defineEvent } from "#tool";

export default defineEvent({
  name: "${toolkit}.${name}",
  // For a model that decides what to subscribe to.
  description: "${EVENT_DESCRIPTION}",
  // What subscribers get. A tool tells them: await ctx.emit(theEvent, { id })
  payload: v.object({ id: v.string() }),
});
`;

/** The test of a new event. */
export const eventTestText = ({ name }: Target) => `import * as v from "valibot";
import { expect, it } from "vitest";
import event from "./${name}.event.ts";

it("says what has changed", () => {
  expect(v.is(event.payload, { id: "1" })).toBe(true);
  expect(v.is(event.payload, {})).toBe(false);
});
`;
