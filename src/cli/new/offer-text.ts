/** The texts of a new prompt, resource or event, and of their tests. */
import { EVENT_DESCRIPTION, PROMPT_DESCRIPTION, RESOURCE_DESCRIPTION } from "../lib/examples.ts";
import type { Target } from "./target.ts";
import { imports, lines } from "./tool-text.ts";

/** The file of a new prompt. */
export function promptText(): string {
  return lines(
    imports("definePrompt", "#tool"),
    "",
    "export default definePrompt({",
    "  // For the person who picks it.",
    `  description: "${PROMPT_DESCRIPTION}",`,
    "  arguments: {",
    `    topic: { description: "What to explain.", required: true },`,
    "  },",
    "  // What the user says to the model.",
    `  get: ({ topic }) => \`Explain \${topic} in three sentences.\`,`,
    "});",
  );
}

/** The test of a new prompt. */
export function promptTestText({ mcpName }: Target): string {
  return lines(
    imports("expect, it", "vitest"),
    imports("getPrompt", "#test"),
    "",
    `it("asks for an explanation", async () => {`,
    `  const { value } = await getPrompt("${mcpName}", { topic: "tides" });`,
    `  const content = { type: "text", text: "Explain tides in three sentences." };`,
    `  expect(value).toEqual([{ role: "user", content }]);`,
    "});",
  );
}

/** The file of a new resource. */
export function resourceText(target: Target): string {
  return lines(
    imports("defineResource", "#tool"),
    "",
    "export default defineResource({",
    "  // With a {variable} in it, this is a family of resources, and `read` gets the variable.",
    `  uri: "${uriOf(target)}",`,
    `  description: "${RESOURCE_DESCRIPTION}",`,
    `  mimeType: "text/plain",`,
    `  read: () => "Hello!",`,
    "});",
  );
}

/** The test of a new resource. */
export function resourceTestText(target: Target): string {
  return lines(
    imports("expect, it", "vitest"),
    imports("readResource", "#test"),
    "",
    `it("is a greeting", async () => {`,
    `  const { value } = await readResource("${uriOf(target)}");`,
    `  expect(value).toMatchObject([{ text: "Hello!" }]);`,
    "});",
  );
}

/** The file of a new event. */
export function eventText({ toolkit, name }: Target): string {
  const fullName = `${toolkit}.${name}`;
  return lines(
    `import * as v from "valibot";`,
    imports("defineEvent", "#tool"),
    "",
    "export default defineEvent({",
    `  name: "${fullName}",`,
    "  // For a model that decides what to subscribe to.",
    `  description: "${EVENT_DESCRIPTION}",`,
    "  // What subscribers get. A tool tells them: await ctx.emit(theEvent, { id })",
    "  payload: v.object({ id: v.string() }),",
    "});",
  );
}

/** The test of a new event. */
export function eventTestText({ name }: Target): string {
  const file = `./${name}.event.ts`;
  return lines(
    `import * as v from "valibot";`,
    imports("expect, it", "vitest"),
    `import event from "${file}";`,
    "",
    `it("says what has changed", () => {`,
    `  expect(v.is(event.payload, { id: "1" })).toBe(true);`,
    `  expect(v.is(event.payload, {})).toBe(false);`,
    "});",
  );
}

const uriOf = ({ toolkit, name }: Target) => `${toolkit}://${name}`;
