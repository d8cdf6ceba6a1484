/** What the listing's `_meta` says of a tool. */
import { expect, it } from "vitest";
import { describeMeta } from "../../../src/protocols/mcp/describe.ts";

const schemes = (...scopes: string[]) => ({ securitySchemes: [{ type: "oauth2", scopes }] });

it.each([
  ["nothing for most tools", {}, undefined],
  ["nothing for a tool with no scopes", { scopes: [] }, undefined],
  ["the scopes that a tool needs", { scopes: ["sms:send", "sms:read"] }, schemes("sms:send", "sms:read")],
  [
    "what the author says instead",
    { scopes: ["a"], meta: { securitySchemes: [], "com.example/x": 1 } },
    { securitySchemes: [], "com.example/x": 1 },
  ],
  [
    "the argument for files of the host",
    { scopes: ["a"], attachments: true, meta: { "openai/fileParams": ["own"] } },
    { ...schemes("a"), "openai/fileParams": ["own", "host_files"] },
  ],
])("has %s", (_name, options, meta) => {
  expect(describeMeta(options)).toEqual(meta);
});
