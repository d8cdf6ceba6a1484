/** A model's calls, run on a real server: in Node, in workerd and in a browser, so it has nothing of Node's. */
import { aiSdkTools } from "../../../src/client/functions/ai-sdk.ts";
import { anthropicTools } from "../../../src/client/functions/anthropic.ts";
import { geminiTools } from "../../../src/client/functions/gemini.ts";
import { openaiChatTools, openaiTools } from "../../../src/client/functions/openai.ts";
import { OxpClient } from "../../../src/client/oxp.ts";

/** The calls of one response: one that succeeds, one that fails, and two that no tool gets. */
const CALLS = [
  ["Math_Add", '{"a": 17, "b": 25}'],
  ["Failing_Faults", '{"how": "plain"}'],
  ["Math_Add", '{"a": "17"}'],
  ["__proto__", "{}"],
] as const;

/** @returns the answers, by the name of the API */
export async function run({ url }: { readonly url: string }): Promise<Readonly<Record<string, unknown>>> {
  const client = new OxpClient({ url });
  const definitions = await client.list();
  const items = CALLS.map(([name, input], at) => ({ type: "function_call", call_id: `${at}`, name, arguments: input }));
  const calls = CALLS.map(([name, input], at) => ({ id: `${at}`, function: { name, arguments: input } }));
  const blocks = CALLS.map(([name, input], at) => ({ type: "tool_use", id: `${at}`, name, input: JSON.parse(input) }));
  const parts = CALLS.map(([name, input]) => ({ functionCall: { name, args: JSON.parse(input) } }));
  const { tools } = aiSdkTools(definitions, client, { jsonSchema: (schema: unknown) => schema });
  const [responses, chat, anthropic, gemini, aiSdk] = await Promise.all([
    openaiTools(definitions, client).run(items),
    openaiChatTools(definitions, client).run({ tool_calls: calls }),
    anthropicTools(definitions, client).run(blocks),
    geminiTools(definitions, client).run(parts),
    Promise.allSettled(
      CALLS.slice(0, 2).map(([name, input]) =>
        tools[name]?.execute(JSON.parse(input), { abortSignal: new AbortController().signal }),
      ),
    ),
  ]);
  return {
    responses: responses.map(({ call_id, output }) => [call_id, output]),
    chat: chat.map(({ tool_call_id, content }) => [tool_call_id, content]),
    anthropic: anthropic[0]?.content.map(({ tool_use_id, content, is_error = false }) => [
      tool_use_id,
      content,
      is_error,
    ]),
    gemini: gemini[0]?.parts.map(({ functionResponse }) => functionResponse.response),
    aiSdk: aiSdk.map((settled) => (settled.status === "fulfilled" ? settled.value : settled.reason.message)),
  };
}
