/**
 * Documents by which machines find and understand the server: the MCP server card, the AI catalogue, `server.json` for
 * the MCP registry, and OpenAPI. Forks that turn them off do not bundle this folder.
 */
import { sha256 } from "../../core/crypto/digest.ts";
import type { Deployment, Documents } from "../../deployment.ts";
import { JSON_HEADERS, json } from "../../http/response.ts";
import { REVISIONS } from "../../protocols/mcp/eras.ts";
import type { Feature } from "../feature.ts";
import { openApi } from "./open-api.ts";

export const feature: Feature = {
  aroundWorker: (create) => (deployment) => {
    const { isOn, description, registryName } = deployment.documentSettings;
    if (!isOn) return create(deployment);
    const server = description === undefined ? deployment.server : { ...deployment.server, description };
    return create({ ...deployment, server, documents: documentsOf({ ...deployment, server }, registryName) });
  },
};

/** Any web page may read the public documents (MCP Server Cards, discovery.md, CORS Requirements and Caching). */
const PUBLIC = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET",
  "access-control-allow-headers": "Content-Type, If-None-Match",
  "access-control-expose-headers": "ETag",
};
const CACHED = { ...JSON_HEADERS, ...PUBLIC, "cache-control": "public, max-age=3600" };

function documentsOf({ server, resource }: Deployment, ownName: string | undefined): Documents {
  const { name, version, description, ...shown } = server;
  const registryName = ({ hostname }: URL) => ownName ?? defaultName(hostname, name);
  const about = (url: URL) => ({
    name: registryName(url),
    description: description ?? "Tools for agents, over MCP, OXP and OpenTool",
    version,
    ...shown,
  });
  const remote = ({ origin }: URL) => ({
    type: "streamable-http",
    url: `${origin}/mcp`,
    // With OAuth, clients get a token themselves.
    ...(resource.issuers(origin).length === 0 && { headers: [CREDENTIAL] }),
  });
  return {
    ...openApi,
    serve(request, path) {
      switch (path) {
        case "/mcp/server-card":
          return answer(request, CARD_TYPE, (url) => ({
            $schema: `${SCHEMAS}/v1/server-card.schema.json`,
            ...about(url),
            remotes: [{ ...remote(url), supportedProtocolVersions: REVISIONS }],
          }));
        case "/server.json":
          return answer(request, "application/json", (url) => ({
            $schema: `${SCHEMAS}/2025-12-11/server.schema.json`,
            ...about(url),
            // "Must be an HTTPS URL", of 255 characters at most.
            icons: shown.icons?.filter(({ src }) => src.startsWith("https:") && src.length <= 255),
            remotes: [remote(url)],
          }));
        case "/.well-known/ai-catalog.json":
          return answer(request, "application/ai-catalog+json", (url) => {
            const identifier = catalogName(registryName(url));
            const entry = { identifier, type: CARD_TYPE, url: `${url.origin}/mcp/server-card` };
            return { specVersion: "1.0", entries: [entry] };
          });
      }
      return undefined;
    },
  };
}

const SCHEMAS = "https://static.modelcontextprotocol.io/schemas";
const CARD_TYPE = "application/mcp-server-card+json";
const CREDENTIAL = { name: "Authorization", description: "`Bearer `, then an API key of this server", isSecret: true };

/** Serves a public document. @param content gets the URL that was requested */
async function answer(request: Request, type: string, content: (url: URL) => object): Promise<Response> {
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: PUBLIC });
  if (request.method !== "GET" && request.method !== "HEAD") {
    return json({ message: "Only GET and HEAD are allowed here" }, 405, { ...PUBLIC, allow: "GET, HEAD" });
  }
  const text = JSON.stringify(content(new URL(request.url)));
  const etag = `"${(await sha256(text)).slice(0, 16)}"`;
  const headers = { ...CACHED, "content-type": type, etag };
  const known = request.headers.get("if-none-match");
  if (known === "*" || known?.includes(etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers });
}

/**
 * A name that the registry accepts: `com.example/weather`. Its first part is the host's name reversed, because the
 * registry asks publishers to prove that the domain is theirs (MCP registry, Authentication).
 */
function defaultName(hostname: string, name: string): string {
  const domain = hostname.replace(/[^a-z0-9.-]+/gi, "-");
  return `${reversed(domain)}/${name.replace(/[^\w.-]+/g, "-")}`;
}

/** `com.example/weather` → `urn:air:example.com:mcp:weather` (MCP Server Cards, discovery.md, Server Card Entries). */
function catalogName(registryName: string): string {
  const [domain = "", name] = registryName.split("/");
  return `urn:air:${reversed(domain)}:mcp:${name}`;
}

function reversed(domain: string): string {
  return domain.split(".").reverse().join(".");
}
