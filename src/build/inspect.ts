/** Checks one loaded definition and describes it to the protocols. Every mistake becomes a problem with a fix. */
import type { Traits } from "../core/definition.ts";
import type { Described, JsonSchema } from "../core/describe.ts";
import type { ToolFile } from "./paths.ts";
import { pascal } from "./paths.ts";
import type { Problem } from "./problem.ts";
import { RESERVED_PARAMETERS, standardOf, toFlatJsonSchema } from "./schema.ts";

type Complaint = Omit<Problem, "file">;

const MEMBERS = ["version", "description", "input", "output", "run"];
const TRAITS = ["title", "annotations", "requirements", "timeoutMs", "env", "attachments"] as const;
const ANNOTATIONS = ["readOnly", "destructive", "idempotent", "openWorld"];
/** OXP 1.0, ToolDefinition, and OpenTool 1.0, Function: both allow 64 characters. */
const MAX_NAME = 64;
/** Setting a timer to more is the same as setting none (32-bit signed milliseconds). */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** @param toolkitName how the toolkit is spelled in ids: `SMS` */
export function inspect(
  file: ToolFile,
  exports: Record<string, unknown>,
  toolkitName: string,
): { described: Omit<Described, "latest"> } | { problems: Problem[] } {
  const problems: Problem[] = [];
  const complain = (problem: string, fix: string) => problems.push({ file: file.file, problem, fix });
  const definition = exports.default;
  if (!isObject(definition) || typeof definition.run !== "function") {
    complain(
      "its default export is not a tool",
      "export default defineTool({ version, description, input, output, run })",
    );
    return { problems };
  }
  for (const complaint of [
    ...checkMembers(definition),
    ...checkVersion(definition.version, file),
    ...checkTraits(definition),
  ]) {
    complain(complaint.problem, complaint.fix);
  }
  const toolName = pascal(file.tool);
  const name = `${toolkitName}_${toolName}`;
  if (name.length > MAX_NAME)
    complain(`its name ${name} is longer than ${MAX_NAME} characters`, "shorten the file's or folder's name");

  const input = inputSchema(definition.input, complain);
  const output = outputSchema(definition.output, complain);
  if (problems.length > 0) return { problems };
  return {
    described: {
      id: `${toolkitName}.${toolName}`,
      name,
      version: definition.version as string,
      toolkit: file.toolkit,
      description: definition.description as string,
      traits: Object.fromEntries(
        TRAITS.filter((key) => definition[key] !== undefined).map((key) => [key, definition[key]]),
      ) as Traits,
      input: input as Described["input"],
      output,
    },
  };
}

function* checkMembers(definition: Record<string, unknown>): Generator<Complaint> {
  for (const key of Object.keys(definition)) {
    if (MEMBERS.includes(key) || (TRAITS as readonly string[]).includes(key)) continue;
    yield {
      problem: `a tool has no member "${key}"`,
      fix: `remove it; there are ${[...MEMBERS, ...TRAITS].join(", ")}`,
    };
  }
  const { description } = definition;
  if (typeof description !== "string" || description.trim() === "") {
    yield { problem: "it has no description", fix: 'add description: "When and how to use the tool."' };
  }
}

function* checkVersion(version: unknown, file: ToolFile): Generator<Complaint> {
  if (typeof version !== "string" || !/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(version)) {
    yield { problem: `its version ${JSON.stringify(version)} is not three integers`, fix: 'write version: "1.0.0"' };
  } else if (file.suffix !== undefined && !`${version}.`.startsWith(`${file.suffix}.`)) {
    yield {
      problem: `the file's name says @${file.suffix}, its version says ${version}`,
      fix: `rename the file to ${file.tool}@${version.split(".")[0]}.ts, or correct the version`,
    };
  }
}

