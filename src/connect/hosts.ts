/**
 * Tells a user how to connect each host (steps, links, a note): for `npm run connect`, and for the page at /.
 * docs/connect.md has the public source of each form. All functions are pure.
 */
import {
  CHATGPT_LINK,
  claudeLink,
  cursorLink,
  type Entry,
  gooseLink,
  kiroLink,
  type Link,
  lmStudioLink,
  vscodeLinks,
} from "./links.ts";
import { langchain, promptfoo } from "./programs.ts";

/** The server to connect to. Steps and links are filled in with these values. */
export interface Server {
  /** The name in the host's list of servers, as {@link shortName} makes it. */
  readonly name: string;
  /** The server's name as people write it. */
  readonly title: string;
  /**
   * The URL that `/mcp` and the other paths of the protocols are appended to. It is part of shell commands, so it must
   * have no character that means something to a shell.
   */
  readonly base: string;
  /** The key, or {@link PLACEHOLDER}; undefined if calls need none. */
  readonly key: string | undefined;
  /** Whether only this machine can reach it. */
  readonly isLocal: boolean;
  /** Where users of hosts that cannot send a key sign in: at the Worker itself, or at an identity provider. */
  readonly signIn: "own" | "provider" | undefined;
  /** Whether everyone may call the tools that demand no scope. */
  readonly isPublic: boolean;
  /** How a host that sends no key gets access: sentences for the user, which call the host "it". */
  readonly entry: string;
}

export type Step =
  | { readonly text: string }
  | { readonly code: string; readonly language: "sh" | "json" | "js" | "text" };

export interface Host {
  /** Short, because it is the text of a button. */
  readonly title: string;
  /** The file that the code of its steps goes into. */
  readonly place?: string;
  /** What a user does without a link. A text that asks for an action begins with "In" and the place of the action. */
  readonly steps: (server: Server) => readonly Step[];
  /** Links that do the same, the most usual first; none if they would lead nowhere. */
  readonly links?: (server: Server) => readonly Link[];
  /** What else the user has to know. */
  readonly note?: (server: Server) => string | undefined;
}

/** Stands for a key that the user has yet to make. */
export const PLACEHOLDER = "YOUR_KEY";

/** A server's name as one word that begins with a letter, for variables and commands. */
export function shortName(serverName: unknown): string {
  const name = typeof serverName === "string" ? serverName.toLowerCase() : "";
  const word = name.replace(/[^a-z0-9]+/g, "-").replace(/^[-\d]+|-+$/g, "");
  return word === "" ? "trivet" : word;
}

/** Whether only this machine can reach the server at a URL. */
export function isLocalUrl(url: string): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
}

/**
 * Whether a URL's host is safe in the commands of {@link HOSTS}. Browsers take much more for the name of a host, such
 * as `$(…)`, and a deployment with a wildcard in its route answers to it.
 */
export function hasPlainHost(url: string): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i.test(new URL(url).host);
}

const mcp = ({ base }: Server) => `${base}/mcp`;
/**
 * Quotes a URL for a shell, in double quotes because the `cmd` of Windows has no others. The URLs of a {@link Server}
 * have no character that means something inside them.
 */
const quoted = (url: string) => `"${url}"`;
/** Whether hosts that can send a key or sign in should sign in: the server has a sign-in, and no key was given. */
const signsIn = ({ signIn, key }: Server) => signIn !== undefined && key === PLACEHOLDER;
const bearer = ({ key }: Server) => `Bearer ${key}`;
const json = (value: unknown) => JSON.stringify(value, undefined, 2);
const sh = (code: string): Step => ({ code, language: "sh" });
const file = (value: unknown): Step => ({ code: json(value), language: "json" });
const address = (server: Server): Step => ({ code: mcp(server), language: "text" });
/** The environment variable for the key, for hosts that read the key from one. */
const variable = ({ name }: Server) => `${name.toUpperCase().replaceAll("-", "_")}_KEY`;
/** Puts the placeholder in place of the key, because users share links. */
const withoutKey = (server: Server): Server => (server.key ? { ...server, key: PLACEHOLDER } : server);
/** Whether a host that calls from its own servers can reach this server, and get in without a key. */
const isReachable = ({ isLocal, isPublic, signIn }: Server) => !isLocal && (isPublic || signIn !== undefined);

/** Has a link only if the host can use the server. */
const ifReachable = (link: (server: Server) => Link) => (server: Server) => (isReachable(server) ? [link(server)] : []);

