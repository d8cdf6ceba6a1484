/**
 * The skills extension (SEP-2640, io.modelcontextprotocol/skills) over real HTTP: what the official client finds, reads
 * and verifies in both eras, and what a key cannot see.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../support/node/build.ts";
import { type Deployed, runAll } from "../../support/node/deployed.ts";
import { type Fork, makeFork } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { tool } from "../../support/node/project.ts";

const KIT = `---
name: kit
description: How to use the kit.
license: MIT
metadata:
  version: "1.10"
---

# The kit

Read [the types](references/types.md).
`;
const OF = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\n\nText of ${name}.\n`;
/** With a byte order mark, a line of Windows, and characters of several bytes. */
const ODD_TEXT = "\uFEFFfirst\r\nsecond: ümläut \u2028 \u{1F600}\n";
const BYTES = Uint8Array.from({ length: 256 }, (_, index) => index);
const FILES = {
  "kit/add.ts": tool(),
  "kit/SKILL.md": KIT,
  "kit/references/types.md": ODD_TEXT,
  // Not a file of the skill: it stands beside SKILL.md in no folder of its own.
  "kit/notes.md": "Not for anyone.",
  "kit/skills/zone-check/SKILL.md": OF("zone-check"),
  // "A nested skill is published like any other" (Nested skills).
  "kit/skills/zone-check/rates/SKILL.md": OF("rates"),
  "kit/skills/zone-check/rates/eu.md": "19",
  "kit/skills/zone-check/scripts/lib/run it&.py": "print('{x}')\n",
  "kit/skills/zone-check/scripts/empty.sh": "",
  "kit/skills/zone-check/__proto__": "An odd name.",
  "kit/skills/zone-check/.hidden": "Not for anyone.",
  "locked/open.ts": tool({ scopes: '["locked:open"]' }),
  "locked/SKILL.md": OF("locked"),
  "other/SKILL.md": OF("other"),
};
const URIS = ["kit", "locked", "other", "zone-check/rates", "zone-check"].map((name) => `skill://${name}/SKILL.md`);

let fork: Fork;
let served: Deployed;
let paged: Deployed;
/** Of everything; of the toolkit `other` only; of all toolkits, without scopes. */
let full: string;
let bound: string;
let plain: string;
beforeAll(async () => {
  fork = makeFork(FILES, { closed: true });
  mkdirSync(join(fork.root, "tools/kit/skills/zone-check/assets"));
  writeFileSync(join(fork.root, "tools/kit/skills/zone-check/assets/logo.png"), BYTES);
  await build(fork);
  const without = { RATE_PER_MINUTE: { type: "text", value: "" } };
  const settings = [without, { ...without, PAGE_SIZE: { type: "text", value: "1" } }];
  [served, paged] = (await runAll(
    fork,
    settings.map((own) => (env) => ({ ...env, ...own })),
  )) as [Deployed, Deployed];
  const keys = [{ scopes: ["*"] }, { scopes: ["*"], toolkits: ["other"] }, {}];
  [full, bound, plain] = (await Promise.all(keys.map(async (terms) => (await served.makeKey(terms)).text))) as [
    string,
    string,
    string,
  ];
});
afterAll(async () => {
  await served?.stop();
  fork?.remove();
});

async function connect(url: string, key: string, options: ClientOptions): Promise<SkillsClient> {
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return new SkillsClient(client);
}

const ERAS: readonly (readonly [string, ClientOptions])[] = [
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } }, enforceStrictCapabilities: true }],
  ["2025-11-25", { enforceStrictCapabilities: true }],
];

