/** Asks a caller that waits for a task the questions of the task, in the way of its protocol. */
import { ANSWER_MS, hashOf, SIGNED } from "../../core/call/questions.ts";
import { atMost } from "../../core/lib/wait.ts";
import type { Caller } from "../../core/model/call.ts";
import type { TaskView } from "../../core/model/call-result.ts";
import { AnsweredWithError, capabilityFor } from "../../core/model/elicitation.ts";
import { type Outcome, questionInWords } from "../../core/model/outcome.ts";

/** Stands for the task's id among the names of questions. If a question has this name, the hash tells them apart. */
const TASK = "\u0000task";

/** The id of the task whose questions the caller answers; undefined if it answers none. */
export function answeredTask({ elicitation }: Caller): string | undefined {
  const given = elicitation?.answers?.get(TASK);
  return given?.question === SIGNED ? (given.answer as string) : undefined;
}

/**
 * @param send gives answers to the task, by the names of their questions
 * @returns undefined if an answer was sent; else the outcome that asks the caller to call again with answers
 */
export async function answerQuestions(
  { id, questions }: TaskView,
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
  const unsupported = [...questions.values()].find((one) => !elicitation?.capabilities.has(capabilityFor(one)));
  if (unsupported) {
    const capability = capabilityFor(unsupported);
    return { kind: "refused", refusal: { reason: "capability", capability, question: questionInWords(unsupported) } };
  }
  const elicit = elicitation?.elicit;
  if (elicit === undefined) {
    // The id comes back with the answers, in what the protocol signs, so that they find their task.
    return { kind: "asking", questions, answered: new Map([[TASK, { question: SIGNED, answer: id }]]) };
  }
  const asking = Array.from(questions, async ([name, question]) => {
    const answer = await elicit(question).catch((error) => {
      // An error is not an answer that fits, and the tool is told so.
      if (error instanceof AnsweredWithError) return null;
      // Nobody has answered, because the session has ended or the time is over: the next call is asked again.
      throw error;
    });
    await send(new Map([[name, answer]]));
  });
  await atMost(Promise.allSettled(asking), ANSWER_MS);
  return undefined;
}
