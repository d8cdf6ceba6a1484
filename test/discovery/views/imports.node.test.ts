/** What views may import and load: everyone can read what is in a view. Every mistake names the file and the line. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { project, tool } from "../../support/node/project.ts";

const SECRET = "only for the server";
const page = (body: string) => `<!doctype html>\n<title>View</title>\n${body}\n`;
const module = (text: string) => page(`<script type="module">\n${text}\n</script>`);
const CDN = tool({ view: '{ csp: { resourceDomains: ["https://*.fonts.example"] } }' });

/** A view with what is beside it, by name in its toolkit; the place, the problem and the fix of the message. */
const MISTAKES: readonly (readonly [files: Record<string, string>, place: string, problem: string, fix: string])[] = [
  [
    { "one.view.ts": '\nimport text from "../../.dev.vars" with { type: "text" };\nconsole.log(text);' },
    "one.view.ts:2",
    "it loads .dev.vars, which is neither in tools/ nor in a package",
    "remove the import",
  ],
  [
    { "one.view.html": module('import text from "../../secret.txt";\nconsole.log(text);') },
    "one.view.html:4",
    "it loads secret.txt, which is neither",
    "copy what everyone may read of it",
  ],
  [
    { "one.view.html": page('<link rel="stylesheet" href="../../secret.css">') },
    "one.view.html:3",
    "it loads secret.css, which is neither",
    "remove the import",
  ],
  [
    { "one.view.ts": 'import "./_a.css";', "_a.css": '/* First. */\n@import "../../secret.css";' },
    "_a.css:2",
    "it loads secret.css, which is neither",
    "remove the import",
  ],
  [
    { "one.view.ts": 'import "./_a.css";', "_a.css": "a {\n  background: url(../../secret.svg)\n}" },
    "_a.css:2",
    "it loads secret.svg, which is neither",
    "remove the import",
  ],
  [
    { "one.view.ts": "// Any of them.\nimport('../../sec' + document.title + '.txt');" },
    "one.view.ts:2",
    "it loads secret.txt, which is neither",
    "remove the import",
  ],
  [
    { "one.view.ts": 'import text from "./_linked.txt";\nconsole.log(text);' },
    "one.view.ts:1",
    "it loads secret.txt, which is neither",
    "remove the import",
  ],
  [
    { "one.view.ts": 'import text from "./.notes.txt";\nconsole.log(text);', ".notes.txt": SECRET },
    "one.view.ts:1",
    ".notes.txt, whose name begins with a dot",
    "rename the file if everyone may read it",
  ],
  [
    { "one.view.ts": 'import "leaky";' },
    "node_modules/leaky/index.js:1",
    "it loads secret.txt, which is neither",
    "remove the import",
  ],
  [
    {
      "one.view.ts": '// A helper.\nimport { one } from "./_one.ts";\none();',
      "_one.ts": 'export { default as one } from "./one.ts";',
    },
    "one.view.ts:2",
    "_one.ts, which imports tools/k9/one.ts, which loads #tool; that runs on the server",
    'write "import type" for types',
  ],
  [
    { "one.view.ts": 'import { openVeiw } from "#view";\nopenVeiw("x");' },
    "one.view.ts:1",
    '#view has no "openVeiw"',
    "write openView;",
  ],
  [{ "one.view.ts": 'import "#veiw";' }, "one.view.ts:1", 'it imports "#veiw", which is not there', 'write "#view"'],
  [{ "one.view.ts": 'import "node:fs";' }, "one.view.ts:1", 'it imports "node:fs", which is Node\'s', "in the tool"],
  [
    { "one.view.ts": 'import { sum } from "./_sum.js";\nsum();', "_sum.js": "export const a = 1;" },
    "one.view.ts:1",
    '_sum.js does not export "sum"',
    "export it there",
  ],
  [
    { "one.view.html": page('<link rel="stylesheet" href="_gone.css">') },
    "one.view.html:3",
    'it loads "./_gone.css", and there is no such file',
    "write tools/k14/_gone.css, or correct the path",
  ],
  [
    { "one.view.html": module('import { openView } from "#view";\n// openView("Any");\nopenView("K15_Two");') },
    "one.view.html:6",
    'it says openView("K15_Two"), and it is the view of K15_One',
    'write openView("K15_One")',
  ],
  [
    { "one.view.html": page('<script>\nimport { openView } from "#view";\n</script>') },
    "one.view.html:3",
    "its <script> has an import",
    'write <script type="module">',
  ],
  [
    { "one.view.html": page('<script src="https://cdn.example/a.js"></script>') },
    "one.view.html:3",
    "it loads https://cdn.example/a.js, and its tool does not name that origin",
    'view: { csp: { resourceDomains: ["https://cdn.example"] } }',
  ],
  [
    {
      "one.ts": CDN,
      "one.view.html": page('<img\n src="//cdn.example/a.png"><img src="https://a.fonts.example/a.png">'),
    },
    "one.view.html:3",
    "it loads //cdn.example/a.png",
    'resourceDomains: ["https://*.fonts.example", "https://cdn.example"]',
  ],
  [
    {
      "one.ts": CDN,
      "one.view.html": page("<style>\n@font-face { src: url('https://fonts.example/a.woff2') }\n</style>"),
    },
    "one.view.html:4",
    "it loads https://fonts.example/a.woff2",
    '"https://fonts.example"]',
  ],
  [
    { "one.view.html": page('<link href="https://cdn.example/a.css" rel="stylesheet">') },
    "one.view.html:3",
    "it loads https://cdn.example/a.css",
    "or import a file of tools/",
  ],
  [
    { "one.view.ts": 'import "https://cdn.example/a.js";' },
    "one.view.ts:1",
    "it loads https://cdn.example/a.js",
    "resourceDomains",
  ],
  [
    { "one.view.tsx": "// No library.\ndocument.title = String(<p />);" },
    "one.view.tsx:1",
    "it has JSX, and does not name the library",
    "begin it with /** @jsxImportSource preact */, and run npm install preact",
  ],
];

