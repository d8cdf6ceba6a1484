/** Drives tasks over all protocols while their server is killed, and checks each in the end. */
import { setTimeout as sleep } from "node:timers/promises";
import { longRig } from "../../support/node/long-rig.ts";
import { Lives } from "../lives.ts";
import { randomOf } from "../random.ts";
import { Follower } from "./follower.ts";
import { judge } from "./judge.ts";
import { MOMENTS, type Moment, noTaskTally, type TaskPlan, type TaskTally } from "./plan.ts";
import { openRecorder } from "./recorder.ts";
import type { Over } from "./wire.ts";

const TOOLS = ["Plain", "Steps", "Repeat", "Ask", "Refuse"] as const;
const OVER: readonly Over[] = ["mcp", "oxp", "opentool"];
const PRINCIPALS = 4;
/** After the last kill, each task must end within this many leases: the watchdog revives a task ten times at most. */
const MAX_LEASES = 60;

/** Runs the whole plan in servers of its own. */
export async function driveTasks(plan: TaskPlan, progress?: (soFar: TaskTally) => void): Promise<TaskTally> {
  const tally = noTaskTally();
  const random = randomOf(plan.seed);
  const rig = await longRig({
    tools: "test/faults/tools",
    hasWorkflow: true,
    vars: {
      ...{ PUBLIC: "true", LOG_CALLS: "false", LONG_WAIT_SECONDS: "1", TASKS_PER_PRINCIPAL: "1000" },
      TASK_LEASE_SECONDS: `${plan.leaseMs / 1_000}`,
    },
  });
  const all: Follower[] = [];
  const lives = new Lives<Moment>(rig, { ...plan, moments: MOMENTS }, random, (moment) => {
    tally.kills[moment]++;
    tally.hit += all.filter(({ isAnnounced, end }) => isAnnounced && end === undefined).length;
    progress?.(tally);
  });
  const recorder = await openRecorder(() => lives.at("effect"));
  let lastStart = Number.POSITIVE_INFINITY;
  const isLate = () => performance.now() > lastStart + MAX_LEASES * plan.leaseMs;

  const drive = async (at: number) => {
    const tool = TOOLS[at % TOOLS.length] as string;
    const over = tool === "Ask" ? "mcp" : (OVER[Math.floor(random() * OVER.length)] as Over);
    const name = `${tool}-${at}`;
    const input = { name, to: recorder.url, ms: Math.round(plan.takesMs * (0.2 + 0.8 * random())) };
    const request = { over, tool, key: crypto.randomUUID(), input, address: `10.0.0.${1 + (at % PRINCIPALS)}` };
    const isPatient = random() < 0.5;
    const delay = random() * plan.livesMs;
    // So many tasks to each life that the last kill finds as many as the first.
    const life = Math.floor((at * plan.kills) / plan.tasks);
    while (lives.count < life) await sleep(50);
    await sleep(delay);
    const task = new Follower(name, request, lives, tally);
    all.push(task);
    await task.follow(isPatient, isLate);
  };

  try {
    const living = lives.run().then(() => {
      lastStart = performance.now();
    });
    await Promise.all([living, ...Array.from({ length: plan.tasks }, (_, at) => drive(at))]);
    await lives.kill("any");
    const ended = all.filter(({ end }) => end !== undefined);
    await Promise.all(ended.map((task) => task.readAgain()));
    for (const task of all) judge(task, recorder, tally);
    return tally;
  } finally {
    await rig.remove();
    recorder.close();
  }
}
