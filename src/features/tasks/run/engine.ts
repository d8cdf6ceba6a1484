/** Runs tasks on Cloudflare Workflows, which keeps steps, and survives crashes and deployments. */
import type { WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { sha256 } from "../../../core/crypto/digest.ts";
import type { EngineRun } from "./task-context.ts";

export type Engine = ReturnType<typeof workflowEngine>;

/** What an instance of the workflow is given. Its id is that of the task. */
export interface RunParams {
  readonly partition: string;
}

/** Statuses of an instance that will not run any more. */
const ENDED: readonly string[] = ["complete", "errored", "terminated"];
const REVIVE = "revive";
/** The longest that an event can be waited for (Workflows, Limits). A task that is forgotten earlier stops its run. */
export const LONGEST = "365 days";

/** A step that was cut short is tried again. One that has failed is not: its tool decides. */
const CUT_SHORT = { retries: { limit: 20, delay: "1 second", backoff: "constant" }, timeout: LONGEST } as const;

/** How long Workflows keep what a run has stored after its end. Only people look at it then, and it costs. */
const RETENTION = { successRetention: "1 hour", errorRetention: "1 day" } as const;

/** Runs tasks. Each method may be called again, and rejects if the engine cannot be reached. */
export function workflowEngine(workflow: Workflow<RunParams>) {
  const engine = {
    async start(id: string, partition: string): Promise<void> {
      try {
        await workflow.create({ id, params: { partition }, retention: RETENTION });
      } catch (error) {
        const exists = await workflow.get(id).then(
          () => true,
          () => false,
        );
        if (!exists) throw error;
        // The instance was created before, and has not begun: its process may have been killed.
        await engine.revive(id);
      }
    },
    /** Runs a task again whose run may have died. Keeps its checkpoints. @returns false if that is not possible */
    async revive(id: string): Promise<boolean> {
      const instance = await workflow.get(id).catch((error) => {
        // The instance was deleted, and its steps with it. Or an earlier version of the code ran the task, in an
        // object.
        if (!String(error).includes("not_found")) throw error;
      });
      if (instance === undefined) return false;
      const { status } = await instance.status();
      if (ENDED.includes(status)) return false;
      // Under `wrangler dev`, an instance whose process was killed stays "running" until something happens to it. An
      // event that nobody waits for has no other effect.
      await instance.sendEvent({ type: REVIVE, payload: null });
      return true;
    },
    async stop(id: string): Promise<void> {
      const instance = await workflow.get(id);
      const { status } = await instance.status();
      if (!ENDED.includes(status)) await instance.terminate();
    },
    async wake(id: string, question: string): Promise<void> {
      const instance = await workflow.get(id);
      await instance.sendEvent({ type: await eventOf(question), payload: null });
    },
  };
  return engine;
}

/** @param step of the workflow's run */
export function workflowRun(step: WorkflowStep): EngineRun {
  return {
    doStep: (name, work) =>
      step.do(name, CUT_SHORT, () =>
        work().catch((error: Error) => {
          throw error.name === "RunOver" ? error : new NonRetryableError("The step has failed");
        }),
      ),
    async untilWoken(question) {
      await step.waitForEvent(`the answer to ${question}`, { type: await eventOf(question), timeout: LONGEST });
    },
  };
}

/** The type of event for a question: a hash, because a type has letters, digits, - and _ only (Workflows' documentation). */
async function eventOf(question: string): Promise<string> {
  return `answer-${(await sha256(question)).slice(0, 32)}`;
}
