/** The client against whole servers: ours on workerd, one written from OpenTool 1.0 alone, and two like published SDKs. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../support/node/build.ts";
import { type Deployed, runAll } from "../../support/node/deployed.ts";
import { type Fork, makeFork } from "../../support/node/fork.ts";
import { DOCUMENT, dart, minimal, typescript } from "../support/opentool-servers.ts";
import { type Replaying, serveReplies } from "../support/replaying.ts";
import { RUNTIMES, type Runtime } from "../support/runtimes.ts";

const tool = (run: string, more: string) => `
import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
let runs = 0;
export default defineTool({ version: "1.0.0", description: "For tests.", input: v.object({}), run: ${run}, ${more} });
`;
const TOOLS = {
  "tally/count.ts": tool("() => ({ runs: ++runs })", "output: v.object({ runs: v.number() })"),
  "tally/fail.ts": tool(
    'async () => { throw new ToolError("Away", { canRetry: true, retryAfterMs: 500 + 0 * runs }); }',
    "output: null",
  ),
};

let others: Replaying;
let fork: Fork;
let ours: Deployed;
beforeAll(async () => {
  others = await serveReplies([], { minimal, dart, typescript });
  fork = makeFork(TOOLS, { closed: true });
  await build(fork);
  [ours] = (await runAll(fork, [(env) => env])) as [Deployed];
});
afterAll(async () => {
  await others?.stop();
  await ours?.stop();
  fork?.remove();
});

const sessions = (runtime: Runtime, origin: string, paths: readonly string[], input: object) =>
  runtime.run(
    join(import.meta.dirname, "session.ts"),
    paths.map((path) => ({ url: origin + path, ...input })),
    origin,
  );

const failed = (message: string, more: object = {}) => ({
  threw: "OpenToolServerCallException",
  message,
  code: 500,
  ...more,
});
const UNAUTHORIZED = {
  threw: "OpenToolServerUnauthorizedException",
  message: "Please check API Key is VALID or NOT",
  code: 401,
};
const withoutKey = [UNAUTHORIZED, UNAUTHORIZED, UNAUTHORIZED, UNAUTHORIZED];

describe.each(RUNTIMES)("in $name", (runtime) => {
  const whole = (name: string, ...between: unknown[]) => [["start", { start: name }], ...between];

  it("it gets along with servers as in the document, like the TypeScript SDK's, and like the Dart SDK's", async () => {
    const sum = ["data", { sum: 3 }];
    const fails = failed("Error: It has failed");
    const like = {
      version: { version: "1.2.3" },
      document: { ...DOCUMENT, functions: DOCUMENT.functions.map((one) => ({ return: null, ...one })) },
      good: { sum: 3 },
      goodStream: [sum],
      bad: fails,
      badStream: [fails],
      repeated: [{ sum: 3 }, { sum: 3 }],
      withoutKey,
    };
    const asDocument = { ...like, bad: failed("It has failed"), badStream: [failed("It has failed")] };
    const likeDart = {
      ...like,
      document: null,
      goodStream: whole("add", sum, ["done", { done: "add" }]),
      badStream: whole("fail", fails),
    };
    const input = { apiKey: "the-key", good: ["add", { a: 1, b: 2 }], bad: ["fail", {}] };
    const got = await sessions(runtime, others.url, ["/minimal", "/typescript", "/dart"], input);
    expect(got).toEqual([asDocument, like, likeDart]);
  });

  it("it gets along with ours, at the address of the deployment or of a toolkit", async () => {
    const { text: apiKey } = await ours.makeKey();
    const input = { apiKey, good: ["Tally_Count", {}], bad: ["Tally_Fail", {}] };
    const away = failed("Away (try again in 500 ms)", { data: { can_retry: true, retry_after_ms: 500 } });
    const got = await sessions(runtime, ours.url, ["", "/tally", "/tally/opentool/"], input);
    const [{ good: { runs: first } = { runs: 0 } } = {}] = got as [{ good?: { runs: number } }?];
    const described = { description: "For tests.", parameters: [] };
    // Each session counts three times: its last call has the idempotency key of the one before.
    const expected = [first, first + 3, first + 6].map((runs) => ({
      version: { version: "1.0.0" },
      document: expect.objectContaining({
        opentool: "1.1.0",
        functions: [
          { name: "Tally_Count", ...described, return: expect.objectContaining({ name: "value" }) },
          { name: "Tally_Fail", ...described, return: null },
        ],
      }),
      good: { runs },
      goodStream: whole("Tally_Count", ["data", { runs: runs + 1 }], ["done", { done: "Tally_Count" }]),
      bad: away,
      badStream: whole("Tally_Fail", away),
      repeated: [{ runs: runs + 2 }, { runs: runs + 2 }],
      withoutKey,
    }));
    expect(got).toEqual(expected);
  });
});