function* checkTraits(definition: Record<string, unknown>): Generator<Complaint> {
  const { title, annotations, requirements, timeoutMs, env, attachments } = definition;
  if (title !== undefined && typeof title !== "string")
    yield { problem: "its title is not a string", fix: "write a string, or leave it out" };
  if (attachments !== undefined && typeof attachments !== "boolean") {
    yield { problem: "its attachments is not true or false", fix: "write attachments: true, or leave it out" };
  }
  if (
    timeoutMs !== undefined &&
    !(Number.isInteger(timeoutMs) && (timeoutMs as number) > 0 && (timeoutMs as number) <= MAX_TIMEOUT_MS)
  ) {
    yield {
      problem: "its timeoutMs is not a number of milliseconds",
      fix: "write an integer above 0, such as timeoutMs: 30_000",
    };
  }
  if (annotations !== undefined) {
    const wrong = isObject(annotations)
      ? Object.entries(annotations).find(
          ([key, value]) => !ANNOTATIONS.includes(key) || typeof value !== "boolean",
        )?.[0]
      : "annotations";
    if (wrong)
      yield {
        problem: `its annotation "${wrong}" is not one`,
        fix: `write ${ANNOTATIONS.join(", ")}, each true or false`,
      };
  }
  if (env !== undefined && !isStrings(env))
    yield { problem: "its env is not a list of binding names", fix: 'write env: ["MY_BINDING"]' };
  if (requirements !== undefined && !isRequirements(requirements)) {
    yield {
      problem: "its requirements are not of the shape that callers are told",
      fix: 'write requirements: { secrets: ["MY_KEY"], authorization: [{ id: "google", oauth2: { scopes: [] } }], userId: true }',
    };
  }
}

function isRequirements(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { authorization, secrets, userId, ...rest } = value;
  const isAuthorization = (item: unknown) =>
    isObject(item) &&
    typeof item.id === "string" &&
    (item.oauth2 === undefined ||
      (isObject(item.oauth2) && (item.oauth2.scopes === undefined || isStrings(item.oauth2.scopes))));
  return (
    Object.keys(rest).length === 0 &&
    (authorization === undefined || (Array.isArray(authorization) && authorization.every(isAuthorization))) &&
    (secrets === undefined || isStrings(secrets)) &&
    (userId === undefined || typeof userId === "boolean")
  );
}

type Complain = (problem: string, fix: string) => void;

function inputSchema(schema: unknown, complain: Complain): Described["input"] | undefined {
  if (schema === undefined) return { type: "object", properties: {} };
  const converted = toFlatJsonSchema(schema, "input");
  if ("error" in converted) {
    complain(`its input cannot become a JSON Schema: ${converted.error}`, "use types that JSON has, inline");
    return undefined;
  }
  const root = converted.schema;
  if (root.type !== "object") {
    complain("its input is not an object of parameters", "write input: v.object({ … })");
    return undefined;
  }
  const properties = (root.properties ?? {}) as Record<string, JsonSchema>;
  for (const [name, property] of Object.entries(properties)) {
    if (RESERVED_PARAMETERS.has(name)) {
      complain(`the parameter "${name}" is reserved for the call itself`, "give the parameter another name");
    }
    if (name === "__proto__") complain('a parameter cannot be called "__proto__"', "give the parameter another name");
    if (typeof property.description !== "string" || property.description.trim() === "") {
      complain(
        `the parameter "${name}" has no description`,
        `write ${name}: v.pipe(…, v.description("What it is for."))`,
      );
    }
  }
  return { ...root, properties };
}

function outputSchema(schema: unknown, complain: Complain): JsonSchema | null {
  if (schema === null) return null;
  if (schema === undefined) return {};
  if (standardOf(schema) === undefined) {
    complain("its output is not a schema", "write a schema, null for no output, or leave it out for any JSON value");
    return null;
  }
  const converted = toFlatJsonSchema(schema, "output");
  if ("schema" in converted) return converted.schema;
  complain(`its output cannot become a JSON Schema: ${converted.error}`, "use types that JSON has, inline");
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
