/** The network of a call under test: replies from the test, and no request that it does not expect. */
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { callTool } from "../../src/testing/call.ts";
import type { FakeFetch } from "../../src/testing/types.ts";

const URL_OF_API = "https://api.example.com/items?page=1";
const get = (fetch?: FakeFetch, input: object = {}) =>
  callTool("Fetching.Get", { url: URL_OF_API, ...input }, { fetch });

it.each([
  ["JSON", { [URL_OF_API]: { items: [1] } }, 200, '{"items":[1]}'],
  ["a response", { [URL_OF_API]: new Response("none", { status: 404 }) }, 404, "none"],
  ["a function", { [URL_OF_API]: ({ method }: Request) => [method] }, 200, '["GET"]'],
  ["one function for all", ({ url }: Request) => ({ url }), 200, `{"url":"${URL_OF_API}"}`],
  ["another spelling of the address", { "HTTPS://API.example.com:443/items?page=1#top": null }, 200, "null"],
])("replies with %s", async (_, fetch, status, text) => {
  const { value, requests } = await get(fetch);
  expect(value).toEqual({ url: URL_OF_API, status, text });
  expect(requests.map(({ url }) => url)).toEqual([URL_OF_API]);
});

it("tells methods apart, and shows what was sent", async () => {
  const posted = { method: "POST", body: "hello" };
  const { value, requests } = await get({ [`POST ${URL_OF_API}`]: "posted" }, posted);
  expect(value).toMatchObject({ text: '"posted"' });
  expect(await requests[0]?.text()).toBe("hello");
  await expect(get({ [URL_OF_API]: "got" }, posted)).rejects.toThrow(`requested POST ${URL_OF_API}`);
});

it("follows redirects, each of which the test must expect", async () => {
  const moved = { [URL_OF_API]: Response.redirect("https://www.example.com/new", 302) };
  expect((await get({ ...moved, "https://www.example.com/new": "here" })).value).toMatchObject({ text: '"here"' });
  await expect(get(moved)).rejects.toThrow("requested GET https://www.example.com/new");
});

it("refuses private addresses, as in a deployment", async () => {
  const { error, requests } = await get(() => "inside", { url: "http://10.0.0.1/" });
  expect(error?.cause).toMatchObject({ name: "AddressRefused" });
  expect(requests).toEqual([]);
});

it.each([
  ["without `fetch`", undefined],
  ["with another address", { "https://api.example.com/items?page=2": {} }],
  ["with a function that has no reply", () => undefined],
])("a request that is not expected fails the test, even if the tool handles it: %s", async (_, fetch) => {
  const message = `Fetching.Get requested GET ${URL_OF_API}, which the test does not expect: tests make no network requests. Reply to it: { fetch: { "${URL_OF_API}": { … } } }`;
  await expect(get(fetch, { calmly: true })).rejects.toThrow(message);
});

it("the global fetch, which libraries use, is replaced too", async () => {
  const globally = { globally: true };
  expect((await get({ [URL_OF_API]: "here" }, globally)).value).toMatchObject({ text: '"here"' });
  await expect(get(undefined, globally)).rejects.toThrow(`requested GET ${URL_OF_API}`);
});

it("calls that overlap have their own networks", async () => {
  const both = [get(() => "a", { globally: true }), get(() => "b", { globally: true }), get(() => "c")];
  const texts = (await Promise.all(both)).map(({ value }) => (value as { text: string }).text);
  expect(texts).toEqual(['"a"', '"b"', '"c"']);
});

it("requests of tests themselves still reach the Worker", async () => {
  expect((await exports.default.fetch("http://localhost/health")).status).toBe(200);
});

it("a function that throws is a connection that breaks, and one that waits ends with the time limit", async () => {
  const lost = await get(() => {
    throw new TypeError("Network connection lost");
  });
  expect(lost.error?.cause).toMatchObject({ message: "Network connection lost" });
  expect((await get(() => new Promise(() => {}))).error?.reason).toBe("timed_out");
});

it("an address that is none is an error", async () => {
  await expect(get({ "api.example.com/items": {} })).rejects.toThrow('The address "api.example.com/items" in `fetch`');
});
