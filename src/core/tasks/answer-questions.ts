/** Puts the questions of a task to a caller that waits for it, in the way that its protocol has. */
import type { Caller } from "../model/call.ts";
import type { TaskView } from "../model/call-result.ts";
import { type Outcome, questionInWords } from "../model/outcome.ts";
import { hashOf } from "../run/questions.ts";

/**
 * @param send gives answers to the task, by the names of their questions
 * @returns undefined if an answer was sent; else the outcome that asks the caller to call again with answers
 */
export async function answerQuestions(
  { questions }: TaskView,
  { elicitation }: Caller,
  send: (answers: ReadonlyMap<string, unknown>) => Promise<unknown>,
): Promise<Outcome | undefined> {
  const sent = new Map<string, unknown>();
  for (const [name, question] of questions) {
    const given = elicitation?.answers?.get(name);
    if (given === undefined) continue;
    if (given.question === undefined || given.question === (await hashOf(question))) sent.set(name, given.answer);
  }
  if (sent.size > 0) {
    await send(sent);
    return undefined;
  }
  const unsupported = [...questions.values()].find(({ kind }) => !elicitation?.capabilities.has(kind));
  if (unsupported) {
    const { kind: capability } = unsupported;
    return { kind: "refused", refusal: { reason: "capability", capability, question: questionInWords(unsupported) } };
  }
  const elicit = elicitation?.elicit;
  if (elicit === undefined) return { kind: "asking", questions, answered: new Map() };
  for (const [name, question] of questions) await send(new Map([[name, await elicit(question)]]));
  return undefined;
}
