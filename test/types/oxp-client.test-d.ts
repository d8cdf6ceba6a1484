/** Tests of the types of the OXP client, checked by `tsc -p .`: nothing here runs. */
import { expectTypeOf } from "vitest";
import {
  isOxpError,
  type MissingRequirements,
  OxpClient,
  type OxpErrorCode,
  OxpToolFailed,
  type ToolCaller,
  type ToolDefinition,
} from "../../src/client/oxp.ts";

const client = new OxpClient({ url: "https://tools.example", token: async () => "a-token", retry: { attempts: 2 } });
expectTypeOf(client).toExtend<ToolCaller>();
expectTypeOf(await client.list()).toEqualTypeOf<readonly ToolDefinition[]>();

// What a tool returns is known to nobody here: it is checked, or cast, by those who use it.
const { value, callId, durationMs, attempts } = await client.call("Math.Add", { a: 1 }, { callId: "c-1" });
expectTypeOf(value).toBeUnknown();
expectTypeOf(callId).toBeString();
expectTypeOf(durationMs).toEqualTypeOf<number | undefined>();
expectTypeOf(attempts).toBeNumber();

// @ts-expect-error there has to be an address
new OxpClient({ apiKey: "a-key" });
// @ts-expect-error OXP has objects as input
client.call("Math.Add", [1, 2]);
// @ts-expect-error the id is a member of the options
client.call("Math.Add", {}, { call_id: "c-1" });

// Absent members may be undefined, as they are when they come from other options.
const { apiKey, signal } = {} as { apiKey?: string | undefined; signal?: AbortSignal | undefined };
new OxpClient({ url: new URL("https://tools.example"), apiKey });
client.call("Math.Add", { a: 1 }, { signal });

const error: unknown = undefined;
if (isOxpError(error)) {
  expectTypeOf<typeof error.code>().toEqualTypeOf<OxpErrorCode>();
  expectTypeOf(error.promptText).toBeString();
  if (error.code === "tool-failed") expectTypeOf(error).toEqualTypeOf<OxpToolFailed>();
  if (error.code === "refused") expectTypeOf(error.missing).toEqualTypeOf<MissingRequirements | undefined>();
  if (error.code === "invalid-input") expectTypeOf(error.parameterErrors).toExtend<Record<string, string>>();
  if (error.code === "unauthorized") expectTypeOf(error.wwwAuthenticate).toEqualTypeOf<string | undefined>();
  if (error.code === "status") expectTypeOf(error.status).toBeNumber();
  // @ts-expect-error only a tool that failed has it
  if (error.code === "status") error.additionalPromptContent;
}
if (error instanceof OxpToolFailed) expectTypeOf(error.canRetry).toBeBoolean();
