/** The server's own event `task.finished`. Deployments with long tools list it; the ledger of tasks emits it. */
import * as v from "valibot";
import type { EventEntry } from "../../../core/model/primitives.ts";
import { TASK_FINISHED } from "../../../core/ports/outbox.ts";

const STATUSES = ["completed", "failed", "cancelled"] as const;

const definition = {
  name: TASK_FINISHED,
  description: "A task has ended: a call of a long tool was completed, has failed or was cancelled.",
  input: v.object({ tool: v.optional(v.string()) }),
  payload: v.object({ task_id: v.string(), tool: v.string(), status: v.picklist(STATUSES) }),
};

export const taskFinished: EventEntry = {
  name: TASK_FINISHED,
  toolkit: undefined,
  about: {
    description: definition.description,
    delivery: ["webhook", "push", "poll"],
    // What discovery would make of the schemas above.
    input: {
      type: "object",
      properties: { tool: { type: "string", description: "Only tasks of this tool: Toolkit.Tool." } },
    },
    payload: {
      type: "object",
      properties: {
        task_id: { type: "string" },
        tool: { type: "string" },
        status: { type: "string", enum: STATUSES },
      },
      required: ["task_id", "tool", "status"],
    },
  },
  options: {},
  load: async () => ({ default: definition }),
};
