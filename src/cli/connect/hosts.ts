/** What each host needs to connect. docs/connect.md has the public source of each form. Pure: prints nothing. */

/** What the forms are filled in with. */
export interface Server {
  /** A name for the host's list: letters, digits and dashes. */
  readonly name: string;
  /** The URL that the protocols' paths are below. */
  readonly base: string;
  /** The key, or a placeholder for it; undefined if calls need none. */
  readonly key: string | undefined;
  /** Whether `key` stands for one that is to be made. */
  readonly isPlaceholder: boolean;
  /** Whether only this machine can reach it. */
  readonly isLocal: boolean;
  /** Where users of hosts that cannot send a key sign in: at the Worker itself, or at an identity provider. */
  readonly signIn: "own" | "provider" | undefined;
  /** Whether there is a provider, but the part of the Worker that checks its tokens is not bundled. */
  readonly lacksTokens: boolean;
  /** Whether everyone may call the tools that demand no scope. */
  readonly isPublic: boolean;
}

export interface Host {
  readonly title: string;
  readonly form: (server: Server) => string;
}

const mcp = ({ base }: Server) => `${base}/mcp`;
/** For a shell. readUrl refuses what would still mean something in quotes. */
const quoted = (url: string) => `"${url}"`;
/** Whether its users may sign in, in hosts that can do both, because no key was given. */
const signsIn = ({ signIn, isPlaceholder }: Server) => signIn !== undefined && isPlaceholder;
const bearer = ({ key }: Server) => `Bearer ${key}`;
const json = (value: unknown) => JSON.stringify(value, undefined, 2);
/** The environment variable for the key, where a host reads it from there. */
const variable = ({ name }: Server) => `${name.toUpperCase().replaceAll("-", "_")}_KEY`;

export const HOSTS: ReadonlyMap<string, Host> = new Map([
  [
    "claude-code",
    {
      title: "Claude Code",
      form: (server) => {
        const command = `claude mcp add --transport http ${server.name} ${quoted(mcp(server))}`;
        if (signsIn(server)) return `${command}\n# Then /mcp in Claude Code: ${signInNote(server)}`;
        return command + headerFlag("--header", server);
      },
    },
  ],
  ["claude-desktop", { title: "Claude Desktop", form: claudeDesktop }],
  ["chatgpt", { title: "ChatGPT", form: chatgpt }],
  [
    "cursor",
    {
      title: "Cursor: ~/.cursor/mcp.json, or .cursor/mcp.json in a project",
      form: (server) => json({ mcpServers: { [server.name]: { url: mcp(server), ...headers(server) } } }),
    },
  ],
  ["vscode", { title: "VS Code: .vscode/mcp.json", form: vscode }],
  [
    "codex",
    {
      title: "Codex",
      form: (server) => {
        const command = `codex mcp add ${server.name} --url ${quoted(mcp(server))}`;
        if (signsIn(server)) return `${command}\ncodex mcp login ${server.name}   # ${signInNote(server)}`;
        if (!server.key) return command;
        return `export ${variable(server)}=${server.key}\n${command} --bearer-token-env-var ${variable(server)}`;
      },
    },
  ],
  [
    "inspector",
    {
      title: "MCP Inspector",
      form: (server) =>
        `npx @modelcontextprotocol/inspector --cli ${quoted(mcp(server))} --transport http` +
        `${headerFlag("--header", server)} --method tools/list`,
    },
  ],
  ["langchain", { title: "LangChain: npm install @langchain/mcp-adapters", form: langchain }],
  ["curl", { title: "curl", form: curl }],
]);

function headers(server: Server): { headers?: { Authorization: string } } {
  return server.key ? { headers: { Authorization: bearer(server) } } : {};
}

function headerFlag(flag: string, server: Server): string {
  return server.key ? ` ${flag} "Authorization: ${bearer(server)}"` : "";
}

/** Its connectors are called by Anthropic's servers, which send no key; a bridge on the user's machine can. */
function claudeDesktop(server: Server): string {
  const args = [
    "-y",
    "mcp-remote",
    mcp(server),
    ...(server.key ? ["--header", `Authorization:\${AUTHORIZATION}`] : []),
  ];
  // Without a space in the argument: on Windows, the application does not quote it.
  const env = server.key ? { env: { AUTHORIZATION: bearer(server) } } : {};
  const bridge = `In claude_desktop_config.json (Settings > Developer > Edit Config):
${json({ mcpServers: { [server.name]: { command: "npx", args, ...env } } })}`;
  if (server.isLocal) return bridge;
  return `Customize > Connectors > Add custom connector: ${mcp(server)}
${signInNote(server)}

Or with a key, over a bridge on your machine.
${bridge}`;
}

function chatgpt(server: Server): string {
  if (server.isLocal) {
    return "ChatGPT calls from its own servers, which cannot reach this machine. Deploy, and write --remote or --url.";
  }
  return `Settings > Apps > Advanced settings: turn on Developer mode. Then Create app:
  MCP server URL   ${mcp(server)}
  Authentication   ${server.signIn || !server.isPublic ? "OAuth" : "No authentication"}
${signInNote(server)}`;
}

/** How a host that sends no key gets in. */
function signInNote({ signIn, lacksTokens, isPublic }: Server): string {
  if (signIn === "own") return "Its users sign in on a page of your Worker, with a key of theirs.";
  if (signIn === "provider") return "Its users sign in at your identity provider (JWT_ISSUER).";
  if (lacksTokens) {
    return 'JWT_ISSUER has no effect without the line "#tokens" under [alias] in wrangler.toml: add it, and deploy.';
  }
  if (isPublic) return "Everyone may call, except tools that demand a scope: those need the sign-in (docs/access.md).";
  return "It cannot send a key: turn on the sign-in first, the [alias] line at the end of wrangler.toml, and deploy.";
}

function vscode(server: Server): string {
  const id = `${server.name}-key`;
  const asked = server.isPlaceholder;
  const key = asked ? `\${input:${id}}` : server.key;
  return json({
    // Asks for the key once, and keeps it out of the file.
    ...(asked && { inputs: [{ type: "promptString", id, description: `API key of ${server.name}`, password: true }] }),
    servers: { [server.name]: { type: "http", url: mcp(server), ...headers({ ...server, key }) } },
  });
}

function langchain(server: Server): string {
  const connection = json({ transport: "http", url: mcp(server), ...headers(server) }).replaceAll("\n", "\n    ");
  return `import { MultiServerMCPClient } from "@langchain/mcp-adapters";

const client = new MultiServerMCPClient({
  mcpServers: {
    ${JSON.stringify(server.name)}: ${connection},
  },
});
const tools = await client.getTools();
console.log(tools.map(({ name }) => name));
await client.close();`;
}

function curl(server: Server): string {
  const key = headerFlag("-H", server);
  return `# OXP: the tools, and how to call them
curl -s ${quoted(`${server.base}/tools`)}${key}
# MCP
curl -s ${quoted(mcp(server))}${key} -H "Content-Type: application/json" -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
# OpenTool
curl -s ${quoted(`${server.base}/opentool/load`)}${key}`;
}
