/** Tasks across a deployment: their version stays theirs, and whoever may not see their tool any more does not see them. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MadeKey } from "../../../src/cli/keys/make.ts";
import { build } from "../../support/node/build.ts";
import { type Keys, keysOf } from "../../support/node/deployed.ts";
import {
  asking,
  callModern,
  endOf,
  type Long,
  modern,
  saying,
  serveLong,
  startTask,
  TASKS,
  update,
  type Way,
} from "../../support/node/long.ts";

const job = (version: string, says: string) => `import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "${version}",
  description: "Asks, and says which version it is.",
  long: true,
  output: v.string(),
  async run(_, ctx) {
    const first = await ctx.step("first", () => "begun by ${version}");
    const answer = await ctx.elicit("go", { message: "Go on?", fields: { text: { type: "string" } } });
    return first + ", ${says}, " + answer.action;
  },
});
`;

let server: Long;
let url: string;
let keys: Keys;
beforeAll(async () => {
  const tools = {
    "stays/job.ts": job("1.0.0", "old"),
    "goes/job.ts": job("1.0.0", "old"),
    "same/job.ts": job("1.0.0", "old"),
  };
  server = await serveLong({ tools, closed: true, vars: { TASK_LEASE_SECONDS: "2" } });
  url = server.url;
  keys = await keysOf(server);
});
afterAll(() => server?.stop());

async function newKey(): Promise<{ key: MadeKey; way: Way }> {
  const key = await keys.makeKey({ scopes: ["*"] });
  const way = { headers: { authorization: `Bearer ${key.text}` }, capabilities: { ...TASKS, elicitation: {} } };
  return { key, way };
}
/** The answer to the question, and the end. */
async function goOn(taskId: string, way: Way) {
  await asking(url, taskId, way);
  await update(url, taskId, { go: saying("yes") }, way);
  return endOf(url, taskId, way);
}

it("keep their version, their caller and their results", async () => {
  const { way } = await newKey();
  const revoked = await newKey();
  const limited = await newKey();
  const [stays, goes, same, done, others, hidden] = await Promise.all([
    startTask(url, "Stays_Job", {}, way),
    startTask(url, "Goes_Job", {}, way),
    startTask(url, "Same_Job", {}, way),
    startTask(url, "Goes_Job", {}, way),
    startTask(url, "Same_Job", {}, revoked.way),
    startTask(url, "Same_Job", {}, limited.way),
  ]);
  const result = (await goOn(done, way)).result;
  expect(result.structuredContent).toBe("begun by 1.0.0, old, accept");
  for (const id of [stays, goes, same]) await asking(url, id, way);
  await asking(url, others, revoked.way);
  await asking(url, hidden, limited.way);

  // The deployment adds a version to one tool, and replaces that of another.
  server.fork.write("tools/stays/job@1.ts", job("1.0.0", "old"));
  server.fork.write("tools/stays/job.ts", job("2.0.0", "new"));
  server.fork.write("tools/goes/job.ts", job("2.0.0", "new"));
  await build(server.fork);
  await keys.revoke(revoked.key);
  await keys.changeKey(limited.key, { toolkits: ["stays"] });
  await server.restart();
  url = server.url;

  const latest = await startTask(url, "Goes_Job", {}, way);
  expect((await goOn(latest, way)).result.structuredContent).toBe("begun by 2.0.0, new, accept");
  // A result stays, although its version is gone.
  expect((await endOf(url, done, way)).result).toEqual(result);
  expect((await goOn(same, way)).result.structuredContent).toBe("begun by 1.0.0, old, accept");
  expect((await goOn(stays, way)).result.structuredContent).toBe("begun by 1.0.0, old, accept");
  const gone = await goOn(goes, way);
  expect(gone).toMatchObject({ status: "failed", statusMessage: expect.stringContaining("no longer deployed") });
  expect(gone.error.message).toBe(gone.statusMessage);

  expect((await modern(url, "tasks/get", { taskId: others }, revoked.way)).status).toBe(401);
  expect((await modern(url, "tasks/get", { taskId: hidden }, limited.way)).body.error.code).toBe(-32602);
  expect((await callModern(url, "Same_Job", { task_id: hidden }, limited.way)).error.code).toBe(-32602);
});
