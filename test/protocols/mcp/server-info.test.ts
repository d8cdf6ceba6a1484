/** How the server describes itself: each revision of MCP gets the members that its schema has (Implementation). */
import { expect, it } from "vitest";
import source from "#catalog";
import { createApp } from "../../../src/app.ts";
import { createCatalog } from "../../../src/core/catalog/catalog.ts";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import type { Deployment } from "../../../src/deployment.ts";
import type { ServerInfo } from "../../../src/http/request-context.ts";
import { fetchFrom, OPEN, postTo } from "../../support/app.ts";
import { request } from "../../support/mcp.ts";
import { META, modernRequest } from "../../support/modern-client.ts";

const NAMED = { name: "acme", version: "1.0.0" };
const TITLED = { ...NAMED, title: "Acme tools" };
const FULL = { ...TITLED, websiteUrl: "https://acme.test", icons: [{ src: "https://acme.test/icon.png" }] };

function deployed(server: ServerInfo) {
  const signer = hmacSigner(async () => new Uint8Array(32));
  const runtime = { catalog: createCatalog(source), signer, log: () => {}, now: Date.now, defer: () => {} };
  const limits = { bodyBytes: 10_000, pageSize: 100 };
  return createApp({ runtime: runtime as unknown as Deployment["runtime"], server, limits, ...OPEN });
}

const post = async (server: ServerInfo, message: unknown, headers?: Record<string, string>) =>
  (await postTo(deployed(server), "/mcp", message, headers)).body.result;

const initialize = (protocolVersion: string) =>
  request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } });

it.each([
  ["2024-11-05", NAMED],
  ["2025-03-26", NAMED],
  ["2025-06-18", TITLED],
  ["2025-11-25", FULL],
])("the handshake of %s has the members of its schema", async (revision, shown) => {
  expect((await post(FULL, initialize(revision))).serverInfo).toEqual(shown);
  expect((await post(NAMED, initialize(revision))).serverInfo).toEqual(NAMED);
});

it("2026-07-28: in full with discovery and listings, by name and version with a call", async () => {
  const shown = async (method: string, params?: Record<string, unknown>) => {
    const { message, headers } = modernRequest(method, params);
    return (await post(FULL, message, headers))._meta[`${META}serverInfo`];
  };
  expect(await shown("server/discover")).toEqual(FULL);
  expect(await shown("tools/list")).toEqual(FULL);
  expect(await shown("tools/call", { name: "Math_Add", arguments: { a: 1, b: 2 } })).toEqual(NAMED);
});

it("people see the title: at / and in OpenTool's description document", async () => {
  expect(await (await fetchFrom(deployed(FULL), "/")).text()).toMatch(/^Acme tools 1\.0\.0: /);
  expect(await (await fetchFrom(deployed(FULL), "/opentool/load")).json()).toMatchObject({
    info: { title: "Acme tools", version: "1.0.0" },
  });
});