const ALL: Readonly<Record<string, Host>> = {
  "claude-desktop": {
    title: "Claude",
    steps: claude,
    links: ifReachable((server) => claudeLink(server.title, mcp(server))),
  },
  "claude-code": { title: "Claude Code", steps: claudeCode },
  chatgpt: { title: "ChatGPT", steps: chatgpt, links: ifReachable(() => CHATGPT_LINK) },
  cursor: fileHost("Cursor", "~/.cursor/mcp.json, or .cursor/mcp.json in a project", cursorLink, true),
  vscode: { title: "VS Code", place: ".vscode/mcp.json", ...vscode() },
  codex: { title: "Codex", steps: codex },
  "gemini-cli": { title: "Gemini CLI", steps: geminiCli },
  opencode: { title: "opencode", steps: opencode },
  goose: { title: "Goose", steps: goose, ...linkWithKey("Goose", "its settings, under Extensions", gooseLink, true) },
  kiro: fileHost("Kiro", "~/.kiro/settings/mcp.json, or .kiro/settings/mcp.json in a project", kiroLink, true),
  "lm-studio": fileHost("LM Studio", "mcp.json (Program > Install > Edit mcp.json)", lmStudioLink, false),
  inspector: {
    title: "MCP Inspector",
    steps(server) {
      const command = `npx @modelcontextprotocol/inspector --transport http --server-url ${quoted(mcp(server))}`;
      return [sh(command + headerFlag("--header", server))];
    },
    note: () =>
      "It opens in the browser. To stay in the terminal: --cli before the other options, and --method tools/list after them.",
  },
  mcpc: { title: "mcpc", steps: mcpc },
  promptfoo: {
    title: "promptfoo",
    place: "promptfooconfig.json",
    steps: (server) => [file(promptfoo(server.name, connection(server)))],
    note: () => "A prompt is a call: write the name of a tool of yours, and its arguments.",
  },
  langchain: {
    title: "LangChain",
    steps: (server) => [{ code: langchain(server.name, connection(server)), language: "js" }],
  },
  curl: { title: "curl", steps: curl },
};

export const HOSTS: ReadonlyMap<string, Host> = new Map(Object.entries(ALL));

type MakeLink = (name: string, entry: Entry) => Link;

/**
 * A host that reads a file with `mcpServers`, in which the key is a header, and has a link.
 *
 * @param canSignIn whether it lets its users sign in (OAuth) where no header is given
 */
function fileHost(title: string, place: string, link: MakeLink, canSignIn: boolean): Host {
  const steps = (server: Server) => [file({ mcpServers: { [server.name]: entryOf(server, canSignIn) } })];
  return { title, place, steps, ...linkWithKey(title, "that file", link, canSignIn) };
}

function linkWithKey(title: string, place: string, link: MakeLink, canSignIn: boolean): Pick<Host, "links" | "note"> {
  return {
    links: (server) => [link(server.name, entryOf(withoutKey(server), canSignIn))],
    note: (server) => {
      if (!entryOf(server, canSignIn).headers) return server.key ? server.entry : undefined;
      return `The link has ${PLACEHOLDER} in place of the key. Once ${title} has it, replace that in ${place}.`;
    },
  };
}

function entryOf(server: Server, canSignIn: boolean): Entry {
  return { url: mcp(server), ...(!(canSignIn && signsIn(server)) && headers(server)) };
}

function headers(server: Server): { headers?: { Authorization: string } } {
  return server.key ? { headers: { Authorization: bearer(server) } } : {};
}

const connection = (server: Server) => ({ url: mcp(server), ...headers(server) });

function headerFlag(flag: string, server: Server): string {
  return server.key ? ` ${flag} "Authorization: ${bearer(server)}"` : "";
}

function claudeCode(server: Server): readonly Step[] {
  const command = `claude mcp add --transport http ${server.name} ${quoted(mcp(server))}`;
  if (signsIn(server)) return [sh(command), { text: `Then type /mcp in Claude Code. ${server.entry}` }];
  return [sh(command + headerFlag("--header", server))];
}

/** Connectors are called from servers of Anthropic, which send no key; a bridge on the user's machine can send one. */
function claude(server: Server): readonly Step[] {
  const header = server.key ? ["--header", `Authorization:\${AUTHORIZATION}`] : [];
  const args = ["-y", "mcp-remote", mcp(server), ...header];
  // The header's value, which has a space, is in the environment: on Windows, the application does not quote arguments.
  const env = server.key ? { env: { AUTHORIZATION: bearer(server) } } : {};
  const where =
    "Claude Desktop: Settings > Developer > Edit Config. In claude_desktop_config.json (npx is part of Node):";
  const bridge = file({ mcpServers: { [server.name]: { command: "npx", args, ...env } } });
  if (!isReachable(server)) return [{ text: `In ${where}` }, bridge, fromElsewhere("claude.ai", server)];
  return [
    { text: "In Claude: Customize > Connectors > + > Add custom connector. The address:" },
    address(server),
    { text: server.entry },
    ...(server.key ? [{ text: `Or, to send a key, in ${where}` }, bridge] : []),
  ];
}

