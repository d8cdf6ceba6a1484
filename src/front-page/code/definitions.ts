/** A tool as the APIs of models want it defined, and how its calls are answered (docs/function-calling.md). */
import {
  aiSdkDefinition,
  anthropicTool,
  geminiFunction,
  openAiChatTool,
  openAiTool,
} from "../../client/functions/definitions.ts";
import { acceptable } from "../../client/functions/dispatch.ts";
import type { ToolDefinition } from "../../client/oxp/types.ts";
import { contextMember, newOxpClient, PACKAGE } from "./clients.ts";
import type { Call, Sample } from "./sample.ts";

interface Api {
  readonly id: string;
  readonly title: string;
  /** What goes into the request as `tools`. */
  readonly tools: (name: string, definition: ToolDefinition) => unknown;
  /** The function of ours, and its module in `trivet/functions/`. */
  readonly uses: readonly [name: string, module: string];
}

const APIS: readonly Api[] = [
  {
    id: "openai",
    title: "OpenAI Responses",
    tools: (name, definition) => [openAiTool(name, definition)],
    uses: ["openaiTools", "openai"],
  },
  {
    id: "openai-chat",
    title: "OpenAI Chat Completions",
    tools: (name, definition) => [openAiChatTool(name, definition)],
    uses: ["openaiChatTools", "openai"],
  },
  {
    id: "anthropic",
    title: "Anthropic",
    tools: (name, definition) => [anthropicTool(name, definition)],
    uses: ["anthropicTools", "anthropic"],
  },
  {
    id: "gemini",
    title: "Gemini",
    tools: (name, definition) => [{ functionDeclarations: [geminiFunction(name, definition)] }],
    uses: ["geminiTools", "gemini"],
  },
  {
    id: "ai-sdk",
    title: "AI SDK",
    tools: (name, definition) => ({ [name]: aiSdkDefinition(definition) }),
    uses: ["aiSdkTools", "ai-sdk"],
  },
];

export function definitionSamples(call: Call): readonly Sample[] {
  const { tool, version } = call;
  const definition: ToolDefinition = {
    id: `${tool.id}@${version.version}`,
    name: tool.name,
    version: version.version,
    description: version.description,
    input_schema: { parameters: version.input },
    output_schema: version.output ?? null,
  };
  const name = acceptable(tool.name);
  return APIS.flatMap(({ id, title, tools, uses }): Sample[] => [
    {
      ...{ group: "definitions", id: `definitions-${id}`, title: `${title}: tools`, language: "json" },
      text: JSON.stringify(tools(name, definition), undefined, 2),
    },
    {
      ...{ group: "definitions", id: `definitions-${id}-calls`, title: `${title}: its calls`, language: "ts" },
      text: answering(call, uses),
      note: PACKAGE,
    },
  ]);
}

function answering(call: Call, [name, module]: Api["uses"]): string {
  const { tool, version, isNewest } = call;
  const isAiSdk = module === "ai-sdk";
  const filter = isNewest
    ? `({ name }) => name === ${JSON.stringify(tool.name)}`
    : `({ id }) => id === ${JSON.stringify(`${tool.id}@${version.version}`)}`;
  const members = [isAiSdk && "jsonSchema", `filter: ${filter}`, contextMember(call, "  ")].filter(Boolean);
  return `${isAiSdk ? 'import { jsonSchema } from "ai";\n' : ""}import { ${name} } from "trivet/functions/${module}";
import { OxpClient } from "trivet/oxp";

const client = ${newOxpClient(call)};
const { tools${isAiSdk ? "" : ", run"} } = ${name}(await client.list(), client, {
${members.map((member) => `  ${member},\n`).join("")}});
${
  isAiSdk
    ? "// Pass `tools` to generateText or streamText: the SDK calls them by itself."
    : "// Send `tools` with your request to the model. run(response) makes the calls\n// that it asks for: add what that returns to the messages of the next request."
}`;
}
