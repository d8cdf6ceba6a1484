/** A promise that a tool does not await, and that rejects, is in the log of a deployment. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Fork, makeFork, type ServedBuilt, serveBuilt, until } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { tool } from "../../support/node/project.ts";

const SECRET = "s3cret-of-the-call";
/** Fails after its tool has returned. */
const stray = (requirements: string) =>
  tool({
    input: undefined,
    requirements,
    run: `(_, ctx: any) => {
      const send = async () => { await 0; throw new RangeError("refused: " + Object.values(ctx.secrets)); };
      send();
      return "done";
    }`,
  });

const forks: Fork[] = [];
const served: ServedBuilt[] = [];
/** A deployment with this tool, and another without secrets. */
async function serve(requirements: string): Promise<ServedBuilt> {
  const fork = makeFork({ "kit/stray.ts": stray(requirements) });
  forks.push(fork);
  const settings = fork.read("wrangler.toml");
  fork.write("wrangler.toml", settings.replace("[vars]", `[vars]\nOWN_KEY = "${SECRET}"`));
  const server = await serveBuilt(fork);
  served.push(server);
  return server;
}
let own: ServedBuilt;
let sent: ServedBuilt;
beforeAll(async () => {
  own = await serve('{ secrets: [{ id: "OWN_KEY", from: "worker" }] }');
  sent = await serve('{ secrets: ["SENT_KEY"] }');
});
afterAll(async () => {
  for (const server of served) await server.stop();
  for (const fork of forks) fork.remove();
});

/** What is logged of the promise. */
async function logged({ url, logs }: ServedBuilt, context: object = {}): Promise<{ message: string; stack: string }> {
  const call = { request: { tool_id: "Kit.Stray", input: {}, context } };
  expect((await postJson(`${url}/tools/call`, call)).body.result).toMatchObject({ success: true, value: "done" });
  const found = () => logs().filter((line) => line.includes('"message":"unhandled rejection"'));
  await until(async () => found().length > 0);
  const entry = JSON.parse(found()[0] ?? "");
  expect(entry).toMatchObject({ level: "error", error: { name: "RangeError" } });
  expect(logs().join("\n")).not.toContain(SECRET);
  return entry.error;
}

it("with its message, without the Worker's secrets", async () => {
  const { message, stack } = await logged(own);
  expect(message).toBe("refused: [redacted]");
  expect(stack).toMatch(/\n {4}at .*index\.js:\d+:\d+/);
});

it("without its message where callers send secrets, since nobody knows whose call it was", async () => {
  const { message, stack } = await logged(sent, { secrets: [{ id: "SENT_KEY", value: SECRET }] });
  expect(message).toContain("not logged");
  expect(stack).toMatch(/^ {4}at .*index\.js:\d+:\d+/);
});
