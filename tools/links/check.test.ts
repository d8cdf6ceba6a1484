import { expect, it } from "vitest";
import { callTool, type FakeFetch, readResource } from "#test";

const PAGE = "https://example.com/";
const SITE: FakeFetch = {
  [PAGE]: new Response(
    `<a href="/about#us">Us</a> <a href="/about">Again</a> <a href="/a?b=1&amp;c=2">Query</a>
     <a href="https://example.org/gone">Gone</a> <a href="mailto:a@example.com">Mail</a> <a>No link</a> <a href="http://10.0.0.1/">Private</a>`,
    { headers: { "content-type": "text/html" } },
  ),
  "https://example.com/about": new Response("About"),
  "https://example.com/a?b=1&c=2": () => Promise.reject(new TypeError("Network connection lost")),
  "https://example.org/gone": new Response(null, { status: 404 }),
};

it("checks each link of the page once, and says what is wrong with it", async () => {
  const { value, requests, progress } = await callTool("Links.Check", { url: PAGE }, { fetch: SITE });
  expect(value).toEqual({
    checked: 4,
    broken: [
      { url: "https://example.com/a?b=1&c=2", problem: "It could not be reached: Network connection lost" },
      { url: "https://example.org/gone", problem: "The site answers with HTTP 404" },
      { url: "http://10.0.0.1/", problem: "It is not on the public internet" },
    ],
  });
  expect(requests).toHaveLength(4);
  expect(progress.map(({ done, total }) => `${done} of ${total}`)).toEqual(["0 of 4", "1 of 4", "2 of 4", "3 of 4"]);
});

it("says at once that there is no page", async () => {
  const fetch = { [PAGE]: new Response(null, { status: 503 }) };
  const { error } = await callTool("Links.Check", { url: PAGE }, { fetch });
  expect(error).toMatchObject({ message: "The site answers with HTTP 503", canRetry: true });
});

it("says that a page cannot be read to its end", { timeout: 20_000 }, async () => {
  const { readable, writable } = new IdentityTransformStream();
  void writable.abort(new TypeError("Network connection lost")).catch(() => {});
  const { error } = await callTool("Links.Check", { url: PAGE }, { fetch: { [PAGE]: new Response(readable) } });
  const message = "It could not be reached: Network connection lost";
  expect(error).toMatchObject({ reason: "failed", message, canRetry: true });
});

it("stops when it is cancelled", async () => {
  const cancelled = new AbortController();
  const fetch: FakeFetch = ({ url }) => {
    if (url !== PAGE) cancelled.abort();
    return new Response('<a href="/1"></a><a href="/2"></a>');
  };
  const { error, requests } = await callTool("Links.Check", { url: PAGE }, { fetch, signal: cancelled.signal });
  expect([error?.reason, requests.length]).toEqual(["cancelled", 2]);
});

it("has a skill that names the tool", async () => {
  const { value } = await readResource("skill://links/SKILL.md");
  expect(JSON.stringify(value)).toMatch(/description: .*Use it when.*`Links_Check`/);
});

it("leaves out links that are too long to be kept", async () => {
  const long = `<a href="/${"x".repeat(2_000)}"></a><a href="/about"></a>`;
  const { value } = await callTool("Links.Check", { url: PAGE }, { fetch: { ...SITE, [PAGE]: new Response(long) } });
  expect(value).toEqual({ checked: 1, broken: [] });
});
