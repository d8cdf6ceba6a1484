/**
 * Features are built so that none knows another, and a fork may have any of them: each works alone and beside each
 * other one. Every case is a fork of its own, discovered and bundled as a deployment is, and served in workerd.
 */
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { makeKey } from "../src/cli/keys/make.ts";
import { fileLines, outboxLines } from "../src/discovery/settings/available.ts";
import { keyEntry, keyName } from "../src/stores/key-record-text.ts";
import { hmac, SECRET, shared } from "./support/node/attacks/tokens.ts";
import { bundle } from "./support/node/bundle.ts";
import { type Fork, makeFork, serveDist, testSettings } from "./support/node/fork.ts";
import { postJson } from "./support/node/http.ts";
import { modern, WORKFLOW } from "./support/node/long.ts";
import { PAGE } from "./support/node/page.ts";
import { tool } from "./support/node/project.ts";
import { runTraced } from "./support/node/traced.ts";
import { SHOWS } from "./support/node/views.ts";

/** A fork that is served, and a caller with a key. */
interface Served {
  readonly url: string;
  readonly authorization: string;
  readonly fork: Fork;
  readonly bundled: Metafile;
}

interface Feature {
  /** Files by their path in `tools/`. */
  readonly tools?: Readonly<Record<string, string>>;
  readonly vars?: Readonly<Record<string, string>>;
  /** Tables of wrangler.toml. */
  readonly toml?: string;
  /** Checks that it answers. */
  works(served: Served): Promise<void>;
}

/** Calls a tool over OXP, and returns its value. */
async function call({ url, authorization }: Served, tool_id: string, input: object = {}, context: object = {}) {
  const { body } = await postJson(`${url}/tools/call`, { request: { tool_id, input, context } }, { authorization });
  expect(body.result, JSON.stringify(body)).toMatchObject({ success: true });
  return body.result.value;
}

/** Sends a request of MCP 2026-07-28, and returns its result. */
async function ask({ url, authorization }: Served, method: string, params: object = {}, capabilities: object = {}) {
  const { body } = await modern(url, method, params, { headers: { authorization }, capabilities });
  expect(body, method).toHaveProperty("result");
  return body.result;
}

const get = ({ url, authorization }: Served, path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers: { authorization, ...headers } });

const EVENT = `import * as v from "valibot";
import { defineEvent } from "#tool";
export default defineEvent({ name: "bell.rung", description: "It rang.", payload: v.object({ times: v.number() }) });
`;

