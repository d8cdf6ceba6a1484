/** Reads which view `npm run new` was asked to write, and makes its page and its test. */
import { pascalCase } from "../../discovery/read/paths.ts";
import { type Needs, namesOf, readNames, readTarget, refuseExisting, type Target, toolsIn } from "./target.ts";
import { imports, titleOf } from "./tool-text.ts";

/**
 * @param text `weather/forecast`; also `tools/weather/forecast.view.html`
 * @returns the target; its `tool` is there if the tool does not exist yet
 * @throws {Mistake} if discovery would refuse the name, or a file of that name exists
 */
export async function viewTarget(text: string, root: string): Promise<Target> {
  const path = text.replace(/\.view\.(html|tsx?)$/, "");
  const { toolkit, name } = readNames(path, "view");
  const own = `tools/${toolkit}/${name}.view`;
  const [file, test] = [`${own}.html`, `${own}.test.ts`];
  refuseExisting([file, `${own}.ts`, `${own}.tsx`, test], root);
  const names = namesOf(toolkit, name, root);
  const known = (await toolsIn(toolkit, root)).get(pascalCase(name));
  const tool = known === undefined ? { tool: readTarget(path, "tool", root) } : {};
  return { kind: "view", toolkit, name, ...names, mcpName: known ?? names.mcpName, file, test, ...tool };
}

/** The page of a new view. It shows the text that a new tool returns, and everything that any other tool returns. */
export function viewText({ name, mcpName, tool }: Target, { session }: Needs): string {
  const ofNew = session ? `({ text, count }) => show(\`\${text} (\${count})\`)` : "show";
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${titleOf(name)}</title>
<style>
  /* The colours and fonts of the host. */
  body { margin: 1rem; font-family: var(--font-sans, sans-serif); color: var(--color-text-primary, CanvasText); }
  output { white-space: pre-wrap; }
</style>
<output></output>
<script type="module">
  import { openView } from "#view";

  const view = openView("${mcpName}");
  const show = (text) => {
    document.querySelector("output").textContent = text;
  };
  view.onResult(${tool === undefined ? "(value) => show(JSON.stringify(value, null, 2))" : ofNew});
  view.onFailure(show);
</script>
</html>
`;
}

/** The test looks for the tool's name: a view that was copied often has the name of another tool. */
export const viewTestText = ({ id, mcpName }: Target) => `${imports("{ expect, it }", "vitest")}
${imports("{ readView }", "#test")}

it("is the view of its tool", async () => {
  const { value } = await readView("${id}");
  expect(value.html).toContain('"${mcpName}"');
});
`;
