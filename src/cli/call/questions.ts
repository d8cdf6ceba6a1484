/**
 * Asks the person what a tool asks: one line for each field of a form, with its type, choices and default
 * (MCP 2026-07-28, client/elicitation). Uses the streams that it is given, so that tests can answer.
 */
import { createInterface, type Interface } from "node:readline/promises";
import { plain } from "../lib/plain.ts";
import { checkValue } from "./input/check.ts";
import { coerce } from "./input/coerce.ts";
import { typeInWords } from "./input/describe.ts";
import type { Screen } from "./progress.ts";
import type { Answer, JsonSchema, Question } from "./protocols/connection.ts";

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream & Screen;
  /** Called for Ctrl+C, which the terminal does not send as a signal while a line is read. */
  interrupt(): void;
}

/** The person pressed Ctrl+D, or the input has ended: they do not answer. */
class Declined extends Error {}

/** @returns the answer; `decline` for Ctrl+D. Rejects with the signal's reason once it is aborted */
export async function askPerson(question: Question, terminal: Terminal, signal: AbortSignal): Promise<Answer> {
  const { input, output } = terminal;
  const lines = createInterface({ input, output, terminal: output.isTTY === true });
  lines.on("SIGINT", () => terminal.interrupt());
  try {
    output.write(`\n${plain(question.message)}  (Ctrl+D declines)\n`);
    if ("url" in question) return await visit(question.url, lines, output, signal);
    return { action: "accept", content: await fill(question.form, lines, output, signal) };
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
    output.write("\n");
    return { action: "decline" };
  } finally {
    lines.close();
  }
}

async function visit(url: string, lines: Interface, output: Screen, signal: AbortSignal): Promise<Answer> {
  // Written out, and not opened: the person reads first where it leads.
  output.write(`Open this page: ${plain(url)}\n`);
  await ask("Press Enter when you are done there: ", lines, signal);
  return { action: "accept" };
}

type Content = NonNullable<Answer["content"]>;

async function fill(form: JsonSchema, lines: Interface, output: Screen, signal: AbortSignal): Promise<Content> {
  const fields = Object.entries((form.properties ?? {}) as Record<string, JsonSchema>);
  const required = (form.required ?? []) as readonly string[];
  if (fields.length === 0) await ask("Press Enter to accept: ", lines, signal);
  const content: Record<string, Content[string]> = {};
  for (const [name, field] of fields) {
    const choices = choicesOf(field);
    const value = await askField(name, field, choices, required.includes(name), lines, output, signal);
    if (value !== undefined) content[name] = value;
  }
  return content;
}

/** Asks until the answer fits. @returns undefined for a field that is left out */
async function askField(
  name: string,
  field: JsonSchema,
  choices: readonly Choice[],
  isRequired: boolean,
  lines: Interface,
  output: Screen,
  signal: AbortSignal,
): Promise<Content[string] | undefined> {
  const title = plain(String(field.title ?? name));
  const about = field.description === undefined ? "" : ` ${plain(String(field.description))}`;
  const kind = choices.length > 0 ? (field.type === "array" ? "some, with commas" : "one") : plain(typeInWords(field));
  const byDefault = field.default === undefined ? "" : `, Enter for ${plain(JSON.stringify(field.default))}`;
  const optional = isRequired || byDefault !== "" ? "" : ", Enter for none";
  if (about !== "") output.write(` ${about}\n`);
  for (const [index, { value, title }] of choices.entries()) {
    output.write(`  ${index + 1}. ${plain(title)}${title === value ? "" : ` (${plain(value)})`}\n`);
  }
  for (;;) {
    const line = (await ask(`${title} (${kind}${byDefault}${optional}): `, lines, signal)).trim();
    if (line === "" && field.default !== undefined) return field.default as Content[string];
    if (line === "" && !isRequired) return undefined;
    const value = line === "" ? undefined : choices.length > 0 ? choose(line, field, choices) : coerce([line], field);
    const problems = value === undefined ? ["an answer is required"] : checkValue(value, field);
    if (problems.length === 0) return value as Content[string];
    output.write(`  ${plain(problems.join("; "))}\n`);
  }
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** Of a field with one answer or several: `enum`, with or without `enumNames`, or `oneOf` and `anyOf` with titles. */
function choicesOf(field: JsonSchema): Choice[] {
  const from = (field.type === "array" ? (field.items ?? {}) : field) as JsonSchema;
  const titled = (from.oneOf ?? from.anyOf) as readonly { const?: unknown; title?: unknown }[] | undefined;
  if (titled) return titled.map(({ const: value, title }) => ({ value: String(value), title: String(title ?? value) }));
  const names = (from.enumNames ?? []) as readonly unknown[];
  return ((from.enum ?? []) as readonly unknown[]).map((value, index) => ({
    value: String(value),
    title: String(names[index] ?? value),
  }));
}

/** The values of the choices that a line names by number, value or title. Any other text stays, and fails the check. */
function choose(line: string, field: JsonSchema, choices: readonly Choice[]): string | string[] {
  const value = (text: string) => {
    const written = choices.find(({ value, title }) => value === text || title.toLowerCase() === text.toLowerCase());
    return (written ?? (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined))?.value ?? text;
  };
  return field.type === "array" ? line.split(",").map((part) => value(part.trim())) : value(line);
}

/** Reads a line. @throws {Declined} if there is none */
async function ask(prompt: string, lines: Interface, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const closed = Promise.withResolvers<never>();
  const decline = () => closed.reject(new Declined());
  lines.once("close", decline);
  try {
    return await Promise.race([lines.question(prompt, { signal }), closed.promise]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    lines.off("close", decline);
  }
}
