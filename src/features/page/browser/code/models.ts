/** Samples in which a model makes the call, in agents that take tools over MCP (docs/clients.md). */
import { KEY } from "../../../../connect/variables.ts";
import { sendsKey } from "./context.ts";
import { notSent } from "./curl.ts";
import { json } from "./literals.ts";
import type { Call, Sample } from "./sample.ts";

/** What differs in the programs from call to call. */
interface Filled {
  /** A literal: the address of the server's MCP endpoint. */
  readonly url: string;
  /** Lines that make the variable `headers`; "" if no key is sent. */
  readonly headers: string;
  /** A literal: what the model is asked. */
  readonly prompt: string;
}

/** MCP has the newest version of a tool only. */
export function modelSamples(call: Call): readonly Sample[] {
  if (!call.isNewest) return [];
  const filled: Filled = {
    url: JSON.stringify(`${call.base}/mcp`),
    headers: sendsKey(call) ? `const headers = { Authorization: \`Bearer \${process.env.${KEY}}\` };\n` : "",
    prompt: JSON.stringify(`Call ${call.tool.name} with ${json(call.input)}.`),
  };
  return PROGRAMS.map(([id, title, packages, program]) => ({
    ...{ group: "models", id: `models-${id}`, title, language: "ts", text: program(filled) },
    note: [`First: npm install ${packages}.`, notSent(call)].filter(Boolean).join(" "),
  }));
}

const PROGRAMS: readonly (readonly [
  id: string,
  title: string,
  packages: string,
  program: (filled: Filled) => string,
])[] = [
  ["openai", "OpenAI", "@openai/agents", openai],
  ["anthropic", "Anthropic", "@anthropic-ai/sdk @modelcontextprotocol/sdk", anthropic],
  ["gemini", "Gemini", "@google/genai @modelcontextprotocol/sdk", gemini],
  ["ai-sdk", "AI SDK", "ai @ai-sdk/mcp @ai-sdk/openai", aiSdk],
];

function openai({ url, headers, prompt }: Filled): string {
  return `import { Agent, MCPServerStreamableHttp, run } from "@openai/agents";

${headers}const server = new MCPServerStreamableHttp({ url: ${url}${headers && ", requestInit: { headers }"} });
await server.connect();
const agent = new Agent({ name: "Assistant", model: "gpt-5.5", mcpServers: [server] });
const { finalOutput } = await run(agent, ${prompt});
console.log(finalOutput);
await server.close();`;
}

const IMPORTS = `import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";`;

/** Lines that make the variable `mcp`, for helpers that take a client of MCP's own SDK. */
function connected({ url, headers }: Filled): string {
  return `${headers}const mcp = new Client({ name: "assistant", version: "1.0.0" });
await mcp.connect(new StreamableHTTPClientTransport(new URL(${url})${headers && ", { requestInit: { headers } }"}));`;
}

function anthropic(filled: Filled): string {
  return `import Anthropic from "@anthropic-ai/sdk";
import { type MCPClientLike, mcpTools } from "@anthropic-ai/sdk/helpers/beta/mcp";
${IMPORTS}

${connected(filled)}
const { tools } = await mcp.listTools();
const message = await new Anthropic().beta.messages.toolRunner({
  model: "claude-opus-5-5",
  max_tokens: 1024,
  tools: mcpTools(tools, mcp as MCPClientLike),
  messages: [{ role: "user", content: ${filled.prompt} }],
});
console.log(message.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
await mcp.close();`;
}

function gemini(filled: Filled): string {
  return `import { GoogleGenAI, mcpToTool } from "@google/genai";
${IMPORTS}

${connected(filled)}
const response = await new GoogleGenAI({}).models.generateContent({
  model: "gemini-3.8-flash",
  contents: ${filled.prompt},
  config: { tools: [mcpToTool(mcp)] },
});
console.log(response.text);
await mcp.close();`;
}

function aiSdk({ url, headers, prompt }: Filled): string {
  return `import { createMCPClient } from "@ai-sdk/mcp";
import { openai } from "@ai-sdk/openai";
import { generateText, isStepCount } from "ai";

${headers}const mcp = await createMCPClient({ transport: { type: "http", url: ${url}${headers && ", headers"} } });
const { text } = await generateText({
  model: openai("gpt-5.5"),
  tools: await mcp.tools(),
  stopWhen: isStepCount(10),
  prompt: ${prompt},
});
console.log(text);
await mcp.close();`;
}
