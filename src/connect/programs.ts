/** What programs need to connect, as text or JSON. Pure. */

/** As hosts are told where the server is. */
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

/** The configuration of a test of the tools, in which a prompt is a call. */
export function promptfoo(name: string, connection: Connection): unknown {
  const providers = [{ id: "mcp", config: { enabled: true, server: { name, ...connection } } }];
  const tests = [{ vars: { prompt: '{"tool": "Toolkit_Tool", "args": {}}' } }];
  return { prompts: ["{{prompt}}"], providers, tests };
}
