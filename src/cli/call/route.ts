/**
 * Chooses the protocol of a call. If none is wanted, tools are listed over OXP, which tells most about them: versions,
 * and what they require. They are called over MCP, which can ask, show progress and send files; but over OXP if it is an
 * older version, or if there are values for what the tool requires, because only OXP has a place for those.
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
  /** What there is of what the tool needs; undefined if the protocol does not say what that is. */
  readonly found: Found | undefined;
}

interface Listed {
  readonly protocol: Protocol;
  readonly connection: Connection;
  readonly tools: readonly Tool[];
}

/** @throws {NotDone} */
export async function listTools(server: Server, { protocol }: Target, person: Person): Promise<Listed> {
  if (protocol !== undefined) return listOver(protocol, server, person);
  try {
    return await listOver("oxp", server, person);
  } catch (error) {
    if (!(error instanceof NotDone) || error.reason !== "unreachable") throw error;
    // Not one of Trivet's, perhaps: then it may speak MCP only.
    return await listOver("mcp", server, person).catch((second) => {
      throw second instanceof NotDone && second.reason !== "unreachable" ? second : error;
    });
  }
}

/**
 * @param wanted as a person writes a tool
 * @param sendable variables that a server which is not this project's may have
 * @throws {NotDone} and a Mistake if there is no such tool
 */
export async function chooseTool(
  wanted: string,
  server: Server,
  target: Target,
  person: Person,
  sendable: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Chosen> {
  const { protocol, connection, tools } = await listTools(server, target, person);
  const tool = findTool(wanted, tools);
  if (protocol !== "oxp") return { connection, tool, found: undefined };
  const found = findValues(tool.needs, environment, target.isOwn ? undefined : sendable);
  const isLatest = findTool(tool.id, tools) === tool;
  if (target.protocol !== undefined || found.values !== undefined || !isLatest) return { connection, tool, found };
  const mcp = await listOver("mcp", server, person);
  const same = mcp.tools.find(({ name }) => name === tool.name);
  if (same === undefined) return { connection, tool, found };
  return { connection: mcp.connection, tool: { ...tool, input: same.input }, found };
}

async function listOver(protocol: Protocol, server: Server, person: Person): Promise<Listed> {
  const connection = await connect(protocol, server, person);
  return { protocol, connection, tools: await connection.tools() };
}

async function connect(protocol: Protocol, server: Server, person: Person): Promise<Connection> {
  if (protocol === "oxp") return connectOxp(server);
  if (protocol === "opentool") return connectOpenTool(server);
  // Loaded lazily, because it takes a while.
  const { connectMcp } = await import("./protocols/mcp.ts");
  return connectMcp(server, person);
}
