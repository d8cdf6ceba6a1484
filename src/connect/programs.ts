/** Renders what programs need to connect: code for LangChain, and promptfoo's configuration. Pure functions. */

/** Where the server is and what to send it, in the form that most hosts read. */
export interface Connection {
  readonly url: string;
  readonly headers?: { readonly Authorization: string };
}

export function langchain(name: string, connection: Connection): string {
  const entry = JSON.stringify({ transport: "http", ...connection }, undefined, 2).replaceAll("\n", "\n    ");
  return `// npm install @langchain/mcp-adapters\nimport { MultiServerMCPClient } from "@langchain/mcp-adapters";

const client = new MultiServerMCPClient({
  mcpServers: {
    ${JSON.stringify(name)}: ${entry},
  },
});
const tools = await client.getTools();
console.log(tools.map(({ name }) => name));
await client.close();`;
}

/** A configuration of promptfoo that tests the tools: each prompt is a call, as JSON. */
export function promptfoo(name: string, connection: Connection): unknown {
  const providers = [{ id: "mcp", config: { enabled: true, server: { name, ...connection } } }];
  const tests = [{ vars: { prompt: '{"tool": "Toolkit_Tool", "args": {}}' } }];
  return { prompts: ["{{prompt}}"], providers, tests };
}
