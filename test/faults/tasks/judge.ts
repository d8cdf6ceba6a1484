/** Checks what became of a task: its final state, and its effects. */
import { COLOUR, type Follower } from "./follower.ts";
import type { TaskTally } from "./plan.ts";
import type { Recorder } from "./recorder.ts";

const INTERRUPTED = /^The server was interrupted while this call was running\. The call may have had its effect/;

export function judge(task: Follower, recorder: Recorder, tally: TaskTally): void {
  const { wrong, samples } = tally;
  const { name, end, request } = task;
  const { tool } = request;
  const valuesOf = (what: string) => recorder.valuesOf(name, what);
  const happened = (what: string) => valuesOf(what).length;
  const note = (what: keyof typeof wrong, because: string) => {
    wrong[what]++;
    const effects = recorder.of(name).join(", ");
    const lives = `${task.bornIn} to ${task.endedIn}, asked ${task.askedIn}, answered ${task.answeredIn}`;
    samples.push(`${what}: ${name} over ${request.over}, ${because}: ${JSON.stringify(end)}; ${effects}; ${lives}`);
  };
  tally.tasks++;
  if (end === undefined) {
    note("unfinished", "no end");
    return;
  }

  const isInterrupted = end.is === "failed" && INTERRUPTED.test(end.message);
  const outcome = end.is === "completed" ? "completed" : isInterrupted ? "interrupted" : "refused";
  tally[outcome]++;
  if (isInterrupted && task.bornIn === task.endedIn) tally.stalled++;

  switch (tool) {
    case "Plain":
    case "Ask": {
      const start = tool === "Ask" ? `${name} ${COLOUR} ` : `${name} `;
      const isRight = end.is === "completed" && end.value.startsWith(start) && happened("effect") === 1;
      if (!isRight && !isInterrupted) note("misended", "neither its result nor interrupted");
      if (isInterrupted && task.askedIn !== undefined && !task.mayHaveAnswer) note("misended", "it only waited");
      if (isInterrupted && task.answeredIn !== undefined && happened("effect") === 0) tally.unusedAnswers++;
      if (happened("effect") > 1) note("twice", "effect");
      break;
    }
    case "Refuse": {
      const isRight = end.is === "failed" && end.message === `${name} refused` && happened("effect") === 1;
      if (!isRight && !isInterrupted) note("misended", "neither its failure nor interrupted");
      if (happened("effect") > 1) note("twice", "effect");
      break;
    }
    case "Repeat": {
      if (end.is !== "completed" || !end.value.startsWith(`${name} `)) note("misended", "it may be repeated");
      tally.repeatedEffects += Math.max(0, happened("effect") - 1);
      break;
    }
    case "Steps": {
      const steps = ["0 first", "1 once", "2 once", "3 last"];
      for (const step of steps) {
        if (new Set(valuesOf(`after ${step}`)).size > 1) note("stepsAgain", step);
        if (happened(`in ${step}`) < 2) continue;
        if (step.endsWith("once")) note("twice", step);
        else tally.repeatedEffects += happened(`in ${step}`) - 1;
      }
      const kept = steps.map((step) => valuesOf(`after ${step}`)[0]);
      const isRight = end.is === "completed" && end.value === [name, ...kept].join(" ");
      if (!isRight && !isInterrupted) note("misended", "neither its result nor interrupted");
      // Past its steps that must not be done twice, it can always go on.
      if (isInterrupted && happened("after 2 once") > 0) note("misended", "it had a checkpoint");
      break;
    }
    default:
      throw new TypeError(`no such tool: ${tool}`);
  }
}
