/** Who is told what: the instructions of a server and of its toolkits, by protocol, path and principal. */
import { expect, it } from "vitest";
import source from "#catalog";
import { createApp } from "../../../src/app.ts";
import { createCatalog } from "../../../src/core/catalog/catalog.ts";
import { instructionsFor } from "../../../src/core/catalog/instructions.ts";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import type { Principal } from "../../../src/core/model/principal.ts";
import type { Deployment } from "../../../src/deployment.ts";
import { fetchFrom, OPEN, OWNER, postTo } from "../../support/app.ts";
import { request } from "../../support/mcp.ts";
import { modernRequest } from "../../support/modern-client.ts";

const TOLD = {
  server: "All tools.",
  toolkits: { echo: "About echo.", math: "About math.", nowhere: "About nothing." },
};

function deployed(told: Parameters<typeof instructionsFor>[0] | undefined, principal: Principal) {
  const catalog = createCatalog({ ...withEntries(), ...(told && { instructions: instructionsFor(told) }) });
  const signer = hmacSigner(async () => new Uint8Array(32));
  const runtime = { catalog, signer, log: () => {}, now: Date.now, defer: () => {} };
  const server = { name: "acme", version: "1.0.0" };
  const limits = { bodyBytes: 10_000, pageSize: 100 };
  const parts = { runtime: runtime as unknown as Deployment["runtime"], server, limits };
  return createApp({ ...parts, ...OPEN, guard: async () => principal });
}

/** The fixtures' catalogue; its entries are a getter. */
const withEntries = () => ({ ...source, entries: source.entries });

const initialize = (protocolVersion: string) =>
  request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } });

/** What a caller is told on a path, by each protocol that has a place for it. */
async function told(
  principal: Principal,
  toolkit = "",
  texts: Parameters<typeof instructionsFor>[0] | undefined = TOLD,
) {
  const app = deployed(texts, principal);
  const post = async (message: unknown, headers?: Record<string, string>) =>
    (await postTo(app, `${toolkit}/mcp`, message, headers)).body.result;
  const discover = modernRequest("server/discover");
  const results = [
    await post(initialize("2024-11-05")),
    await post(initialize("2025-11-25")),
    await post(discover.message, discover.headers),
  ].map((result) => ("instructions" in result ? result.instructions : "nothing"));
  const { info } = await (await fetchFrom(app, `${toolkit}/opentool/load`)).json<{ info: Record<string, unknown> }>();
  const all = new Set([...results, "description" in info ? info.description : "nothing"]);
  expect(all.size, "all protocols say the same").toBe(1);
  return [...all][0];
}

it("all toolkits that exist are told of, after the server", async () => {
  expect(await told(OWNER)).toBe("All tools.\n\nAbout echo.\n\nAbout math.");
});

it("on a toolkit's path, only what concerns it", async () => {
  expect(await told(OWNER, "/math")).toBe("About math.");
  expect(await told(OWNER, "/counter")).toBe("nothing");
});

it("a caller is told nothing of a toolkit that it does not see", async () => {
  expect(await told({ ...OWNER, toolkits: ["math"] })).toBe("All tools.\n\nAbout math.");
  expect(await told({ ...OWNER, toolkits: ["counter"] })).toBe("All tools.");
  expect(await told({ ...OWNER, toolkits: ["counter"] }, "", { toolkits: TOLD.toolkits })).toBe("nothing");
});

it("a server that has nothing to tell sends no member for it, also for a toolkit named like a method of objects", async () => {
  const app = deployed(undefined, OWNER);
  expect(JSON.stringify(await postTo(app, "/mcp", initialize("2025-11-25")))).not.toContain("instructions");
  expect(await (await fetchFrom(app, "/opentool/load")).text()).toMatch(/"info":\{"title":"acme","version":"1.0.0"\}/);
  expect(instructionsFor({ toolkits: {} })(new Set(["constructor"]), "constructor")).toBeUndefined();
});
