/** On the built Worker: a resource that demands scopes is reached by no other URI than its own, and no path leads out. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { build } from "../../support/node/build.ts";
import { type Deployed, runAll } from "../../support/node/deployed.ts";
import { type Fork, makeFork } from "../../support/node/fork.ts";

/** Source of a resource that returns its variables. */
const resource = (members: string) => `import { defineResource } from "#tool";
export default defineResource({ ${members}, read: (variables) => JSON.stringify(variables) });\n`;
const family = (uri: string, more = "") => resource(`uri: "${uri}", description: "A family."${more && `, ${more}`}`);

const FILES = {
  "kept/any.resource.ts": family("files://{+path}{?lines}"),
  "kept/private.resource.ts": family("files://private/{name}", 'scopes: ["kept:private"]'),
  "kept/payroll.resource.ts": resource('uri: "files://payroll.txt", description: "Pay.", scopes: ["kept:private"]'),
  "kept/drafts.resource.ts": family("files://drafts/{+path}"),
  "kept/marked.resource.ts": family("marked://{+path}{#part}"),
  "kept/secret.resource.ts": family("marked://secret/{name}", 'scopes: ["kept:private"]'),
  "kept/year.resource.ts": resource('uri: "marked://pay?year=1", description: "Pay.", scopes: ["kept:private"]'),
  "kept/years.resource.ts": family("marked://pay{?year}{#part}"),
  "kept/kind.resource.ts": family("kinds://{id}?kind={kind}"),
  "kept/hidden.resource.ts": resource('uri: "kinds://secret", description: "One.", scopes: ["kept:private"]'),
  "kept/tree.resource.ts": family("tree://all{/path*}"),
  "kept/root.resource.ts": resource('uri: "tree://all", description: "Root.", scopes: ["kept:private"]'),
  "pages/any.resource.ts": family("docs://{+path}"),
  "pages/one.resource.ts": family("docs://secret/{name}", 'scopes: ["kept:private"]'),
  "pages/vault.resource.ts": family("docs://vault/{+path}", 'scopes: ["kept:private"]'),
  "pages/all.resource.ts": resource('uri: "search://notes", description: "All."'),
  "pages/found.resource.ts": family("search://notes{?q,tag*}"),
  "pages/shown.resource.ts": family("shown://{id}"),
};

let fork: Fork;
let served: Deployed;
let full: Client;
beforeAll(async () => {
  fork = makeFork(FILES, { closed: true });
  build(fork);
  [served] = (await runAll(fork, [(env) => ({ ...env, RATE_PER_MINUTE: { type: "text", value: "" } })])) as [Deployed];
  full = await connect({ scopes: ["*"] });
});
afterAll(async () => {
  await full?.close();
  await served?.stop();
  fork?.remove();
});

async function connect(terms: object): Promise<Client> {
  const { text } = await served.makeKey(terms);
  const client = new Client(
    { name: "trivet-test", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const requestInit = { headers: { Authorization: `Bearer ${text}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), { requestInit }));
  return client;
}

it.each([
  "%252e%252e",
  "%252E",
  ".%252e",
  "%252E.",
  "..%20",
  "%2e%2E%3Fx",
  "..%23x",
  "..%252Fsecret",
  "a%255C..",
  "a%5c..",
  "a%00",
  "a%2500",
])("gets nothing at %s, which a URL may take for another path", async (name) => {
  for (const uri of [`files://${name}`, `files://a/${name}/b`, `shown://${name}`, `tree://all/a/${name}`]) {
    await expect(full.readResource({ uri }), uri).rejects.toThrow("Resource not found");
  }
});
