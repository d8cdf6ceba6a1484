/**
 * Renders the two modules that give a fork the features that it uses and no others: `#features` imports them, and
 * `#entrypoints` exports the classes that the settings file names.
 */
import { dirname, join } from "node:path";
import type { Manifest } from "../../features/manifest.ts";
import { MANIFESTS } from "../../features/manifests.ts";
import type { Discovery } from "../read/discovery.ts";
import { specifierOf } from "./bundle-toolkit.ts";
import { HEAD } from "./head.ts";

const SRC = join(import.meta.dirname, "../..");
const FEATURES = join(SRC, "features");

/** The features that a fork uses, the outermost first. */
export function featuresOf(discovery: Discovery): Manifest[] {
  return MANIFESTS.filter(({ usedBy }) => usedBy(discovery));
}

/**
 * @param path of the module, which has no types if it is JavaScript
 * @returns its text
 */
export function renderFeatures(discovery: Discovery, path: string): string {
  const from = (file: string) => JSON.stringify(specifierOf(path, file));
  const used = featuresOf(discovery).map(({ name, takes }) => {
    const local = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const imported = `import { feature as ${local} } from ${from(join(FEATURES, name, "index.ts"))};\n`;
    const taken = takes?.(discovery);
    if (taken === undefined) return { imported, made: local };
    return { imported: `${imported}import ${local}Module from ${from(taken)};\n`, made: `${local}(${local}Module)` };
  });
  const isTyped = path.endsWith(".ts");
  const type = `import type { Feature } from ${from(join(FEATURES, "feature.ts"))};\n`;
  const list = used.map(({ made }) => `  ${made},\n`).join("");
  return `${HEAD}${isTyped ? type : ""}${used.map(({ imported }) => imported).join("")}
/** The features that this fork uses: the first is outermost. */
export const features${isTyped ? ": readonly Feature[]" : ""} = [
${list}];
`;
}

/** @param path of the module */
export function renderEntrypoints(discovery: Discovery, path: string): string {
  const core = [{ className: "Claims", as: "Claims", file: join(SRC, "claims-on-kv.ts"), by: "the core" }];
  const ofFeatures = featuresOf(discovery).flatMap(({ name, classes = {} }) =>
    Object.entries(classes).map(([className, { file, as = className }]) => ({
      ...{ className, as, file: join(FEATURES, name, file), by: name },
    })),
  );
  const twice = ofFeatures.find((one) =>
    ofFeatures.some((other) => other !== one && other.className === one.className),
  );
  if (twice)
    throw new Error(`two features of src/features/manifests.ts have a class ${twice.className}: one is ${twice.by}`);
  const classes = new Map([...core, ...ofFeatures].map((one) => [one.className, one]));
  const lines = [...classes.values()].map(({ className, as, file }) => {
    const exported = as === className ? as : `${as} as ${className}`;
    return `export { ${exported} } from ${JSON.stringify(specifierOf(path, file))};\n`;
  });
  return HEAD + lines.join("");
}

/** @param out path of the catalogue; the modules are next to it. @returns the text of each by path */
export function renderWiring(discovery: Discovery, out: string): Map<string, string> {
  const features = join(dirname(out), "features.ts");
  const entrypoints = join(dirname(out), "entrypoints.ts");
  return new Map([
    [features, renderFeatures(discovery, features)],
    [entrypoints, renderEntrypoints(discovery, entrypoints)],
  ]);
}
