/**
 * Every kind of exchange over the wire is as it was recorded in `transcripts/`: answers with their headers, the order in
 * which they arrive, what is logged, and what receivers get. `npm run golden -- --write` records them again.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Receiver, startReceiver } from "../support/node/receiver.ts";
import { differenceOf } from "./compare.ts";
import { callers, unauthenticated } from "./scenarios/closed.ts";
import { deployed } from "./scenarios/deployed.ts";
import { callbacks, documents, events, files, origins, skills, tasks, views } from "./scenarios/features.ts";
import { keyed, sessions } from "./scenarios/keyed.ts";
import { malformed, malformedCalls } from "./scenarios/malformed.ts";
import { restartIds } from "./scenarios/mcp.ts";
import { mcpBare, mcpLegacy, mcpStreams } from "./scenarios/mcp-legacy.ts";
import { mcpModern } from "./scenarios/mcp-modern.ts";
import { opentool } from "./scenarios/opentool.ts";
import { oxp } from "./scenarios/oxp.ts";
import { downloads, resumed } from "./scenarios/resumed.ts";
import { signIn } from "./scenarios/sign-in.ts";
import { Transcript } from "./transcript.ts";
import { type Golden, serveClosed, serveOpen } from "./workers.ts";

const FOLDER = join(import.meta.dirname, "transcripts");
const isWriting = process.env.GOLDEN === "write";

let receiver: Receiver;
let open: Golden;
let closed: Golden;
beforeAll(async () => {
  receiver = await startReceiver();
  [open, closed] = await Promise.all([serveOpen(receiver.host), serveClosed()]);
});
afterAll(async () => {
  await Promise.all([open?.stop(), closed?.stop(), receiver?.stop()]);
});

type Scenario = (at: Transcript) => Promise<void>;
const ERAS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const OPEN: Readonly<Record<string, () => Scenario>> = {
  oxp: () => oxp,
  opentool: () => opentool,
  "mcp-bare": () => mcpBare,
  ...Object.fromEntries(ERAS.map((era) => [`mcp-${era}`, () => mcpLegacy(era)])),
  "mcp-streams": () => mcpStreams,
  "mcp-2026-07-28": () => mcpModern,
  keyed: () => keyed,
  sessions: () => sessions,
  resumed: () => resumed,
  files: () => files,
  downloads: () => downloads,
  callbacks: () => callbacks(receiver),
  events: () => events(receiver),
  views: () => views,
  skills: () => skills,
  documents: () => documents,
  origins: () => origins,
  malformed: () => malformed,
  "malformed-calls": () => malformedCalls,
  // Last, because a run that was cancelled logs it later, among the lines of whatever comes next.
  tasks: () => tasks,
};
const CLOSED: Readonly<Record<string, () => Scenario>> = {
  unauthenticated: () => unauthenticated,
  callers: () => callers(closed),
  deployed: () => deployed(closed),
  "sign-in": () => signIn(closed),
};

/** What they log comes when it comes: tasks and deliveries go on without a request. */
const GOES_ON = new Set(["tasks", "callbacks", "events"]);

let exchanges = 0;

async function expectAsRecorded(name: string, golden: Golden, scenario: Scenario): Promise<void> {
  restartIds();
  const transcript = new Transcript(golden, { receiver: receiver.host }, GOES_ON.has(name));
  await golden.logged();
  await scenario(transcript);
  exchanges += transcript.count;
  const file = join(FOLDER, `${name}.txt`);
  if (isWriting) writeFileSync(file, `${transcript}`);
  const recorded = existsSync(file) ? readFileSync(file, "utf8") : "";
  const difference = differenceOf(name, recorded, `${transcript}`);
  if (difference !== undefined) throw new Error(`\n${difference}\n\nIf it is meant: npm run golden -- --write`);
}

it.each(Object.keys(OPEN))("%s", (name) => expectAsRecorded(name, open, (OPEN[name] as () => Scenario)()));
it.each(Object.keys(CLOSED))("%s", (name) => expectAsRecorded(name, closed, (CLOSED[name] as () => Scenario)()));

it("there are at least 300 exchanges, and no transcript of nothing", () => {
  console.log(`${exchanges} exchanges in ${Object.keys({ ...OPEN, ...CLOSED }).length} transcripts`);
  expect(exchanges).toBeGreaterThanOrEqual(300);
  expect(readdirSync(FOLDER).sort()).toEqual(
    Object.keys({ ...OPEN, ...CLOSED })
      .map((name) => `${name}.txt`)
      .sort(),
  );
});
