/** Tools that go wrong when they are called, and what the log of `npm start` says about each. */
import { tool } from "./project.ts";

/** What the message says: where the mistake is, what it is, and what to do about it. */
export type Message = readonly [where: string, problem: string, fix: string];

const throwing = (statement: string, more: Record<string, string> = {}) =>
  tool({
    output: undefined as never,
    run: `async (_, ctx: any) => {\n    ${statement}\n  }`,
    input: undefined as never,
    ...more,
  });
/** A tool, and what the log of `npm start` says when it is called. The tool's file is `tools/kit/NAME.ts`. */
export const RUNS: Record<string, readonly [name: string, text: string | undefined, ...Message]> = {
  "an exception": [
    "throws",
    throwing("ctx.nothing.at.all;"),
    "tools/kit/throws.ts:8:",
    "TypeError: Cannot read properties of undefined (reading 'at')",
    "at ",
  ],
  "a ToolError without a word of its cause": [
    "fails",
    throwing(
      'throw Object.assign(new Error("sorry", { cause: new Error("disk full") }), { name: "ToolError", fault: { message: "sorry" } });',
    ),
    "tools/kit/fails.ts",
    "Error: disk full",
    "",
  ],
  "a result that is not what was declared": [
    "lies",
    throwing("return 5;", { output: "v.string()" }),
    "tools/kit/lies.ts",
    "The tool's result does not match its declared output.",
    "Must be a string",
  ],
  "a result that JSON cannot hold": [
    "big",
    throwing("return 5n;"),
    "tools/kit/big.ts",
    "The tool's result cannot be represented in JSON.",
    "",
  ],
  "a secret that is nowhere": [
    "secret",
    throwing("return 5;", { requirements: '{ secrets: ["MY_KEY"] }' }),
    "tools/kit/secret.ts",
    'it requires secret "MY_KEY"',
    "write NAME=value in .dev.vars",
  ],
  "a promise that nobody awaits": [
    "stray",
    throwing(
      'const send = async () => {\n      await 0;\n      throw new RangeError("not sent");\n    };\n    send();',
    ),
    "tools/kit/stray.ts:10:",
    "RangeError: not sent",
    "unhandled rejection",
  ],
  "a fetch from this network": [
    "inside",
    throwing('await ctx.fetch("http://10.0.0.5:8080/x");'),
    "tools/kit/inside.ts:8:",
    "10.0.0.5 is an address in a private network",
    'add "10.0.0.5:8080" to ALLOWED_HOSTS in the settings file',
  ],
  "a fetch from a name without a domain": [
    "name",
    throwing('await ctx.fetch("http://wether/x");'),
    "tools/kit/name.ts:8:",
    "wether is not a name on the public internet",
    "ALLOWED_HOSTS in the settings file",
  ],
  "a run that takes too long": [
    "slow",
    throwing("await new Promise(() => {});", { timeoutMs: "50" }),
    "tools/kit/slow.ts",
    "timed out",
    "raise timeoutMs in the definition",
  ],
  "a call of a tool that is not there": [
    "missing",
    undefined,
    "Kit.Missing",
    "refused (unknown tool)",
    'npm run discover lists the tools; views alone see those with visibility "app"',
  ],
};