describe.each(ERAS)("the official client of %s", (revision, options) => {
  it("lists every skill with its frontmatter as it is written, and gets each alone", async () => {
    const skills = await connect(`${served.url}/mcp`, full, options);
    expect(skills.supported).toBe(true);
    const listed = await skills.list();
    expect(listed.skills.map(({ uri }) => uri)).toEqual(URIS);
    const frontmatter = { name: "kit", description: "How to use the kit.", license: "MIT" };
    expect(listed.skills[0]?.frontmatter).toEqual({ ...frontmatter, metadata: { version: "1.10" } });
    for (const skill of listed.skills) expect((await skills.get(skill.uri)).skill).toEqual(skill);
    // What is in a nested skill's folder are files of the skill around it, too.
    const [inner, outer] = listed.skills.slice(3).map(({ resources }) => resources as readonly object[]);
    expect(outer).toEqual(expect.arrayContaining([...(inner ?? [])]));
    const caching = revision === "2026-07-28" ? { ttlMs: 60_000, cacheScope: "private" } : {};
    const { skills: _, invalid: __, ...rest } = listed;
    expect(rest).toEqual(caching);
  });

  it("reads and verifies every file, byte for byte", async () => {
    const skills = await connect(`${served.url}/mcp`, full, options);
    const read = new Map<string, Uint8Array>();
    for (const skill of (await skills.list()).skills) {
      for (const { uri } of skill.resources as { uri: string }[]) {
        const { bytes, verified } = await skills.read(skill, uri);
        expect(verified).toBe(true);
        read.set(decodeURIComponent(uri), bytes);
      }
    }
    const text = (uri: string) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(read.get(uri));
    expect([...read.keys()]).toEqual([
      "skill://kit/SKILL.md",
      "skill://kit/references/types.md",
      "skill://locked/SKILL.md",
      "skill://other/SKILL.md",
      "skill://zone-check/rates/SKILL.md",
      "skill://zone-check/rates/eu.md",
      "skill://zone-check/SKILL.md",
      "skill://zone-check/__proto__",
      "skill://zone-check/assets/logo.png",
      "skill://zone-check/scripts/empty.sh",
      "skill://zone-check/scripts/lib/run it&.py",
    ]);
    expect(text("skill://kit/SKILL.md")).toBe(KIT);
    expect(text("skill://kit/references/types.md")).toBe(ODD_TEXT);
    expect(text("skill://zone-check/scripts/lib/run it&.py")).toBe("print('{x}')\n");
    expect(text("skill://zone-check/__proto__")).toBe("An odd name.");
    expect(read.get("skill://zone-check/assets/logo.png")).toEqual(BYTES);
  });

  it("walks through the folders", async () => {
    const skills = await connect(`${served.url}/mcp`, full, options);
    expect(skills.directoryRead).toBe(true);
    const children = async (uri: string) =>
      (await skills.readDirectory(uri)).resources.map(({ uri, name, mimeType }) => [uri, name, mimeType]);
    expect(await children("skill://zone-check")).toEqual([
      ["skill://zone-check/rates", "rates", "inode/directory"],
      ["skill://zone-check/SKILL.md", "SKILL.md", "text/markdown"],
      ["skill://zone-check/__proto__", "__proto__", "text/plain"],
      ["skill://zone-check/assets", "assets", "inode/directory"],
      ["skill://zone-check/scripts", "scripts", "inode/directory"],
    ]);
    expect(await children("skill://zone-check/scripts")).toEqual([
      ["skill://zone-check/scripts/empty.sh", "empty.sh", "application/x-sh"],
      ["skill://zone-check/scripts/lib", "lib", "inode/directory"],
    ]);
    for (const uri of ["skill://zone-check/", "skill://zone-check/SKILL.md", "skill://zone", "skill://", "x"]) {
      await expect(skills.readDirectory(uri), uri).rejects.toMatchObject({ code: -32602 });
    }
  });

  it("walks through the pages", async () => {
    const skills = await connect(`${paged.url}/mcp`, full, options);
    expect((await skills.list()).skills.map(({ uri }) => uri)).toEqual(URIS);
    expect((await skills.readDirectory("skill://zone-check")).resources).toHaveLength(5);
  });

  it("finds at a toolkit's path the skills of that toolkit", async () => {
    const skills = await connect(`${served.url}/kit/mcp`, full, options);
    expect((await skills.list()).skills.map(({ uri }) => uri)).toEqual([URIS[0], ...URIS.slice(3)]);
    await expect(skills.get("skill://other/SKILL.md")).rejects.toMatchObject({ code: -32602 });
    await expect(skills.readDirectory("skill://other")).rejects.toMatchObject({ code: -32602 });
  });

  it("with a key for one toolkit finds nothing of the others", async () => {
    const skills = await connect(`${served.url}/mcp`, bound, options);
    expect((await skills.list()).skills.map(({ uri }) => uri)).toEqual(["skill://other/SKILL.md"]);
  });

  it("without the scope that all tools of a toolkit demand does not find its skill", async () => {
    const skills = await connect(`${served.url}/mcp`, plain, options);
    expect((await skills.list()).skills.map(({ uri }) => uri)).toEqual(URIS.filter((uri) => !uri.includes("locked")));
  });
});

