/**
 * Chooses the protocol of a call. Without `--protocol`, tools are listed over OXP, which says most about them:
 * versions, and what they require. They are called over MCP, which can ask, show progress and return files; but over
 * OXP if an older version is wanted, if there are values for what the tool requires (only OXP can send those), or if
 * the server does not speak MCP.
 */
import { findTool } from "./find.ts";
import { type Connection, NotDone, type Person, type Server, type Tool } from "./protocols/connection.ts";
import { connectOpenTool } from "./protocols/opentool.ts";
import { connectOxp } from "./protocols/oxp.ts";
import type { Protocol, Target } from "./server.ts";
import { type Found, findValues } from "./values.ts";

export interface Chosen {
  readonly connection: Connection;
  /** As the protocol of the call lists it. */
  readonly tool: Tool;
  /** Which of the tool's needs the environment has; undefined if the protocol does not list needs. */
  readonly found: Found | undefined;
}

interface Listed {
  readonly protocol: Protocol;
  readonly connection: Connection;
  readonly tools: readonly Tool[];
}

/** @throws {NotDone} */
export async function listTools(connector: Connector, { protocol }: Target): Promise<Listed> {
  if (protocol !== undefined) return listOver(protocol, connector);
  try {
    return await listOver("oxp", connector);
  } catch (error) {
    if (!(error instanceof NotDone) || error.reason !== "unreachable") throw error;
    // It may be a server that speaks only MCP.
    return await listOver("mcp", connector).catch((second) => {
      throw second instanceof NotDone && second.reason !== "unreachable" ? second : error;
    });
  }
}

/**
 * @param wanted the tool, as a person writes it
 * @param sendable variables that may be sent to a server that is not this project's
 * @throws {NotDone} and a Mistake if there is no such tool
 */
export async function chooseTool(
  wanted: string,
  connector: Connector,
  target: Target,
  sendable: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Chosen> {
  const { protocol, connection, tools } = await listTools(connector, target);
  const tool = findTool(wanted, tools);
  if (protocol !== "oxp") return { connection, tool, found: undefined };
  const found = findValues(tool.needs, environment, target.isOwn ? undefined : sendable);
  const isLatest = findTool(tool.id, tools) === tool;
  if (target.protocol !== undefined || found.values !== undefined || !isLatest) return { connection, tool, found };
  const mcp = await listOver("mcp", connector).catch((error) => {
    // A server that speaks only OXP.
    if (error instanceof NotDone && error.reason === "unreachable") return undefined;
    throw error;
  });
  const same = mcp?.tools.find(({ name }) => name === tool.name);
  if (mcp === undefined || same === undefined) return { connection, tool, found };
  return { connection: mcp.connection, tool: { ...tool, input: same.input }, found };
}

async function listOver(protocol: Protocol, { connect }: Connector): Promise<Listed> {
  const connection = await connect(protocol);
  return { protocol, connection, tools: await connection.tools() };
}

export type Connector = ReturnType<typeof connectorTo>;

/** Opens the connections of one command. Call `close` however the command ends. */
export function connectorTo(server: Server, person: Person) {
  const open: Connection[] = [];
  return {
    async connect(protocol: Protocol): Promise<Connection> {
      const connection = await start(protocol, server, person);
      open.push(connection);
      return connection;
    },
    close: () => Promise.allSettled(open.map((connection) => connection.close?.())),
  };
}

async function start(protocol: Protocol, server: Server, person: Person): Promise<Connection> {
  if (protocol === "oxp") return connectOxp(server);
  if (protocol === "opentool") return connectOpenTool(server);
  // Loaded lazily, because it takes a while.
  const { connectMcp } = await import("./protocols/mcp.ts");
  return connectMcp(server, person);
}
