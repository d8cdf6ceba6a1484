/** Serves a fork with views, built, and asks for them as clients of both eras that show them and that do not. */
import { makeFork, type ServedBuilt, serveBuilt } from "./fork.ts";
import { postJson } from "./http.ts";
import { modern } from "./long.ts";
import { tool } from "./project.ts";

/** What a client declares that shows views. */
export const SHOWS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };

export const PAGE = `<!doctype html>
<html lang="en">
<title>Forecast</title>
<script type="module">
  import { openView } from "#view";
  openView("Weather_Forecast").onResult((value) => document.body.append(value));
</script>
</html>
`;

/** One tool with a view, one that only views should call, one that demands a scope, and one of another toolkit. */
export const TOOLS: Readonly<Record<string, string>> = {
  "weather/forecast.ts": tool({
    view: '{ csp: { connectDomains: ["https://api.example.com"] }, permissions: ["geolocation"], prefersBorder: true }',
    meta: '{ "example.com/own": 1 }',
  }),
  "weather/forecast.view.html": PAGE,
  "weather/refresh.ts": tool({ visibility: '["app"]', output: "v.number()", run: "() => 7" }),
  "weather/secret.ts": tool({ scopes: '["weather:secret"]' }),
  "weather/secret.view.ts": 'document.body.textContent = "secret";\n',
  "other/plain.ts": tool(),
  "other/news.resource.ts": 'export default { uri: "other://news", description: "News.", read: () => "none" };\n',
};

export async function serveViews(tools = TOOLS): Promise<ServedBuilt> {
  const fork = makeFork({ ...tools });
  const served = await serveBuilt(fork);
  return {
    ...served,
    async stop() {
      await served.stop();
      fork.remove();
    },
  };
}

export interface Client {
  readonly era: string;
  /** @returns the JSON-RPC message */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  ask(method: string, params?: object, path?: string): Promise<any>;
}

/** A client of each era. @param name what it calls itself */
export async function clients(url: string, capabilities: object, headers = {}, name = "test"): Promise<Client[]> {
  const legacy = async (path: string) => {
    const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name, version: "1" } };
    const begun = await postJson(`${url}${path}`, { jsonrpc: "2.0", id: 0, method: "initialize", params }, headers);
    return { begun: begun.body, session: begun.headers.get("mcp-session-id") ?? "" };
  };
  return [
    {
      era: "2025-11-25",
      async ask(method, params = {}, path = "/mcp") {
        const { begun, session } = await legacy(path);
        if (method === "initialize") return begun;
        const all = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25", ...headers };
        return (await postJson(`${url}${path}`, { jsonrpc: "2.0", id: 1, method, params }, all)).body;
      },
    },
    {
      era: "2026-07-28",
      ask: async (method, params = {}, path = "/mcp") =>
        (
          await modern(url, method === "initialize" ? "server/discover" : method, params, {
            capabilities,
            headers,
            path,
            meta: { "io.modelcontextprotocol/clientInfo": { name, version: "1" } },
          })
        ).body,
    },
  ];
}
