/** The drawings in docs/pictures: what they name exists, they have the colours of the page, and load nothing. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { MARK } from "../../src/http/pages/style.ts";
import { isUpstream } from "../support/node/upstream.ts";
import { PAGES, ROOT } from "./blocks.ts";

const read = (path: string) => readFileSync(resolve(ROOT, path), "utf8");
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = ""]) => found);
const textsOf = (drawing: string) => all(read(drawing), /<text[^>]*>([^<]+)<\/text>/g);

const DRAWINGS = globSync("docs/pictures/*.svg", { cwd: ROOT }).sort();
/** Light and dark. */
const COLORS = ["$1", "$2"].map((one) =>
  read("src/features/page/browser/style/colours.css").replace(/light-dark\((#\w+), (#\w+)\)/g, one),
);

it("finds the drawings", () => {
  expect(DRAWINGS).toEqual(expect.arrayContaining(["docs/pictures/architecture.svg", "docs/pictures/mark.svg"]));
});

describe.each(DRAWINGS)("%s", (drawing) => {
  const svg = read(drawing);

  it("says what it shows to those who do not see it", () => {
    expect(svg).toMatch(/role="img" aria-labelledby="title( desc)?"/);
    expect(svg).toMatch(/<title id="title">[^<]+<\/title>/);
  });

  it("has the colours of the page, in both themes", () => {
    const themes = svg.split("@media (prefers-color-scheme: dark)");
    expect(themes).toHaveLength(2);
    const others = themes.map((theme, at) =>
      all(theme, /(#[0-9a-f]{6})\b/g).filter((color) => !COLORS[at]?.includes(color)),
    );
    expect(others).toEqual([[], []]);
    // GitHub shows it as an image, which gets no style from the page around it.
    expect(all(svg, /((?:fill|stroke)="(?!none)[^"]+")/g)).toEqual([]);
  });

  it("runs nothing, and loads nothing", () => {
    expect(svg).not.toMatch(/<script|<foreignObject|<image|@import|@font-face|\bon\w+=|href=/);
    expect(all(svg, /url\(([^)]+)\)/g).filter((target) => !target.startsWith("#"))).toEqual([]);
  });
});

describe("the drawing of the architecture", () => {
  const drawing = "docs/pictures/architecture.svg";

  it("names folders that exist", () => {
    const folders = textsOf(drawing).filter((text) => text.startsWith("src/"));
    expect(folders.length).toBeGreaterThan(4);
    // Discovery writes src/generated.
    expect(folders.filter((folder) => folder !== "src/generated" && !existsSync(resolve(ROOT, folder)))).toEqual([]);
    const documented = read("docs/architecture.md");
    expect(folders.filter((folder) => !documented.includes(`\`${folder}/`))).toEqual([]);
  });

  it("names the paths of the protocols", () => {
    const paths = textsOf(drawing).filter((text) => text.startsWith("/"));
    const [oxp, mcp, opentool] = ["oxp", "mcp", "opentool"].map((name) => read(`src/protocols/${name}/routes.ts`));
    expect(paths).toEqual(["/tools/call", "/mcp", "/opentool/call"]);
    expect([oxp, mcp, opentool].map((routes, at) => routes?.includes(`"${paths[at]}"`))).toEqual([true, true, true]);
  });

  it("has the steps of a call that the page has, in their order", () => {
    const [path = ""] = all(read("docs/architecture.md"), /core\/call\/execute\.ts\n([\s\S]*?)→ Outcome/g);
    const steps = all(path, /^ {6}(\w+)/gm);
    expect(steps.length).toBeGreaterThan(5);
    const texts = textsOf(drawing);
    const first = texts.indexOf(steps[0] ?? "");
    expect(texts.slice(first, first + steps.length)).toEqual(steps);
  });
});

it("the mark is the same everywhere", () => {
  const [ember, iron] = all(read("docs/pictures/mark.svg"), / d="([^"]+)"/g);
  expect(ember).toBeDefined();
  const page = read("src/features/page/browser/index.html");
  const ICON = decodeURIComponent(/href="(data:image[^"]+)"/.exec(page)?.[1] ?? "").replaceAll("'", '"');
  const HEADER = page.replace(ICON, "");
  for (const text of [read("docs/pictures/trivet.svg"), MARK.text, ICON, HEADER]) {
    expect(text).toContain(`d="${ember}"`);
    expect(text).toContain(`d="${iron}"`);
  }
});

describe("the pictures on pages", () => {
  const inMarkdown = (page: string) => [...read(page).matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)];

  it("have words for those who do not see them", () => {
    const wordless = PAGES.flatMap((page) => [
      ...inMarkdown(page).flatMap(([, words, link]) => (words === "" ? `${page}: ${link}` : [])),
      ...all(read(page), /(<img (?![^>]*alt="[^"])[^>]*>)/g).map((image) => `${page}: ${image}`),
    ]);
    expect(wordless).toEqual([]);
  });

  // README shows some.
  it.skipIf(!isUpstream)("are all of those in docs/pictures", () => {
    const shown = PAGES.flatMap((page) =>
      [...inMarkdown(page).map(([, , link = ""]) => link), ...all(read(page), /\bsrc(?:set)?="([^"]+)"/g)].map((link) =>
        relative(ROOT, resolve(ROOT, dirname(page), link)),
      ),
    );
    // The mark alone is for those who need an icon.
    const pictures = globSync("docs/pictures/*", { cwd: ROOT, exclude: ["docs/pictures/mark.svg"] });
    expect(pictures.filter((picture) => !shown.includes(picture))).toEqual([]);
  });
});
