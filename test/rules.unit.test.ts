/** The rules of the rooms: who may import whom, where wire words may stand, and what never ships. Tools have none here. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

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

/** Rooms from the most particular to the most general: the first that fits a file is its own. */
const ROOMS: readonly { readonly files: RegExp; readonly mayImport: readonly RegExp[] }[] = [
  { files: /^src\/tool\.ts$/, mayImport: [/^type src\/core\//, /^type (hono|@cloudflare\/workers-types)$/] },
  // The core, from the bottom up: what a folder may import stands in the folders named before it.
  { files: /^src\/core\/lib\//, mayImport: [/^src\/core\/lib\//] },
  { files: /^src\/core\/model\//, mayImport: [/^src\/core\/(lib|model)\//, /^valibot$/] },
  { files: /^src\/core\/catalog\//, mayImport: [/^src\/core\/(lib|model|catalog)\//] },
  { files: /^src\/core\/ports\//, mayImport: [/^src\/core\/(lib|model|catalog|ports)\//] },
  { files: /^src\/core\/run\//, mayImport: [/^src\/core\/(lib|model|catalog|ports|run)\//] },
  { files: /^src\/core\/idempotency\//, mayImport: [/^src\/core\/(lib|model|catalog|ports|run|idempotency)\//] },
  { files: /^src\/core\/pipeline\//, mayImport: [/^src\/core\//] },
  { files: /^src\/access\//, mayImport: [/^src\/(core|access)\//, /^jose(\/errors)?$/] },
  {
    files: /^src\/sign-in\//,
    mayImport: [/^src\/(core|access|pages|sign-in)\//, /^@cloudflare\/workers-oauth-provider$/],
  },
  // Runs in Node, by hand: never ships.
  {
    files: /^src\/cli\/keys\//,
    // Of the Worker's own code what a key's record is: it stands in one place.
    mayImport: [/^src\/cli\/keys\//, /^src\/core\/ports\/key-records\.ts$/, /^type src\//, /^node:/, /^wrangler$/],
  },
  { files: /^src\/http\//, mayImport: [/^src\/http\//, /^src\/core\//, /^type hono/] },
  // What a listing says of a tool is read at build time: it must load without a runtime, and drag nothing along.
  { files: /^src\/protocols\/[a-z]+\/describe\.ts$/, mayImport: [/^type src\/core\//] },
  // An era of MCP is taken out by deleting its folder and its line in dialects/era.ts: nobody else knows it.
  ...["legacy", "modern"].map((era) => ({
    files: new RegExp(`^src/protocols/mcp/dialects/${era}/`),
    mayImport: [
      new RegExp(`^src/protocols/mcp/dialects/${era}/`),
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
  {
    files: /^src\/protocols\/mcp\/routes\.ts$/,
    mayImport: [
      /^src\/protocols\/mcp\/(dialects\/eras\.ts|(transport|wire)\/)/,
      /^src\/protocols\/[a-z-]+\.ts$/,
      /^src\/(core|http)\//,
    ],
  },
  ...["oxp", "mcp", "opentool"].map((name) => ({
    files: new RegExp(`^src/protocols/${name}/`),
    mayImport: [new RegExp(`^src/protocols/${name}/`), /^src\/protocols\/[a-z-]+\.ts$/, /^src\/(core|http)\//],
  })),
  { files: /^src\/protocols\/[a-z-]+\.ts$/, mayImport: [/^src\/protocols\/[a-z-]+\.ts$/, /^src\/(core|http)\//] },
  { files: /^src\/stores\//, mayImport: [/^src\/stores\//, /^src\/core\//, /^cloudflare:/] },
  { files: /^src\/pages\//, mayImport: [/^src\/pages\//, /^src\/core\//, /^type src\/http\//] },
  // Environment strings to typed settings: the build checks wrangler.toml with it.
  { files: /^src\/settings\.ts$/, mayImport: [] },
  {
    files: /^src\/build\//,
    mayImport: [
      /^src\/build\//,
      /^type src\//,
      /^src\/protocols\/[a-z]+\/describe\.ts$/,
      /^src\/settings\.ts$/,
      /^node:/,
      /^esbuild$/,
      /^wrangler$/,
      // Registers a fork's routes, to see whether that works.
      /^hono$/,
      /^@valibot\//,
      /^ajv\//,
      // What compiled checks call when they run.
      /^src\/core\/catalog\/compiled-check\.ts$/,
    ],
  },
  { files: /^src\/app\.ts$/, mayImport: [/^src\/(core|access|http|protocols|pages)\//, /^hono/] },
  // For forks with a tools/worker.ts: what is generated for them imports it, and nothing else does.
  {
    files: /^src\/worker\//,
    mayImport: [/^src\/app\.ts$/, /^src\/(core|access|http)\//, /^type src\/tool\.ts$/, /^hono$/],
  },
  { files: /^src\/index\.ts$/, mayImport: [/./] },
];

/** Imports of a file as `src/core/lib/json.ts`, `valibot`, or with `type ` before it where nothing of it is left at run time. */
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

describe("dependency direction (docs/architecture.md, Folders)", () => {
  it("sees imports at all", () => {
    expect(importsOf("src/index.ts")).toContain("src/settings.ts");
    expect(importsOf("src/tool.ts")).toContain("type src/core/model/definition.ts");
  });

  it.each(files)("%s", (file) => {
    const room = ROOMS.find(({ files }) => files.test(file));
    expect(room, "every file is in a room").toBeDefined();
    const strangers = importsOf(file).filter((target) => {
      const plain = target.replace(/^type /, "");
      return !room?.mayImport.some((allowed) => allowed.test(target) || allowed.test(plain));
    });
    expect(strangers).toEqual([]);
  });
});

describe("folders", () => {
  it("no two import each other", () => {
    const edges = new Set(
      files.flatMap((file) =>
        importsOf(file)
          .map((target) => target.replace(/^type /, ""))
          .filter((target) => target.startsWith("src/") && !target.startsWith("src/generated/"))
          .map((target) => `${dirname(file)} > ${dirname(target)}`),
      ),
    );
    const pairs = [...edges].filter((edge) => {
      const [from = "", to = ""] = edge.split(" > ");
      return from < to && edges.has(`${to} > ${from}`);
    });
    expect(edges.size).toBeGreaterThan(20);
    expect(pairs).toEqual([]);
  });

  it.each([...new Set(files.map((file) => dirname(file)))])("%s holds about a dozen files", (folder) => {
    expect(files.filter((file) => dirname(file) === folder).length).toBeLessThanOrEqual(15);
  });
});

describe("tests mirror src", () => {
  const OWN = /^test\/(bench|conformance|faults|fixtures|journeys|support|types)(\/|$)/;
  const tests = globSync("test/**/*.test.ts", { cwd: ROOT }).filter((file) => !OWN.test(file));
  it.each([...new Set(tests.map((file) => dirname(file)))])("%s is a folder of src", (folder) => {
    expect(existsSync(resolve(ROOT, folder.replace(/^test/, "src")))).toBe(true);
  });
});

describe("wire words stay in wire folders (style, 6)", () => {
  const WORDS =
    /\b(call_id|tool_id|isError|structuredContent|resultType|inputSchema|jsonrpc|parameter_errors|protocolVersion)\b/;
  it.each(files.filter((file) => /^src\/(?!protocols\/)/.test(file)))("%s", (file) => {
    const lines = text(file)
      .split("\n")
      .filter((line) => WORDS.test(line));
    expect(lines).toEqual([]);
  });
});

describe("what ships", () => {
  const shipped = files.filter((file) => file.startsWith("src/") && !/^src\/(build|cli)\//.test(file));

  it.each(shipped)("%s keeps no mutable state in its module", (file) => {
    const mutable = text(file)
      .split("\n")
      .filter((line) => /^(export )?(let|var) /.test(line));
    expect(mutable).toEqual([]);
  });

  it.each(files)("%s evaluates no text", (file) => {
    expect(text(file)).not.toMatch(/\beval\(|new Function\(/);
  });

  it.each(files)("%s is short enough to read", (file) => {
    expect(text(file).split("\n").length).toBeLessThanOrEqual(300);
  });
});

describe("package-lock.json", () => {
  // A lock written where a registry lacks packages of other systems leaves them out. Then `npm ci` refuses to install
  // anywhere, and an older npm installs without the binaries of the system it is on.
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

describe("forks (issue: for tests of forks)", () => {
  // Comments may give it as an example of a name.
  const code = (file: string) => text(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  // By their files, as tools/ holds whatever its owner wants.
  const SAMPLES = [
    ...["calculator/add", "dns/resolve", "doorbell/ring", "gmail/get-emails", "notes/add", "notes/list"],
    ...["notes/remove", "sms/send", "system/get-timestamp", "web/read-page"],
  ];
  const pascal = (name: string) => name.replace(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());
  const ours = globSync("{src,test}/**/*.ts", { cwd: ROOT }).filter((file) => !/\/generated\//.test(file));

  it("looks at all of src and test", () => {
    expect(ours).toEqual(expect.arrayContaining(["src/app.ts", "test/rules.unit.test.ts"]));
  });

  it.each(SAMPLES)("nothing in src or test knows the sample %s by name", (sample) => {
    const [toolkit = "", name = ""] = sample.split("/");
    const word = new RegExp(`\\b${pascal(toolkit)}[._]${pascal(name)}\\b`, "i");
    expect(ours.filter((file) => word.test(text(file)) && word.test(code(file)))).toEqual([]);
  });

  // Where that is what a test is about; vitest.config.ts runs the samples' own tests.
  const MAY = ["test/forks.node.test.ts", "test/vitest.config.ts"];
  it.each(ours.filter((file) => file.startsWith("test/") && !MAY.includes(file)))(
    "%s reads neither wrangler.toml nor tools/ of this project, which are its owner's",
    (file) => {
      expect(text(file)).not.toMatch(/\bROOT, "(wrangler\.toml|tools\b)|from "(\.\.\/)+tools\//);
    },
  );
});
