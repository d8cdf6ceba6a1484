/** Answers to `GET /load` and `GET /version`. */
import type { Reply } from "../../support/reply.ts";
import type { Case, Outcome } from "../cases.ts";
import { FAILED, NO_ACCESS, RESPONSE_NULL, returned, UNAUTHORIZED } from "./outcomes.ts";

const cases: Case[] = [];
export const DESCRIPTIONS: readonly Case[] = cases;

const add = (method: "load" | "version", name: string, reply: Reply, outcome: Outcome) =>
  cases.push({ name: `${method}: ${name}`, method, reply, outcome });
const json = (method: "load" | "version", name: string, body: unknown, outcome: Outcome) =>
  add(method, name, { body: JSON.stringify(body) }, outcome);

const USER = { type: "object", properties: { friend: { $ref: "#/schemas/User" } }, required: ["friend"] };
/** With everything that the format has (OpenTool Specification 1.1.0). */
const DOCUMENT = {
  opentool: "1.1.0",
  info: { title: "Friends", description: "Knows friends.", version: "1.0.0" },
  server: { url: "https://host/opentool", description: "Here." },
  functions: [
    {
      name: "count",
      description: "Counts friends.",
      parameters: [
        { name: "user", description: "Whose.", schema: { $ref: "#/schemas/User" }, required: true },
        { name: "kind", schema: { type: "string", enum: ["old", "new"] }, required: false },
      ],
      return: { name: "count", description: "How many.", schema: { type: "integer" } },
    },
    { name: "forget", description: "Forgets.", parameters: [], return: null },
  ],
  schemas: { User: USER },
};

json("load", "a whole document, with references left as they are", DOCUMENT, returned(DOCUMENT));
// Section 3: "Returns an empty object if no description is available"; section 4: "can return null".
json("load", "an empty object", {}, returned(null));
json("load", "null", null, returned(null));
json(
  "load",
  "what published servers say without a document",
  { code: 404, message: "Json Parser NOT implement" },
  {
    returned: null,
  },
);
json(
  "load",
  "a sloppy document",
  {
    info: { version: 2, contact: "us" },
    server: { url: 5 },
    extra: true,
    functions: [
      { name: "bare" },
      { description: "without a name" },
      "no function",
      {
        name: "odd",
        description: null,
        parameters: [
          { name: "a", required: "true" },
          { name: "b", schema: "string", required: 1 },
          null,
          { schema: {} },
        ],
        return: { schema: { type: ["string", "null"] } },
      },
    ],
    schemas: [],
  },
  returned({
    opentool: "",
    info: { title: "", version: "2", contact: "us" },
    extra: true,
    functions: [
      { name: "bare", description: "", parameters: [], return: null },
      {
        name: "odd",
        description: "",
        parameters: [
          { name: "a", schema: {}, required: true },
          { name: "b", schema: {}, required: false },
        ],
        return: { name: "", schema: { type: ["string", "null"] } },
      },
    ],
  }),
);
json(
  "load",
  "functions alone",
  { functions: [] },
  {
    returned: { opentool: "", info: { title: "", version: "" }, functions: [] },
  },
);
json(
  "load",
  "info alone",
  { info: { title: "T", version: "1" } },
  {
    returned: { opentool: "", info: { title: "T", version: "1" }, functions: [] },
  },
);
add(
  "load",
  "a byte order mark, text/plain",
  { body: "\ufeff{}", headers: { "content-type": "text/plain" } },
  {
    returned: null,
  },
);

json("version", "as in the document", { version: "1.0.0" }, returned({ version: "1.0.0" }));
json("version", "with more", { version: "1.0.0", name: "x" }, returned({ version: "1.0.0" }));
for (const body of [{}, { version: 1 }, { version: null }]) {
  json("version", JSON.stringify(body), body, NO_ACCESS("not-opentool", 200));
}
add("version", "null", { body: "null" }, RESPONSE_NULL());

for (const method of ["load", "version"] as const) {
  add(method, "an empty body", {}, RESPONSE_NULL());
  add(method, "204", { status: 204 }, RESPONSE_NULL(204));
  add(method, "401", { status: 401, body: '{"error":"Invalid API key"}' }, UNAUTHORIZED);
  add(method, "404", { status: 404 }, NO_ACCESS("status", 404));
  add(method, "500", { status: 500, body: '{"error":"Exception"}' }, NO_ACCESS("status", 500));
  add(method, "a page", { body: "<!doctype html>" }, NO_ACCESS("not-opentool", 200));
  json(method, "a list", [], NO_ACCESS("not-opentool", 200));
  json(method, "an error", { error: { code: 500, message: "Away" } }, FAILED("Away", { code: 500 }));
}