it("a client that knows no skills finds each SKILL.md among the resources, and can read its files", async () => {
  const client = new ClientV1({ name: "test", version: "1.0.0" });
  const requestInit = { headers: { authorization: `Bearer ${full}` } };
  const transport = new TransportV1(new URL(`${served.url}/mcp`), { requestInit });
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<ClientV1["connect"]>[0]);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(URIS);
  const { contents } = await client.readResource({ uri: "skill://kit/references/types.md" });
  expect(contents).toEqual([{ uri: "skill://kit/references/types.md", mimeType: "text/markdown", text: ODD_TEXT }]);
  await transport.terminateSession();
});

const WAYS = ["2025-11-25", "2026-07-28"] as const;
const META = "io.modelcontextprotocol/";
const _meta = { [`${META}protocolVersion`]: WAYS[1], [`${META}clientCapabilities`]: {} };

function ask(way: (typeof WAYS)[number], method: string, params: { uri?: unknown }, key: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    "mcp-protocol-version": way,
    ...(way === WAYS[1] && { "mcp-method": method, "mcp-name": String(params.uri) }),
  };
  const all = way === WAYS[1] ? { ...params, _meta } : params;
  return postJson(`${served.url}/mcp`, { jsonrpc: "2.0", id: 1, method, params: all }, headers);
}

it("what a key cannot see is answered as what does not exist", async () => {
  const answer = async (way: (typeof WAYS)[number], method: string, uri: string) => {
    const { status, body } = await ask(way, method, { uri }, bound);
    return { status, text: JSON.stringify(body).replaceAll("nowhere", "kit") };
  };
  for (const way of WAYS) {
    for (const [method, end] of [
      ["skills/get", "/SKILL.md"],
      ["resources/read", "/SKILL.md"],
      ["resources/read", "/references/types.md"],
      ["resources/directory/read", ""],
      ["resources/directory/read", "/references"],
    ] as const) {
      const hidden = await answer(way, method, `skill://kit${end}`);
      expect(hidden.text).toContain('"error"');
      expect(hidden).toEqual(await answer(way, method, `skill://nowhere${end}`));
    }
  }
});

it("resources/list has each SKILL.md once, and no other file of a skill", async () => {
  for (const way of WAYS) {
    const { resources } = (await ask(way, "resources/list", {}, full)).body.result;
    expect(resources).toHaveLength(URIS.length);
    expect(resources[0]).toEqual({
      uri: "skill://kit/SKILL.md",
      name: "kit",
      description: "How to use the kit.",
      mimeType: "text/markdown",
    });
  }
});

it.each([[{}], [{ uri: 1 }], [{ uri: "skill://kit" }], [{ uri: "skill://kit/references/types.md" }]])(
  "skills/get of %j is -32602",
  async (params) => {
    for (const way of WAYS) {
      const { body } = await ask(way, "skills/get", params, full);
      expect(body).toMatchObject({ error: { code: -32602 } });
    }
  },
);

it("files that are no part of a skill are nowhere in the build", () => {
  expect(readFileSync(join(fork.root, "dist/index.js"), "utf8")).not.toContain("Not for anyone.");
});
