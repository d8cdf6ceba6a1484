/** On the built Worker: a resource that demands scopes is reached by no other URI than its own, and no path leads out. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { deploy } from "../../support/node/attacks/deployment.ts";
import type { Deployed } from "../../support/node/deployed.ts";
import { builtFork, type Fork, testSettings } from "../../support/node/fork.ts";
import { echoFamily as family, echoResource as resource } from "../../support/node/project.ts";

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
/** Clients whose keys have all scopes, and none. */
let full: Client;
let half: Client;
beforeAll(async () => {
  fork = await builtFork(FILES, testSettings({ closed: true }));
  served = await deploy(fork, { RATE_PER_MINUTE: "" });
  [full, half] = (await Promise.all([{ scopes: ["*"] }, {}].map(connect))) as [Client, Client];
});
afterAll(async () => {
  await Promise.all([full?.close(), half?.close()]);
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

async function read(uri: string, by = half): Promise<unknown> {
  const { contents } = await by.readResource({ uri });
  return JSON.parse((contents[0] as { text: string }).text);
}

it("keeps its URIs from all other templates, with any query or fragment, whoever asks", async () => {
  for (const by of [full, half]) {
    for (const uri of [
      "files://private/keys?",
      "files://private/keys?lines=1",
      "files://private%2Fkeys?",
      "files://private%2fkeys?lines=1",
      "files://pr%69vate/keys?lines=1",
      "files://private/keys%3Flines=1?lines=1",
      "files://private/keys#",
      "files://private%2Fkeys%3F",
      "files://payroll.txt?",
      "files://payroll.txt?lines=1",
      "files://p%61yroll.txt?lines=1",
      "files://payroll.txt#",
      "files://payroll.txt%3F",
      "files://payroll.txt%23",
      "files://drafts/a?lines=1",
      "marked://secret/x#",
      "marked://secret/x#y",
      "marked://secret%2Fx#y",
      "marked://secret/x?",
      "marked://secret/x?y#z",
      "marked://pay?year=1#",
      "marked://pay?year=1#x",
      "marked://pay?ye%61r=1#x",
      "kinds://secret?kind=a",
      "kinds://secre%74?kind=a",
      "kinds://secret%3Fkind=a",
      "tree://all/",
      "search://notes?",
      "docs://secret/x?z",
      "docs://secret/x#z",
      "docs://vault/x/y?z",
    ]) {
      await expect(by.readResource({ uri }), uri).rejects.toThrow("Resource not found");
    }
  }
  expect(await read("files://private/keys", full)).toEqual({ name: "keys" });
  expect(await read("files://open/keys?lines=1")).toEqual({ path: "open/keys", lines: "1" });
  expect(await read("files://private?lines=1")).toEqual({ path: "private", lines: "1" });
  expect(await read("files://drafts/a")).toEqual({ path: "a" });
  expect(await read("marked://open/x#y")).toEqual({ path: "open/x", part: "y" });
  expect(await read("marked://pay?year=2#x")).toEqual({ year: "2", part: "x" });
  expect(await read("kinds://open?kind=a")).toEqual({ id: "open", kind: "a" });
  expect(await read("tree://all/x")).toEqual({ path: ["x"] });
  expect(await read("search://notes?q=x")).toEqual({ q: "x", tag: [] });
});

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
