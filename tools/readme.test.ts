/** The README's calls get the responses that it prints. Delete this file together with the tools that it calls. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import readme from "../README.md?raw";

const [settings = ""] = Object.values(
  import.meta.glob<string>(["../wrangler.toml"], { query: "?raw", import: "default", eager: true }),
);
const CALLS =
  /```sh\n# (\w+)\ncurl -s http:\/\/127\.0\.0\.1:8787(\S+) -H '([^:]+): ([^']+)' \\\n {2}-d '([^']+)'\n```\n\n```json\n(.+)\n```/g;

// A fork's README is its owner's. A fork is known by `name` or `SERVER_NAME` (as in test/support/node/upstream.ts).
const isUpstream = /^name = "trivet"$/m.test(settings) && /^SERVER_NAME = "trivet"$/m.test(settings);

describe.skipIf(!isUpstream)("README, Try it", () => {
  const calls = [...readme.matchAll(CALLS)];

  it("shows one call for each protocol", () => {
    expect(calls.map(([, protocol]) => protocol)).toEqual(["OXP", "MCP", "OpenTool"]);
  });

  it.each(calls.map(([, ...parts]) => parts))("%s answers as written", async (...parts) => {
    const [, path, header = "", value = "", body = "", answer] = parts;
    const request = { method: "POST", headers: { [header]: value }, body };
    const response = await exports.default.fetch(`http://127.0.0.1:8787${path}`, request);
    // A duration varies, and so does an id that the server chose.
    const text = (await response.text())
      .replace(/"duration":\d+/, '"duration":0')
      .replace(/"call_id":"[\da-f-]{36}"/, '"call_id":"…"');
    expect(text).toBe(answer);
  });
});
