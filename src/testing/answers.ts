/**
 * Answers the questions of a call from a script, as clients of MCP 2026-07-28 do: the call ends with its questions, and
 * runs again from its start with the answers.
 */
import { hashOf } from "../core/call/questions.ts";
import type { InputResponses } from "../core/model/call.ts";
import { type Field, type Question, readAnswer } from "../core/model/elicitation.ts";
import { type Outcome, questionsInWords } from "../core/model/outcome.ts";
import { isUpload, type TestFiles } from "./attachments.ts";
import type { Answers } from "./types.ts";

/** More questions than any call needs: a tool that asks until it likes the answer would never end. */
const MAX_QUESTIONS = 30;

/**
 * Runs a call until it has no more questions.
 *
 * @param subject name of the tool, prompt or resource, for messages
 * @param files   where files are uploaded to
 * @param run     runs the call with the answers so far; undefined the first time
 * @throws if a question has no answer, or its answer does not fit it
 */
export async function untilAnswered<Ended extends { readonly outcome: Outcome }>(
  subject: string,
  script: Answers = {},
  files: TestFiles,
  run: (answers: InputResponses | undefined) => Promise<Ended>,
): Promise<Ended> {
  const answerTo =
    typeof script === "function" ? script : (key: string) => (Object.hasOwn(script, key) ? script[key] : undefined);
  const answers = new Map<string, { question: string; answer: unknown }>();
  for (;;) {
    const ended = await run(answers.size > 0 ? answers : undefined);
    if (ended.outcome.kind !== "asking") return ended;
    // Clients also send back what was answered before.
    for (const [name, { question = "", answer }] of ended.outcome.answered) answers.set(name, { question, answer });
    for (const [key, question] of ended.outcome.questions) {
      const asked = `${subject} asked ${JSON.stringify(key)}`;
      const words = questionsInWords(new Map([[key, question]]));
      if (answers.has(key)) {
        const rule = "An answer counts only for the exact question, so put no time or random value in it";
        throw new Error(`${asked} in other words when it ran again with the answer: ${words}. ${rule}`);
      }
      const given = answerTo(key, question);
      const answer = await files.answer(question, given);
      if (answer === undefined) {
        throw new Error(`${asked}, and the test does not answer: ${words}\nAnswer it: ${example(key, question)}`);
      }
      const lacksFile = isUpload(question) && answer === given && "action" in answer && answer.action === "accept";
      if (lacksFile || readAnswer(question, answer) === undefined) {
        const problem = `the answer ${JSON.stringify(answer)} does not fit: ${words}`;
        throw new Error(`${asked}, and ${problem}\nIt is like ${example(key, question)}`);
      }
      answers.set(key, { question: await hashOf(question), answer });
    }
    if (answers.size > MAX_QUESTIONS) throw new Error(`${subject} asked more than ${MAX_QUESTIONS} questions`);
  }
}

/** An option of `callTool` that answers the question. */
function example(key: string, question: Question): string {
  const name = /^\w+$/.test(key) ? key : JSON.stringify(key);
  return `{ answers: { ${name}: ${EXAMPLES[question.kind](question as never)} } }`;
}

const EXAMPLES: { readonly [Kind in Question["kind"]]: (question: Question & { kind: Kind }) => string } = {
  form: ({ fields }) => {
    const members = Object.entries(fields).map(([name, field]) => `${name}: ${valueFor(field)}`);
    return `{ action: "accept", content: { ${members.join(", ")} } }`;
  },
  page: (question) =>
    isUpload(question)
      ? `{ action: "accept", file: { name: "a.csv", type: "text/csv", text: "…" } }`
      : `{ action: "accept" }`,
  sample: () => `{ role: "assistant", content: { type: "text", text: "…" }, model: "test" }`,
  roots: () => `{ roots: [{ uri: "file:///…" }] }`,
};

function valueFor(field: Field): string {
  if (field.type === "boolean") return "true";
  if (field.type === "string") return JSON.stringify(field.enum?.[0] ?? field.oneOf?.[0]?.const ?? "…");
  if (field.type !== "array") return String(field.minimum ?? 1);
  return JSON.stringify(["enum" in field.items ? field.items.enum[0] : field.items.anyOf[0]?.const]);
}
