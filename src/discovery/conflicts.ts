/** Finds definitions that are valid alone but not together: two of one name, or versions whose scopes differ. */
import type { Described } from "../core/model/tool-description.ts";
import type { Candidate } from "./read/inspected.ts";
import type { PrimitiveFile } from "./read/paths.ts";
import type { Problem } from "./read/problem.ts";

/** OXP 1.0 (ToolDefinition) and OpenTool 1.0 (Function) both allow 64 characters. */
const MAX_NAME = 64;

/**
 * @param tools  the primitives that are tools
 * @param others the prompts, resources and events
 * @returns names that are too long, or that two files share
 */
export function conflicts(tools: readonly Candidate[], others: readonly Candidate[]): Problem[] {
  return [...tooLong(tools), ...duplicateIds(tools), ...duplicateNames(tools), ...duplicateNames(others)];
}

/** Finds primitives that share a name (or, for resources, a URI), and tools whose versions have different names. */
function* duplicateNames(primitives: readonly Candidate[]): Generator<Problem> {
  const byKey = new Map<string, Candidate>();
  for (const primitive of primitives) {
    const { kind } = primitive.file;
    // A resource with a mistake has no URI yet.
    if (kind === "resource" && primitive.inspected.resource === undefined) continue;
    const key = `${kind} ${kind === "resource" ? primitive.inspected.resource?.uri : primitive.name}`;
    const before = byKey.get(key);
    byKey.set(key, before ?? primitive);
    if (before && (kind !== "tool" || before.id !== primitive.id)) {
      const problem = `it is the ${key}, and so is ${before.file.file}`;
      const more = primitive.file.nameInToolkit ? ", or give fromOpenTool { keepNames: false }" : "";
      yield { file: primitive.file.file, problem, fix: `rename one of them${more}` };
    }
    const isVersion = ({ id, file }: Candidate) =>
      id === primitive.id && file.nameInToolkit === primitive.file.nameInToolkit;
    const named = kind === "tool" ? primitives.find(isVersion) : undefined;
    if (named && named.name !== primitive.name) {
      const problem = `it is called ${primitive.name}, and another version of it ${named.name}`;
      yield { file: primitive.file.file, problem, fix: "give all versions of one tool the same name, or none" };
    }
  }
}

function tooLong(tools: readonly Candidate[]): Problem[] {
  return tools
    .filter(({ name }) => name.length > MAX_NAME)
    .map(({ file, name }) => ({
      file: file.file,
      problem: `its name ${name} is longer than ${MAX_NAME} characters`,
      fix: "shorten the name of the file or the folder",
    }));
}

/** Finds folders with the same toolkit name, spellings of the same tool name, and files with the same id. */
function* duplicateIds(tools: readonly Candidate[]): Generator<Problem> {
  /** The first file for each name of a toolkit, each id, and each id with a version. */
  const known = new Map<string, PrimitiveFile>();
  const first = (key: string, file: PrimitiveFile): PrimitiveFile => {
    const before = known.get(key) ?? file;
    known.set(key, before);
    return before;
  };
  for (const { file: own, inspected, id } of tools) {
    const { file } = own;
    const toolkitName = id.slice(0, id.indexOf("."));
    const folder = first(toolkitName, own);
    if (folder.toolkit !== own.toolkit) {
      const problem = `its toolkit is called ${toolkitName}, and so is that of ${folder.file}`;
      yield { file, problem, fix: "rename one of the two folders" };
      continue;
    }
    const spelling = first(id, own);
    if (spelling.name !== own.name || spelling.nameInToolkit !== own.nameInToolkit) {
      const problem = `it is called ${id}, and so is ${spelling.file}`;
      yield { file, problem, fix: "rename one of them; versions of one tool share the name before the @" };
      continue;
    }
    if (inspected.version === undefined) continue;
    const version = `${id}@${inspected.version}`;
    const twin = first(version, own);
    if (twin === own) continue;
    yield { file, problem: `it is ${version}, and so is ${twin.file}`, fix: "give one of them another version" };
  }
}

/** Finds older versions that demand fewer scopes than the newest: callers could use them to avoid its scopes. */
export function lessGuarded(tools: readonly Candidate[], newest: ReadonlyMap<string, Described>): Problem[] {
  return tools.flatMap(({ id, file, inspected }) => {
    const demanded = newest.get(id)?.options.scopes ?? [];
    const missing = demanded.filter((scope) => !inspected.tool?.options.scopes?.includes(scope));
    if (missing.length === 0) return [];
    return {
      file: file.file,
      problem: `the newest ${id} demands the scopes ${demanded.join(", ")}, and this version does not`,
      fix: `add ${missing.map((scope) => JSON.stringify(scope)).join(", ")} to its scopes, or remove the file`,
    };
  });
}
