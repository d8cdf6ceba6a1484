/** Long tools: their calls become tasks, which go on after their requests. */
import type { Feature } from "../feature.ts";
import { LONG, ledgers, taskSettings } from "./bindings.ts";
import { ledgerIn } from "./ledger/object-ledger.ts";
import { readLongTool, renderAccepted } from "./mcp/long-tools.ts";
import { methodsWithTasks, wrongTaskName } from "./mcp/methods.ts";
import { subscribeWithTasks } from "./mcp/subscriptions.ts";
import { readTaskSettings } from "./settings.ts";
import { stepsWithTasks } from "./steps.ts";
import { createTasks } from "./tasks.ts";

export const feature: Feature = {
  readSettings: readTaskSettings,
  provide(runtime) {
    // Discovery asks for both if a tool is long. In a copy that lacks one, calls of long tools end with their requests.
    if (ledgers === undefined || LONG === undefined) return runtime;
    const objects = ledgers;
    const { waitSeconds, tasksPerPrincipal, keepSeconds } = taskSettings;
    const tasks = createTasks({
      ledgerOf: (partition) => ledgerIn(objects, partition),
      waitMs: waitSeconds * 1_000,
      limit: tasksPerPrincipal,
      keepMs: keepSeconds * 1_000,
    });
    return { ...runtime, tasks };
  },
  steps: stepsWithTasks,
  mcp: {
    modern: {
      methods: methodsWithTasks,
      streams: { "subscriptions/listen": subscribeWithTasks },
      wrongHeader: wrongTaskName,
    },
    readTool: readLongTool,
    renderAccepted,
  },
};
