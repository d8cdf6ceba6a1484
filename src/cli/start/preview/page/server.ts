/** Connects to the server of `npm start` as a host does. */
import { Client, StreamableHTTPClientTransport, type Tool } from "@modelcontextprotocol/client";
import { RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/app-bridge";

export const HOST = { name: "Trivet", version: "1.0.0" };
/** How long the server has for an answer, in milliseconds. */
export const PATIENCE = { timeout: 5_000 };

const url = document.querySelector<HTMLMetaElement>("meta[name=server]")?.content;
const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } };
let client: Client | undefined;

export async function connected(): Promise<Client> {
  if (client) return client;
  const made = new Client(HOST, { versionNegotiation: { mode: "auto" }, capabilities: { extensions } });
  await made.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
  client = made;
  return made;
}

export async function listTools(): Promise<readonly Tool[]> {
  return (await (await connected()).listTools({}, { cacheMode: "refresh", ...PATIENCE })).tools;
}