function chatgpt(server: Server): readonly Step[] {
  if (!isReachable(server)) return [fromElsewhere("ChatGPT", server)];
  return [
    { text: "In ChatGPT on the web: Plugins > + > Add custom MCP server. Under Connection, the Server URL:" },
    address(server),
    { text: `Authentication: ${server.signIn ? "OAuth" : "No authentication"}` },
    { text: server.entry },
    { text: "Then Create as a plugin, and install it in your list of plugins." },
  ];
}

/** Says why a host that calls from its own servers cannot use this one. */
const fromElsewhere = (title: string, { isLocal, entry }: Server): Step => ({
  text: `${title} calls from its own servers${isLocal ? ", which cannot reach this machine." : `. ${entry}`}`,
});

/** VS Code asks for the key once, so that neither its file nor the link contains it. */
function vscode(): Pick<Host, "steps" | "links" | "note"> {
  const parts = (server: Server) => {
    const id = `${server.name}-key`;
    const asks = server.key === PLACEHOLDER && !signsIn(server);
    const description = `API key of ${server.name}`;
    return {
      inputs: asks ? [{ type: "promptString", id, description, password: true }] : [],
      entry: { type: "http", ...entryOf({ ...server, key: asks ? `\${input:${id}}` : server.key }, true) },
    };
  };
  return {
    steps: (server) => {
      const { inputs, entry } = parts(server);
      const servers = { [server.name]: entry };
      return [file(inputs.length > 0 ? { inputs, servers } : { servers })];
    },
    links: (server) => {
      const { inputs, entry } = parts(withoutKey(server));
      return vscodeLinks(server.name, entry, inputs);
    },
    note: (server) => {
      if (parts(server).inputs.length > 0) return "VS Code asks for the key when it starts the server.";
      return signsIn(server) ? server.entry : undefined;
    },
  };
}

function codex(server: Server): readonly Step[] {
  const command = `codex mcp add ${server.name} --url ${quoted(mcp(server))}`;
  if (signsIn(server)) return [sh(`${command}\ncodex mcp login ${server.name}`), { text: server.entry }];
  if (!server.key) return [sh(command)];
  const name = variable(server);
  return [sh(`export ${name}=${server.key}\n${command} --bearer-token-env-var ${name}`)];
}

function geminiCli(server: Server): readonly Step[] {
  // In the settings of the user: those of the project could be committed with the key.
  const command = `gemini mcp add --scope user --transport http ${server.name} ${quoted(mcp(server))}`;
  if (signsIn(server))
    return [sh(command), { text: `Then type /mcp auth ${server.name} in Gemini CLI. ${server.entry}` }];
  return [sh(command + headerFlag("--header", server))];
}

function opencode(server: Server): readonly Step[] {
  const command = `opencode mcp add ${server.name} --url ${quoted(mcp(server))}`;
  if (signsIn(server)) return [sh(`${command}\nopencode mcp auth ${server.name}`), { text: server.entry }];
  return [sh(command + (server.key ? ` --header "Authorization=${bearer(server)}"` : ""))];
}

function mcpc(server: Server): readonly Step[] {
  const url = quoted(mcp(server));
  const connect = `mcpc connect ${url} @${server.name}`;
  const entering = signsIn(server) ? `mcpc login ${url}\n${connect}` : connect + headerFlag("--header", server);
  return [sh(`${entering}\nmcpc @${server.name} tools-list`)];
}

function goose(server: Server): readonly Step[] {
  const key = entryOf(server, true).headers ? `, with the request header Authorization: ${bearer(server)}` : "";
  const text = `In a terminal: goose configure > Add Extension > Remote Extension (Streamable HTTP)${key}. Its endpoint:`;
  return [{ text }, address(server)];
}

function curl(server: Server): readonly Step[] {
  const key = headerFlag("-H", server);
  return [
    sh(`# OXP: the tools, and how to call them
curl -s ${quoted(`${server.base}/tools`)}${key}
# MCP
curl -s ${quoted(mcp(server))}${key} -H "Content-Type: application/json" -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
# OpenTool
curl -s ${quoted(`${server.base}/opentool/load`)}${key}`),
  ];
}
