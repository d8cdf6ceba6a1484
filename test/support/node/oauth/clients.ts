/** The official MCP clients, in every era that each supports, behind one interface. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import type { OAuthClientProvider as ProviderV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Visitor } from "./visitor.ts";

const INFO = { name: "trivet-test", version: "1.0.0" };

export interface Connection {
  connect(): Promise<void>;
  /** Completes sign-in with the parameters of the user's redirect. */
  finishAuth(): Promise<void>;
  list(): Promise<string[]>;
  /** Returns the text of the tool's result. */
  call(name: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface Kind {
  readonly name: string;
  readonly revision: string;
  open(url: string, visitor: Visitor): Connection;
}

function openV1(url: string, visitor: Visitor): Connection {
  const client = new ClientV1(INFO);
  const transport = new TransportV1(new URL(url), { authProvider: visitor as unknown as ProviderV1 });
  return {
    ...calls(client),
    // The SDK's own types disagree under exactOptionalPropertyTypes.
    connect: () => client.connect(transport as Parameters<ClientV1["connect"]>[0]),
    finishAuth: () => transport.finishAuth(visitor.callback.get("code") ?? ""),
  };
}

function openV2(mode: "legacy" | "auto") {
  return (url: string, visitor: Visitor): Connection => {
    const client = new ClientV2(INFO, mode === "auto" ? { versionNegotiation: { mode } } : {});
    const transport = new TransportV2(new URL(url), { authProvider: visitor });
    return {
      ...calls(client),
      connect: () => client.connect(transport),
      finishAuth: () => transport.finishAuth(visitor.callback),
    };
  };
}

function calls(client: ClientV1 | ClientV2): Pick<Connection, "list" | "call" | "close"> {
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name) {
      const { content } = (await client.callTool({ name, arguments: {} })) as { content: { text?: string }[] };
      return content[0]?.text;
    },
    close: () => client.close(),
  };
}

export const V1: Kind = { name: "v1, @modelcontextprotocol/sdk", revision: "2025-11-25", open: openV1 };
export const V2_LEGACY: Kind = {
  name: "v2, @modelcontextprotocol/client",
  revision: "2025-11-25",
  open: openV2("legacy"),
};
export const V2: Kind = { name: "v2, negotiating", revision: "2026-07-28", open: openV2("auto") };

export const KINDS: readonly Kind[] = [V1, V2_LEGACY, V2];

/** Signs in completely: refused, sent to the authorization server, redirected back with a code, connected. */
export async function signIn(kind: Kind, url: string, visitor: Visitor): Promise<Connection> {
  const first = kind.open(url, visitor);
  const refused = await first.connect().then(
    () => undefined,
    (error: Error) => error,
  );
  if (refused?.name !== "UnauthorizedError" && refused?.message !== "Unauthorized") {
    throw new Error(`It was to be sent to sign in, but ${refused ? `failed: ${refused.message}` : "was let in"}`);
  }
  await first.finishAuth();
  const second = kind.open(url, visitor);
  await second.connect();
  return second;
}
