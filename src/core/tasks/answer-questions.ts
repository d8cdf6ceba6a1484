/** Puts the questions of a task to a caller that waits for it, in the way that its protocol has. */
import { atMost } from "../lib/wait.ts";
import type { Caller } from "../model/call.ts";
import type { TaskView } from "../model/call-result.ts";
import { type Outcome, questionInWords } from "../model/outcome.ts";
import { ANSWER_MS, hashOf } from "../run/questions.ts";

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
  const asking = Array.from(questions, async ([name, question]) => {
    // A client that cannot answer gives no answer that fits, and the tool is told so.
    const answer = await elicit(question).catch(() => null);
    await send(new Map([[name, answer]]));
  });
  await atMost(
    Promise.allSettled(asking).then(() => {}),
    ANSWER_MS,
  );
  return undefined;
}
