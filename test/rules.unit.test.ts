/** The rules for src: which folder may import which, where wire names may be used, and what never ships. */
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { basename, dirname, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { MANIFESTS } from "../src/features/manifests.ts";

const ROOT = resolve(import.meta.dirname, "..");
const files = globSync("src/**/*.ts", { cwd: ROOT })
  .filter((file) => !file.startsWith("src/generated/"))
  .sort();
const texts = new Map<string, string>();
function text(file: string): string {
  const known = texts.get(file) ?? readFileSync(resolve(ROOT, file), "utf8");
  texts.set(file, known);
  return known;
}

/** The features that there are: a folder each. */
const FEATURES = readdirSync(resolve(ROOT, "src/features"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/**
 * Rooms are groups of files with the same import rule, the most specific first: a file is in the first that matches.
 */
const ROOMS: readonly { readonly files: RegExp; readonly mayImport: readonly RegExp[] }[] = [
  {
    files: /^src\/tool\.ts$/,
    mayImport: [/^type src\/core\//, /^type src\/features\/[\w-]+\//, /^(type )?src\/from-opentool\.ts$/],
  },
  // What `fromOpenTool` of #tool loads.
  { files: /^src\/from-opentool\.ts$/, mayImport: [/^type src\/core\//, /^src\/core\/lib\/json\.ts$/] },
  // The core, from the bottom up: each folder may import the folders before it.
  { files: /^src\/core\/lib\//, mayImport: [/^src\/core\/lib\//] },
  { files: /^src\/core\/crypto\//, mayImport: [/^src\/core\/(lib|crypto)\//] },
  { files: /^src\/core\/model\//, mayImport: [/^src\/core\/(lib|crypto|model)\//, /^valibot$/] },
  { files: /^src\/core\/catalog\//, mayImport: [/^src\/core\/(lib|crypto|model|catalog)\//] },
  { files: /^src\/core\/ports\//, mayImport: [/^src\/core\/(lib|crypto|model|catalog|ports)\//] },
  { files: /^src\/core\/idempotency\//, mayImport: [/^src\/core\/(lib|crypto|model|catalog|ports|idempotency)\//] },
  { files: /^src\/core\/call\//, mayImport: [/^src\/core\//] },
  // What a feature adds: types. Its manifest is plain data, which discovery reads in Node.
  { files: /^src\/features\/feature\.ts$/, mayImport: [/^type src\//] },
  { files: /^src\/features\/manifest\.ts$/, mayImport: [/^type src\//] },
  {
    files: /^src\/features\/manifests\.ts$/,
    mayImport: [/^src\/features\/[\w-]+\/manifest\.ts$/, /^type src\/features\/manifest\.ts$/],
  },
  {
    files: /^src\/features\/[\w-]+\/(manifest|settings)\.ts$/,
    mayImport: [
      /^type src\/features\/manifest\.ts$/,
      /^src\/settings-reader\.ts$/,
      /^src\/features\/[\w-]+\/settings\.ts$/,
    ],
  },
  // The page at /, which runs in browsers: talks to the server as any client does.
  {
    files: /^src\/features\/page\/browser\//,
    mayImport: [
      /^src\/(features\/page\/browser|client|connect)\//,
      // The formula by which discovery also estimates a listing.
      /^src\/core\/lib\/token-estimate\.ts$/,
      // In the text of its samples.
      /^trivet\//,
      /^(ai|@ai-sdk\/.+|@anthropic-ai\/sdk.*|@google\/genai|@openai\/agents|@modelcontextprotocol\/sdk\/client\/.+)$/,
    ],
  },
  // What views import as #view. It runs in browsers, in a frame of a host.
  { files: /^src\/features\/views\/browser\//, mayImport: [/^src\/features\/views\/browser\//] },
  // Discovery loads this at build time, so it must run anywhere and import nothing.
  { files: /^src\/features\/views\/describe\.ts$/, mayImport: [/^type src\/core\//] },
  ...FEATURES.map((name) => ({
    files: new RegExp(`^src/features/${name}/`),
    mayImport: [
      new RegExp(`^src/features/${name}/`),
      /^type src\/features\/feature\.ts$/,
      // Never another feature: they reach each other through ports of the core.
      /^src\/(core|http|access|stores)\//,
      /^src\/protocols\/([a-z-]+\.ts|oxp\/(list|message|routes)\.ts|mcp\/eras\.ts|mcp\/(methods|transport|wire|modern)\/)/,
      /^src\/(runtime|claims-on-kv|settings|settings-reader)\.ts$/,
      /^type src\/(deployment|tool)\.ts$/,
      /^(type )?hono$/,
      /^valibot$/,
      /^cloudflare:/,
      /^#views$/,
      /^jose(\/errors)?$/,
      /^@cloudflare\/workers-oauth-provider$/,
      /^type @cloudflare\/workers-types$/,
    ],
  })),
  { files: /^src\/access\//, mayImport: [/^src\/(core|access)\//, /^type src\/http\//] },
  // What callers import. It runs in their programs, so it takes nothing of ours but types.
  { files: /^src\/client\//, mayImport: [/^src\/client\//, /^type src\/core\//] },
  // What the npm scripts and the page at / share: what hosts need to connect, and names in samples of code.
  { files: /^src\/connect\//, mayImport: [/^src\/connect\//] },
  // Command-line tools, run in Node: never ship.
  {
    files: /^src\/cli\/lib\//,
    // From the Worker's code only the format of a key's record, which is defined in one place; from discovery, which
    // file has the settings.
    mayImport: [
      /^src\/cli\/lib\//,
      /^src\/(core\/ports\/key-records|stores\/key-record-text)\.ts$/,
      /^src\/discovery\/settings\/find-settings-file\.ts$/,
      /^type src\/discovery\/read\/discovery\.ts$/,
      /^node:/,
      /^wrangler$/,
    ],
  },
  {
    files: /^src\/cli\/copy\//,
    // With the form of a message about a line, and discovery's about a file that is not TOML.
    mayImport: [
      /^src\/cli\/(copy|lib)\//,
      /^src\/discovery\/(read\/problem|settings\/read-settings-file|lib\/settings-format)\.ts$/,
      /^node:/,
    ],
  },
  {
    files: /^src\/cli\/connect\//,
    // With which parts of the Worker are turned on.
    mayImport: [
      /^src\/cli\/(connect|lib)\//,
      /^src\/connect\//,
      /^src\/discovery\/(settings\/available|lib\/settings-format)\.ts$/,
      /^node:/,
    ],
  },
  {
    files: /^src\/cli\/client\//,
    // With the client that reads a server's listing, and what discovery and OXP would list of tools/.
    mayImport: [
      /^src\/cli\/(client|lib)\//,
      /^src\/connect\/member-name\.ts$/,
      /^src\/client\/oxp\.ts$/,
      /^type src\/client\/oxp\/types\.ts$/,
      /^src\/discovery\/(discover|read\/problem|settings\/[a-z-]+)\.ts$/,
      /^src\/protocols\/oxp\/list\.ts$/,
      /^node:/,
    ],
  },
  {
    files: /^src\/cli\/call\//,
    // With our clients of OXP and OpenTool, the official ones of MCP, and discovery's search for a misspelled name.
    mayImport: [
      /^src\/cli\/(call|lib)\//,
      /^src\/connect\/variables\.ts$/,
      /^src\/discovery\/lib\/spelling\.ts$/,
      /^src\/client\/(oxp|opentool|opentool\/response|lib\/(json|redact|version))\.ts$/,
      /^node:/,
      /^@modelcontextprotocol\/(client|ext-tasks\/client)$/,
      /^@cfworker\/json-schema$/,
    ],
  },
  {
    files: /^src\/cli\/doctor\//,
    mayImport: [
      /^src\/cli\/(doctor|lib)\//,
      /^src\/discovery\/(settings\/[a-z-]+|lib\/(settings-format|some-of)|discover|read\/(paths|problem))\.ts$/,
      // Which hosts are private.
      /^src\/core\/lib\/guarded-fetch\.ts$/,
      /^type src\//,
      /^node:/,
    ],
  },
  // With the names that discovery accepts, and those of tools and skills that are there.
  {
    files: /^src\/cli\/new\//,
    mayImport: [
      /^src\/cli\/(new|lib)\//,
      /^src\/discovery\/(discover|read\/paths|skills\/find-skills|lib\/(article|member-line))\.ts$/,
      /^node:/,
    ],
  },
  {
    files: /^src\/cli\/keys\//,
    // From discovery the scopes that tools demand, and how a message says what to write.
    mayImport: [
      /^src\/cli\/(keys|lib)\//,
      /^src\/discovery\/(discover|lib\/settings-format)\.ts$/,
      /^type src\//,
      /^node:/,
    ],
  },
  // The programs that package.json names: each starts what is in the folder of its name.
  { files: /^src\/cli\/[a-z]+\.ts$/, mayImport: [/^src\/cli\//, /^node:/] },
  // What tests of tools import as #test: stands beside the Worker, and never ships.
  {
    files: /^src\/testing\//,
    mayImport: [
      /^src\/(testing|core)\//,
      // Gives tools files as the store does, without a bucket.
      /^src\/features\/files\//,
      /^type src\/features\//,
      /^type src\/(tool|generated\/tools\.d)\.ts$/,
      /^src\/(compose|runtime|settings)\.ts$/,
      /^(cloudflare:workers|node:async_hooks|#features|#views)$/,
    ],
  },
  // The preview page, which runs in browsers: the official host and client, with parts of the page at /.
  {
    files: /^src\/cli\/start\/preview\/page\//,
    mayImport: [
      /^src\/cli\/start\/preview\/page\//,
      /^src\/features\/page\/browser\/(lib\/dom|form\/example)\.ts$/,
      /^@modelcontextprotocol\/(client|ext-apps\/app-bridge)$/,
      /^zod$/,
    ],
  },
  // Serves it. Bundles it as discovery bundles the page at /, and allows the origins that discovery allows.
  {
    files: /^src\/cli\/start\/preview\//,
    mayImport: [
      /^src\/cli\/start\/preview\//,
      /^src\/discovery\/(lib\/inline|read\/view-options)\.ts$/,
      /^node:/,
      /^esbuild$/,
    ],
  },
  {
    files: /^src\/cli\/start\//,
    // Reads the Worker's log, and source maps as discovery does. Serves the preview page if there are views.
    mayImport: [
      /^src\/cli\/start\//,
      /^src\/discovery\/lib\/positions\.ts$/,
      /^src\/core\/lib\/(json|log)\.ts$/,
      /^type src\//,
      /^node:/,
    ],
  },
  { files: /^src\/http\//, mayImport: [/^src\/http\//, /^src\/core\//, /^type hono/] },
  // Discovery loads these at build time to describe tools, so they must run anywhere and import nothing.
  { files: /^src\/protocols\/[a-z]+\/describe\.ts$/, mayImport: [/^type src\/core\//] },
  // To drop an era of MCP, delete its folder and its lines in eras.ts: nothing else may import it.
  ...["legacy", "modern"].map((era) => ({
    files: new RegExp(`^src/protocols/mcp/${era}/`),
    mayImport: [
      new RegExp(`^src/protocols/mcp/${era}/`),
      /^src\/protocols\/mcp\/(methods|transport|wire)\//,
      /^src\/protocols\/[a-z-]+\.ts$/,
      /^src\/(core|http)\//,
    ],
  })),
  {
    files: /^src\/protocols\/mcp\/(methods|transport|wire)\//,
    mayImport: [
      /^src\/protocols\/mcp\/(methods|transport|wire)\//,
      /^src\/protocols\/[a-z-]+\.ts$/,
      /^src\/(core|http)\//,
    ],
  },
  ...globSync("src/protocols/*/", { cwd: ROOT })
    .map((folder) => basename(folder))
    .map((name) => ({
      files: new RegExp(`^src/protocols/${name}/`),
      mayImport: [new RegExp(`^src/protocols/${name}/`), /^src\/protocols\/[a-z-]+\.ts$/, /^src\/(core|http)\//],
    })),
  { files: /^src\/protocols\/[a-z-]+\.ts$/, mayImport: [/^src\/protocols\/[a-z-]+\.ts$/, /^src\/(core|http)\//] },
  { files: /^src\/stores\//, mayImport: [/^src\/stores\//, /^src\/core\//, /^cloudflare:/] },
  // Parses environment strings into settings; discovery checks the settings file with it.
  { files: /^src\/settings\.ts$/, mayImport: [/^src\/settings-reader\.ts$/] },
  { files: /^src\/settings-reader\.ts$/, mayImport: [] },
  // Types of the text files that tools import.
  { files: /^src\/texts\.d\.ts$/, mayImport: [] },
  {
    files: /^src\/discovery\//,
    mayImport: [
      /^src\/discovery\//,
      /^type src\//,
      /^src\/protocols\/[a-z]+\/describe\.ts$/,
      /^src\/settings\.ts$/,
      /^type src\/settings-reader\.ts$/,
      // Of features, what is plain data.
      /^src\/features\/manifests\.ts$/,
      /^node:/,
      /^esbuild$/,
      /^wrangler$/,
      // Finds patterns that take time without end.
      /^scslre$/,
      // Reads the frontmatter of skills.
      /^yaml$/,
      // Registers a fork's routes, to check that they can be registered, and knows media types.
      /^hono(\/utils\/mime)?$/,
      // Also checks the options of definitions.
      /^(@valibot\/.*|valibot)$/,
      /^ajv\//,
      // Writes the types of the tools that views can call.
      /^src\/cli\/client\/schema-type\.ts$/,
      // Names what authors import, for those who misspell it.
      /^src\/tool\.ts$/,
      // Joins instructions, counts tokens, and measures how deep a schema is nested.
      /^src\/core\/(catalog\/instructions|model\/primitives|lib\/(json|token-estimate))\.ts$/,
      // Functions that compiled checks call at run time.
      /^src\/core\/catalog\/compiled-check\.ts$/,
    ],
  },
  // The wiring. Types of what a Worker is built from; what features wrap; the app; bindings and the Worker.
  { files: /^src\/deployment\.ts$/, mayImport: [/^type src\/(core|access|http)\//, /^type hono$/] },
  { files: /^src\/home\.ts$/, mayImport: [/^type src\/deployment\.ts$/] },
  {
    files: /^src\/compose\.ts$/,
    mayImport: [/^src\/(core\/(call|lib)\/|home\.ts$)/, /^type src\/(core\/|deployment|features\/feature\.ts)/],
  },
  {
    files: /^src\/app\.ts$/,
    mayImport: [
      /^src\/(core|access|http|protocols)\//,
      /^src\/compose\.ts$/,
      /^type src\/(deployment|features\/feature)\.ts$/,
      /^(type )?hono/,
    ],
  },
  { files: /^src\/v8-maps\.ts$/, mayImport: [/^src\/(core|access|http|protocols)\//, /^type src\//] },
  {
    files: /^src\/(index|runtime|claims-on-kv)\.ts$/,
    mayImport: [
      /^src\/(core|access|http|stores)\//,
      /^src\/[a-z0-9-]+\.ts$/,
      /^type src\/features\/feature\.ts$/,
      /^(cloudflare:workers|#catalog|#features|#entrypoints)$/,
    ],
  },
];

/** A file's imports as `src/core/lib/json.ts` or `valibot`, with `type ` in front if only types are imported. */
function importsOf(file: string): string[] {
  const found: string[] = [];
  const statements = text(file).matchAll(
    /^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)";|import\("([^"]+)"\)/gms,
  );
  for (const [, type, from, dynamic] of statements) {
    const named = from ?? dynamic ?? "";
    const target = named.startsWith(".") ? relative(ROOT, resolve(ROOT, dirname(file), named)) : named;
    found.push(type ? `type ${target}` : target);
  }
  return found;
}

/**
 * Expects that no file breaks a rule. A failure names each that does, with what breaks it: an import, a line.
 *
 * @param among the files that the rule is for, of which there must be some
 */
function expectNone(among: readonly string[], breaches: (file: string) => readonly string[]): void {
  expect(among.length).toBeGreaterThan(10);
  const broken = among.map((file) => [file, breaches(file)] as const).filter(([, found]) => found.length > 0);
  expect(Object.fromEntries(broken)).toEqual({});
}

const linesOf = (file: string, pattern: RegExp) =>
  text(file)
    .split("\n")
    .filter((line) => pattern.test(line));

describe("dependency direction (docs/architecture.md, Folders)", () => {
  it("finds imports at all", () => {
    expect(importsOf("src/runtime.ts")).toContain("src/settings.ts");
    expect(importsOf("src/tool.ts")).toContain("type src/core/model/definition.ts");
  });

  it("every file is in a room, and imports what its room may", () => {
    expectNone(files, (file) => {
      const room = ROOMS.find(({ files }) => files.test(file));
      if (room === undefined) return ["it is in no room"];
      return importsOf(file).filter((target) => {
        const plain = target.replace(/^type /, "");
        return !room.mayImport.some((allowed) => allowed.test(target) || allowed.test(plain));
      });
    });
  });
});

/** What discovery writes for a fork that uses every feature, by the names that begin with "#" (package.json). */
const GENERATED: Readonly<Record<string, readonly string[]>> = {
  "#features": FEATURES.map((name) => `src/features/${name}/index.ts`),
  "#entrypoints": [
    "src/claims-on-kv.ts",
    ...MANIFESTS.flatMap(({ name, classes = {} }) =>
      Object.values(classes).map(({ file }) => `src/features/${name}/${file}`),
    ),
  ],
  "#catalog": ["src/core/catalog/generated-catalog.ts", "src/features/outbox/events/task-finished.ts"],
  "#views": ["src/core/model/primitives.ts"],
};

/** Every file of src, and what discovery writes, with what they import, also only its types. */
function graph(): Map<string, readonly string[]> {
  const known = new Set([...files, ...Object.keys(GENERATED)]);
  const targets = (file: string) =>
    importsOf(file)
      .map((target) => target.replace(/^type /, ""))
      .filter((target) => known.has(target));
  return new Map([...files.map((file) => [file, targets(file)] as const), ...Object.entries(GENERATED)]);
}

/** Circles among the nodes of a graph: each as a list of nodes that lead to each other (Tarjan, 1972). */
function circlesIn(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string) => {
    index.set(node, index.size);
    low.set(node, index.size - 1);
    path.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (path.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(node) !== index.get(node)) return;
    const circle = path.splice(path.indexOf(node));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return circles;
}

describe("the graph of all imports, with every # resolved", () => {
  const edges = graph();

  it("has no circle of files, not even of types", () => {
    expect(edges.get("src/runtime.ts")).toContain("#features");
    expect([...edges.values()].flat().filter((target) => !edges.has(target))).toEqual([]);
    expect(circlesIn(edges)).toEqual([]);
    expect(circlesIn(new Map([...edges, ["src/core/lib/json.ts", ["src/app.ts"]]]))).toHaveLength(1);
  });

  it("has no two folders that import each other", () => {
    // A feature is one, with the folders in it. The files of src and src/features themselves are wiring, each by itself.
    const unitOf = (file: string) => /^src\/features\/[\w-]+(?=\/)/.exec(file)?.[0] ?? folderOf(file);
    const folderOf = (file: string) => (/^(#|src\/(features\/)?[\w.-]+$)/.test(file) ? file : dirname(file));
    const pairs = new Set<string>();
    for (const [file, targets] of edges) for (const target of targets) pairs.add(`${unitOf(file)} > ${unitOf(target)}`);
    const mutual = [...pairs].filter((pair) => {
      const [from = "", to = ""] = pair.split(" > ");
      // Generated code imports features, and features import views.
      return from < to && pairs.has(`${to} > ${from}`) && !`${from}${to}`.includes("#");
    });
    expect(pairs.size).toBeGreaterThan(100);
    expect(mutual).toEqual([]);
  });

  it("leads to a feature from the generated code and the list of manifests alone", () => {
    const importers = [...edges].filter(([file, targets]) => {
      const own = /^src\/features\/[\w-]+\//.exec(file)?.[0] ?? "none";
      return targets.some((target) => /^src\/features\/[\w-]+\//.test(target) && !target.startsWith(own));
    });
    // Besides: types for authors, files for tests of tools, what discovery writes of views, a page that shares its form.
    const others = [
      "src/tool.ts",
      "src/testing/types.ts",
      "src/testing/attachments.ts",
      "src/discovery/write/views.ts",
    ];
    const expected = /^(#|src\/(features\/manifests\.ts$|cli\/start\/preview\/page\/))/;
    expect(importers.map(([file]) => file).filter((file) => !expected.test(file) && !others.includes(file))).toEqual(
      [],
    );
  });
});

it("stylesheets import stylesheets that are there", () => {
  const imports = globSync("src/**/*.css", { cwd: ROOT }).flatMap((file) =>
    Array.from(text(file).matchAll(/@import "([^"]+)"/g), ([, path = ""]) => resolve(ROOT, dirname(file), path)),
  );
  expect(imports.length).toBeGreaterThan(4);
  expect(imports.filter((path) => !existsSync(path))).toEqual([]);
});

it("tests mirror src", () => {
  const OWN =
    /^test\/(bench|conformance|docs|faults|fixtures|golden|journeys|pictures|stored-state|support|types)(\/|$)/;
  const folders = globSync("test/**/*.test.ts", { cwd: ROOT })
    .map((file) => dirname(file))
    .filter((folder) => !OWN.test(folder));
  expectNone([...new Set(folders)], (folder) => {
    const mirrored = folder.replace(/^test/, "src");
    return existsSync(resolve(ROOT, mirrored)) ? [] : [`there is no ${mirrored}`];
  });
});

it("wire names stay in wire folders", () => {
  const WORDS =
    /\b(call_id|tool_id|isError|structuredContent|resultType|inputSchema|jsonrpc|parameter_errors|protocolVersion)\b/;
  // Among them, samples of requests as they arrive.
  const MAY =
    /^src\/(v8-maps\.ts|protocols\/|connect\/|cli\/(call\/protocols|start\/preview\/page)\/|client\/(opentool|oxp|functions)\/|features\/(documents|outbox|skills|tasks|views)\/|features\/page\/browser\/(code\/|api\/(answers|catalog|mcp|run)\.ts))/;
  expectNone(
    files.filter((file) => !MAY.test(file)),
    (file) => linesOf(file, WORDS),
  );
});

describe("what ships", () => {
  const shipped = files.filter((file) => file.startsWith("src/") && !/^src\/(discovery|cli|testing)\//.test(file));

  it("imports nothing of what is for tests", () => {
    expectNone(shipped, (file) => importsOf(file).filter((target) => /^(type )?src\/testing\/|^#test$/.test(target)));
  });

  it("keeps no mutable state in a module", () => {
    // An isolate serves many callers at once; a page in a browser serves one.
    const inIsolates = shipped.filter((file) => !/^src\/features\/(page|views)\/browser\//.test(file));
    expectNone(inIsolates, (file) => linesOf(file, /^(export )?(let|var) /));
  });
});

it("nothing in src evaluates strings", () => {
  expectNone(files, (file) => linesOf(file, /\beval\(|new Function\(/));
});

describe("package-lock.json", () => {
  // A lock written with a registry that lacks packages for other systems omits them. Then `npm ci` refuses to install
  // anywhere, and an older npm installs without the binaries for its system.
  it.skipIf(!existsSync(resolve(ROOT, "package-lock.json")))("holds what every system installs", () => {
    const { packages } = JSON.parse(text("package-lock.json")) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const held = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + 13)));
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(wanted).toContain("@cloudflare/workerd-darwin-arm64");
    expect(wanted.filter((name) => !held.has(name))).toEqual([]);
  });
});

describe("forks", () => {
  // Comments may use it as an example of a name.
  const code = (file: string) => text(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  // Listed here, because tools/ has whatever its owner wants.
  const SAMPLES = [
    ...["calculator/add", "doorbell/ring", "gmail/get-emails", "links/check", "notes/add", "notes/list"],
    ...["notes/remove", "sms/send", "system/get-timestamp", "words/count"],
  ];
  const pascal = (name: string) => name.replace(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());
  const ours = globSync("{src,test}/**/*.ts", { cwd: ROOT }).filter((file) => !/\/generated\//.test(file));

  it("checks all of src and test", () => {
    expect(ours).toEqual(expect.arrayContaining(["src/app.ts", "test/rules.unit.test.ts"]));
  });

  it("nothing in src or test mentions a sample", () => {
    const words = SAMPLES.map((sample) => {
      const [toolkit = "", name = ""] = sample.split("/");
      return new RegExp(`\\b${pascal(toolkit)}[._]${pascal(name)}\\b`, "i");
    });
    const others = ours.filter((file) => file !== "test/pictures/scenario.ts");
    expectNone(others, (file) =>
      words.filter((word) => word.test(text(file)) && word.test(code(file))).map((word) => `it mentions ${word}`),
    );
  });

  it("no test reads wrangler.toml or tools/ of this project, which belong to its owner", () => {
    // These are about the owner's files: vitest.config.ts runs the samples' own tests, and the pictures show upstream's.
    // Tests of the wrangler.toml that upstream ships are skipped in a fork, which test/support/node/upstream.ts tells.
    const MAY = ["test/forks.node.test.ts", "test/vitest.config.ts", "test/pictures/run.ts"];
    expectNone(
      ours.filter((file) => file.startsWith("test/") && !MAY.includes(file)),
      (file) => linesOf(file, /\bROOT, "(wrangler\.toml|tools\b)|from "(\.\.\/)+tools\//),
    );
  });
});

it("Node can strip the types of every file, which it does when it runs a script without a bundler", () => {
  // Not all syntax that tsc accepts: a loop over a variable called `of` is a mistake to Node.
  const ours = globSync("{src,test}/**/*.ts", { cwd: ROOT }).filter((file) => !/\/generated\//.test(file));
  expectNone(ours, (file) => {
    try {
      stripTypeScriptTypes(readFileSync(resolve(ROOT, file), "utf8"));
      return [];
    } catch (error) {
      return [String(error)];
    }
  });
});

it("tests start processes through test/support/node/processes.ts only, which counts them", () => {
  const tests = globSync("test/**/*.ts", { cwd: ROOT }).filter((file) => file !== "test/support/node/processes.ts");
  expectNone(tests, (file) => importsOf(file).filter((target) => /^(node:)?child_process$/.test(target)));
});