let stderr = "";
beforeAll(async () => {
  const made = project();
  MISTAKES.forEach(([files], at) => {
    const all = { "one.ts": tool(), ...files };
    made.write(Object.fromEntries(Object.entries(all).map(([name, text]) => [`k${at}/${name}`, text])));
  });
  symlinkSync(join(made.folder, "secret.txt"), join(made.tools, "k6/_linked.txt"));
  for (const name of [".dev.vars", "secret.txt", "secret.css", "secret.svg"]) {
    writeFileSync(join(made.folder, name), SECRET);
  }
  const leaky = join(made.folder, "node_modules/leaky/index.js");
  mkdirSync(dirname(leaky), { recursive: true });
  writeFileSync(leaky, 'import text from "../../secret.txt"; console.log(text);');
  ({ stderr } = await made.discover());
});

it.each(MISTAKES.map(([, place, problem, fix], at) => ({ at, place, problem, fix })))(
  "$place: $problem",
  ({ at, place, problem, fix }) => {
    const file = place.startsWith("node_modules/") ? place : `tools/k${at}/${place}`;
    const said = stderr.split(/\n(?=\S)/).filter((one) => one.startsWith(`${file}\n`));
    expect(said, stderr).toHaveLength(1);
    expect(said[0]).toContain(problem);
    expect(said[0]?.split("\n  fix: ")[1]).toContain(fix);
  },
);

it("says nothing else, and nothing of what the files say", () => {
  expect(stderr).toContain(`${MISTAKES.length} problem(s)`);
  expect(stderr).not.toContain(SECRET);
});

it("a view that is a symbolic link is refused", async () => {
  const made = project({ "kit/one.ts": tool() });
  writeFileSync(join(made.folder, "secret.html"), page(SECRET));
  symlinkSync(join(made.folder, "secret.html"), join(made.tools, "kit/one.view.html"));
  const said = await made.discover();
  expect(said.stderr).toContain("tools/kit/one.view.html\n  problem: it is a symbolic link");
  expect(said.stderr).toContain("copy the file to tools/kit/");
});

it("packages, helpers, other toolkits' helpers, and what the tool allows are right", async () => {
  const made = project({
    "kit/one.ts": CDN,
    "kit/one.view.tsx": `/** @jsxImportSource small */
import { openView } from "#view";
import type one from "./one.ts";
import { sum } from "../other/_sum.ts";
import "./_one.css";
openView("Kit_One");
document.title = String(<p title={sum satisfies unknown as typeof one} />);
`,
    "kit/_one.css": "@font-face { font-family: A; src: url(https://a.fonts.example/a.woff2) }",
    "kit/two.ts": CDN,
    "kit/two.view.html": page('<a href="https://elsewhere.example/">A</a>\n<img src="data:image/png;base64,AA==">'),
    "other/_sum.ts": "export const sum = 1;\n",
  });
  const small = join(made.folder, "node_modules/small/jsx-runtime.js");
  mkdirSync(dirname(small), { recursive: true });
  writeFileSync(small, "export const jsx = (type) => type;\n");
  expect(await made.discover()).toMatchObject({ code: 0, stderr: "" });
});

// If every beginning were searched to the end of the file, this would never end.
it("beginnings without an end do not make a view slow", async () => {
  const many = (text: string) => text.repeat(400_000);
  const bodies = ["<!--", "<script>", "<style ", "<p ", `<p ${many("a")}`, "<p>", "<script>import \n", "<a\n"];
  const made = project(
    Object.fromEntries(
      bodies.flatMap((body, at) => [
        [`kit/t${at}.ts`, tool()],
        [`kit/t${at}.view.html`, page(body.length > 100 ? body : many(body))],
      ]),
    ),
  );
  made.write({ "kit/doc.ts": tool(), "kit/doc.view.html": many("<!-- --> ") });
  const { stderr } = await made.discover();
  expect(stderr).toMatch(/^tools\/kit\/doc\.view\.html:1\n {2}problem: it is not an HTML document/m);
});
