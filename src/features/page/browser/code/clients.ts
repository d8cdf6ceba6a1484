/** Samples with our clients (docs/clients.md), from the shell (docs/call.md), and with Python's standard library. */
import { memberName } from "../../../../connect/member-name.ts";
import { KEY } from "../../../../connect/variables.ts";
import { contextOf, filled, sendsKey, toolId, variablesOf } from "./context.ts";
import { json, python, quoted, typescript, word } from "./literals.ts";
import type { Call, Sample } from "./sample.ts";

/** The note at samples that import our clients. */
const PACKAGE = "The package trivet is the repository of this server: docs/clients.md says how to install it.";

export function clientSamples(call: Call): readonly Sample[] {
  return [
    sample("oxp", "OXP client", "ts", oxpClient(call)),
    sample("typed", "Typed client", "ts", typedClient(call)),
    // This client calls the newest versions only, and sends no secrets.
    ...(call.isNewest ? [sample("opentool", "OpenTool client", "ts", openToolClient(call))] : []),
    sample("shell", "npm run call", "sh", shell(call), "In a clone of the repository of this server."),
    sample("python", "Python", "py", pythonProgram(call)),
  ];
}

function sample(id: string, title: string, language: Sample["language"], text: string, note?: string): Sample {
  const more = language === "ts" ? PACKAGE : note;
  return { group: "clients", id: `clients-${id}`, title, language, text, ...(more !== undefined && { note: more }) };
}

function newOxpClient(call: Call): string {
  return `new OxpClient(${options(call)})`;
}

/** The members of a client's options, as text. */
function options(call: Call): string {
  const key = sendsKey(call) ? `, apiKey: process.env.${KEY}` : "";
  return `{ url: ${JSON.stringify(call.base)}${key} }`;
}

/** The last argument of a call, with the comma before it: what the tool requires. */
function lastArgument(call: Call): string {
  const context = contextOf(call);
  if (context === undefined) return "";
  return `, { context: ${filled(typescript(context), (variable) => `process.env.${variable} ?? ""`)} }`;
}

function oxpClient(call: Call): string {
  return `import { OxpClient } from "trivet/oxp";

const client = ${newOxpClient(call)};
const { value } = await client.call(${JSON.stringify(toolId(call))}, ${typescript(call.input)}${lastArgument(call)});
console.log(value);`;
}

function typedClient(call: Call): string {
  const { tool, version, isNewest, base } = call;
  const own = memberName(tool.id.slice(tool.id.indexOf(".") + 1));
  const access = isNewest ? `.${own}` : `[${JSON.stringify(`${own}@${version.version}`)}]`;
  return `// npm run client -- --out tools.ts --url ${word(base)}
import { OxpClient } from "trivet/oxp";
import { typedClient } from "trivet/typed";
import { tools } from "./tools.ts";

const client = typedClient(${newOxpClient(call)}, tools);
const value = await client.${memberName(tool.toolkit)}${access}(${typedInput(call)}${lastArgument(call)});
console.log(value);`;
}

/** Functions without parameters take no input: only undefined, before the options. */
function typedInput(call: Call): string {
  const isEmpty = Object.keys(call.input).length === 0;
  if (!isEmpty) return typescript(call.input);
  return contextOf(call) === undefined ? "" : "undefined";
}

function openToolClient(call: Call): string {
  return `import { FunctionCall, OpenToolClient } from "trivet/opentool";

const client = new OpenToolClient(${options(call)});
const call = new FunctionCall("1", ${JSON.stringify(call.tool.name)}, ${typescript(call.input)});
const { result } = await client.call(call);
console.log(result);`;
}

function shell(call: Call): string {
  const input = Object.keys(call.input).length === 0 ? "" : ` ${quoted(json(call.input))}`;
  const sent = variablesOf(call).map((variable) => ` --send ${variable}`);
  return `npm run -s call -- ${word(toolId(call))}${input} --url ${word(call.base)}${sent.join("")}`;
}

function pythonProgram(call: Call): string {
  const context = contextOf(call);
  const body = { request: { tool_id: toolId(call), input: call.input, context } };
  const text = filled(python(body), (variable) => `os.environ["${variable}"]`);
  const key = sendsKey(call) ? `, "Authorization": "Bearer " + os.environ["${KEY}"]` : "";
  const modules = `import json${text.includes("os.environ") || key !== "" ? "\nimport os" : ""}\nimport urllib.request`;
  return `${modules}

body = ${text}
headers = {"Content-Type": "application/json"${key}}
request = urllib.request.Request(${JSON.stringify(`${call.base}/tools/call`)}, json.dumps(body).encode(), headers)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["result"])`;
}
