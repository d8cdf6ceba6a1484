/** The ETag of OpenTool's description document: different documents have different tags. */
import { expect, it } from "vitest";
import source from "#catalog";
import { createApp } from "../../../src/app.ts";
import { createCatalog } from "../../../src/core/catalog/catalog.ts";
import type { Deployment } from "../../../src/deployment.ts";
import type { ServerInfo } from "../../../src/http/request-context.ts";
import { fetchFrom, OPEN } from "../../support/app.ts";

/** A deployment with this name and version, reduced to what its listings use. */
function deployed(server: ServerInfo) {
  const runtime = { catalog: createCatalog(source), log: () => {} };
  const limits = { bodyBytes: 10_000, pageSize: 100 };
  return createApp({ runtime: runtime as unknown as Deployment["runtime"], server, limits, ...OPEN });
}

const tagOf = (answer: Response) => answer.headers.get("etag") ?? "";

it.each<[string, ServerInfo, string]>([
  ["name", { name: "acme", version: "1.0.0" }, "http://a.test"],
  ["version", { name: "trivet", version: "1.0.1" }, "http://a.test"],
  ["name that no header can carry", { name: 'Grüße "1"\n', version: "1.0.0" }, "http://a.test"],
  ["host", { name: "trivet", version: "1.0.0" }, "http://b.test"],
  ["scheme", { name: "trivet", version: "1.0.0" }, "https://a.test"],
])("another %s of the server is another document: no 304 for the old tag", async (_, server, origin) => {
  const before = await fetchFrom(deployed({ name: "trivet", version: "1.0.0" }), "http://a.test/opentool/load");
  const known = { headers: { "if-none-match": tagOf(before) } };
  const after = await fetchFrom(deployed(server), `${origin}/opentool/load`, known);
  expect(after.status).toBe(200);
  expect(await after.json()).toMatchObject({ info: { title: server.name, version: server.version } });
  expect(tagOf(after)).not.toBe(tagOf(before));
  expect(tagOf(after)).toMatch(/^"[\x21\x23-\x7e]+"$/);
});

it("the same document has the same tag, from every isolate and after any other requests", async () => {
  const server = { name: "trivet", version: "1.0.0" };
  const [one, two] = [deployed(server), deployed(server)];
  const first = tagOf(await fetchFrom(one, "http://a.test/opentool/load"));
  await fetchFrom(one, "http://a.test/opentool/load?x");
  expect(tagOf(await fetchFrom(one, "http://a.test/opentool/load"))).toBe(first);
  const known = { headers: { "if-none-match": first } };
  expect((await fetchFrom(two, "http://a.test/opentool/load", known)).status).toBe(304);
  expect((await fetchFrom(two, "http://a.test/opentool/load/", known)).status).toBe(304);
});