const FEATURES: Readonly<Record<string, Feature>> = {
  tasks: {
    tools: {
      "work/slowly.ts": tool({ long: "true", input: undefined, run: "(_, ctx) => ctx.step('one', () => 'worked')" }),
    },
    toml: WORKFLOW,
    async works(served) {
      expect(await call(served, "Work.Slowly")).toBe("worked");
      const { tools } = await ask(served, "tools/list");
      const { inputSchema } = tools.find(({ name }: { name: string }) => name === "Work_Slowly");
      expect(inputSchema.properties).toHaveProperty("task_id");
    },
  },
  files: {
    tools: {
      "papers/read.ts": tool({ attachments: "true", input: undefined, run: "(_, ctx) => ctx.attachments[0].text()" }),
    },
    toml: `\n${fileLines("wrangler.toml", { r2_buckets: [], durable_objects: { bindings: [] }, migrations: [] })}\n`,
    async works(served) {
      const { url, authorization } = served;
      const wanted = { filename: "a.txt", content_type: "text/plain" };
      const { body } = await postJson(`${url}/api/v1/files/presign-upload`, wanted, { authorization });
      const put = await fetch(body.upload_url, { method: "PUT", headers: body.headers, body: "what it says" });
      expect(put.ok, await put.text()).toBe(true);
      const attachments = [{ file_id: body.file_id }];
      expect(await call(served, "Papers.Read", {}, { attachments })).toBe("what it says");
    },
  },
  outbox: {
    tools: {
      "bell/rung.event.ts": EVENT,
      "bell/ring.ts": tool(
        { input: undefined, output: "null", run: "(_, ctx) => ctx.emit(rung, { times: 3 })" },
        'import rung from "./rung.event.ts";\n',
      ),
    },
    toml: `\n${outboxLines("wrangler.toml")}\n`,
    async works(served) {
      const poll = (cursor: string | null) => ask(served, "events/poll", { name: "bell.rung", arguments: {}, cursor });
      const { cursor } = await poll(null);
      await call(served, "Bell.Ring");
      expect((await poll(cursor)).events).toMatchObject([{ name: "bell.rung", data: { times: 3 } }]);
    },
  },
  views: {
    tools: {
      "tide/heights.ts": tool({ input: undefined }),
      "tide/heights.view.html": "<!doctype html><title>Heights</title><p>Of the tide.",
    },
    async works(served) {
      const { tools } = await ask(served, "tools/list", {}, SHOWS);
      const { _meta } = tools.find(({ name }: { name: string }) => name === "Tide_Heights");
      const { contents } = await ask(served, "resources/read", { uri: _meta.ui.resourceUri }, SHOWS);
      expect(contents[0].text).toContain("Of the tide.");
    },
  },
  skills: {
    tools: { "vat/SKILL.md": "---\nname: vat\ndescription: About VAT.\n---\nAdd it.\n", "vat/add.ts": tool() },
    async works(served) {
      expect((await ask(served, "skills/list")).skills).toMatchObject([{ uri: "skill://vat/SKILL.md" }]);
      const { contents } = await ask(served, "resources/read", { uri: "skill://vat/SKILL.md" });
      expect(contents[0].text).toContain("Add it.");
    },
  },
  "the page": {
    toml: `\n${PAGE}`,
    async works(served) {
      const page = await get(served, "/", { accept: "text/html" });
      expect(page.headers.get("content-type")).toContain("text/html");
      expect(await page.text()).toContain("<script");
    },
  },
  "no documents": {
    vars: { DOCUMENTS: "false" },
    async works(served) {
      expect((await get(served, "/mcp/server-card")).status).toBe(404);
      expect((await get(served, "/openapi.json")).status).toBe(404);
    },
  },
  traces: {
    toml: "\n[observability.traces]\nenabled = true\n",
    async works({ fork, bundled }) {
      expect(Object.keys(bundled.inputs)).toContain("src/features/tracing/index.ts");
      // The spans go to a second Worker, which has to stand beside this one from the start.
      const traced = await runTraced(fork);
      try {
        await postJson(`${traced.url}/tools/call`, { request: { tool_id: "Kit.Add", input: { a: "" } } });
        const [span] = await traced.spans(1, "mcp.method.name");
        expect(span?.name).toBe("tools/call Kit_Add");
      } finally {
        await traced.stop();
      }
    },
  },
  operators: {
    tools: {
      "shelf/book.resource.ts":
        'export default { uri: "shelf://{+path}", description: "A book.", read: ({ path }) => "at " + path };\n',
    },
    async works(served) {
      const { contents } = await ask(served, "resources/read", { uri: "shelf://a/b/c" });
      expect(contents[0].text).toBe("at a/b/c");
    },
  },
  "a worker.ts": {
    tools: {
      "worker.ts": `import { defineWorker } from "#tool";
export default defineWorker({ routes: (app) => void app.get("/own/:name", (c) => c.text(c.req.param("name"))) });
`,
    },
    async works(served) {
      expect(await (await get(served, "/own/route")).text()).toBe("route");
    },
  },
  "sign-in": {
    vars: { SIGN_IN: "true" },
    async works(served) {
      const metadata = await get(served, "/.well-known/oauth-authorization-server");
      expect(await metadata.json()).toMatchObject({ authorization_endpoint: expect.stringContaining(served.url) });
    },
  },
  tokens: {
    vars: { TOKENS: "true", JWT_SECRET: SECRET },
    async works(served) {
      const withToken = (token: string) => get({ ...served, authorization: `Bearer ${token}` }, "/tools");
      expect((await withToken(shared())).status).toBe(200);
      expect((await withToken(shared({}, {}, hmac("another secret")))).status).toBe(401);
    },
  },
  "tools of an OpenTool server": {
    tools: {
      "acts/toolkit.ts": `import { defineToolkit, fromOpenTool } from "#tool";
const described = { name: "act", description: "Acts." };
const load = () => ({ info: { version: "1.0.0" }, functions: [described] });
export default defineToolkit({ tools: fromOpenTool({ call: () => ({ acted: true }), load }) });
`,
    },
    async works(served) {
      expect(await call(served, "Acts.Act")).toEqual({ acted: true });
    },
  },
};

/** Deploys a fork with these features, and checks a call and what each feature adds. */
async function expectToWork(features: readonly Feature[]): Promise<void> {
  const tools = Object.assign({ "kit/add.ts": tool() }, ...features.map(({ tools }) => tools));
  const vars: Record<string, string> = Object.assign({}, ...features.map(({ vars }) => vars));
  const lines = Object.entries(vars).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const toml = [
    testSettings().replace("[vars]", ["[vars]", ...lines].join("\n")),
    ...features.flatMap(({ toml = [] }) => toml),
  ].join("\n");
  const fork = makeFork(tools);
  try {
    fork.write("wrangler.toml", toml);
    const bundled = await bundle(fork.root, join(fork.root, "dist"));
    const server = await serveDist(fork, toml);
    try {
      const key = makeKey({ name: "test", scopes: [], created: 1_700_000_000 });
      const { KV } = (await server.bindings()) as { KV: { put(name: string, text: string): Promise<void> } };
      await KV.put(keyName(key.id), keyEntry(key.id, key.record).text);
      const served: Served = { url: server.url, authorization: `Bearer ${key.text}`, fork, bundled };
      expect(await call(served, "Kit.Add", { a: "one" })).toBe("done");
      if (vars.DOCUMENTS !== "false") expect((await get(served, "/mcp/server-card")).status).toBe(200);
      for (const { works } of features) await works(served);
    } finally {
      await server.stop();
    }
  } finally {
    fork.remove();
  }
}

const all = Object.entries(FEATURES);
const PAIRS = all.flatMap(([one, first], index) =>
  all.slice(index + 1).map(([other, second]) => [one, other, [first, second]] as const),
);

describe.concurrent("each feature alone", () => {
  it.each(all)("%s", (_, feature) => expectToWork([feature]));
});

describe.concurrent("each pair of features", () => {
  it.each(PAIRS)("%s and %s", (_one, _other, features) => expectToWork(features));
});

it("all features together", () => expectToWork(Object.values(FEATURES)));
