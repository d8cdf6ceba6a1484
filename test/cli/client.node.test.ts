/** `npm run client`: on a fork's tools, and on servers of the test's own, friendly and hostile. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../src/cli/client/make-client.ts";
import { type Fork, makeFork } from "../support/node/fork.ts";
import { execFileSync, mayStart } from "../support/node/processes.ts";
import { ROOT, tool } from "../support/node/project.ts";
import { runMain, runProgram } from "../support/node/script.ts";
import { typeErrors } from "../support/node/type-errors.ts";
import { cases, isSlow } from "../support/tier.ts";

// The command; and for the hostile file, the type checker and the file itself.
mayStart(3);

let fork: Fork;
let folder: string;
let server: Server;
let url: string;
/** What the server lists to a caller with the key. */
let listing: unknown;

beforeAll(async () => {
  // What only views may call is not listed over OXP, so it is not written.
  fork = makeFork({ "hello/greet.ts": tool(), "hello/peek.ts": tool({ visibility: '["app"]' }) });
  folder = mkdtempSync(join(tmpdir(), "trivet-client-"));
  server = createServer(({ headers, url: path }, response) => {
    const isKnown = headers["oxp-api-key"] === "test-key" && path?.startsWith("/tools");
    // Closed at once: while the type checker runs, this process answers nobody, and the connection would be too old.
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(isKnown ? { $schema: "urn:oxp:1.0", tools: listing } : { message: "No key" }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(() => {
  server.close();
  fork.remove();
  rmSync(folder, { recursive: true });
});

const run = (words: readonly string[], env: Record<string, string> = {}) => runMain(main, fork, words, { env });

it("is a command", async () => {
  const made = makeFork({ "hello/greet.ts": tool() }, { copied: true });
  const env = { PATH: process.env.PATH, HOME: folder };
  const spawned = (...words: string[]) => runProgram(made, process.execPath, ["src/cli/client.ts", ...words], env);
  try {
    if (isSlow) {
      const text = (await run([])).stdout;
      const written = await spawned("--out", "new/tools.ts");
      expect(written).toEqual({ code: 0, stdout: "new/tools.ts: 1 tools\n", stderr: "" });
      expect(made.read("new/tools.ts")).toBe(text.replace("client`", "client -- --out new/tools.ts`"));
    }
    expect(await spawned("--url", "localhost")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^--url: "localhost" is not an address[^\n]+\n$/),
    });
  } finally {
    made.remove();
  }
});

const KEY = { TRIVET_KEY: "test-key" };
const listed = (id: string, more: object = {}) => ({
  ...{ id, name: "Any", version: id.split("@")[1] ?? "1.0.0", description: "Does what the test needs." },
  input_schema: { parameters: { type: "object", properties: {} } },
  output_schema: {},
  ...more,
});

it("writes the tools of tools/ without a server, and leaves a file alone that is as it should be", async () => {
  const out = join(folder, "new/tools.ts");
  expect(await run(["--out", out])).toEqual({ code: 0, stdout: `${out}: 1 tools\n`, stderr: "" });
  const text = readFileSync(out, "utf8");
  expect(text).toBe(`// Made by \`npm run client -- --out ${out}\` in Trivet: make it again, do not edit it.
import type { CallOptions, ToolTable } from "trivet/typed";

export interface Tools {
  hello: {
    /**
     * Does what the test needs.
     *
     * \`Hello.Greet@1.0.0\`
     */
    greet(input: {
      /** A text. */
      a: string;
    }, options?: CallOptions): Promise<string>;
  };
}

export const tools: ToolTable<Tools> = {
  ids: {
    hello: {
      greet: "Hello.Greet",
    },
  },
};
`);
  const { mtimeMs } = statSync(out);
  await run(["--out", out]);
  expect(statSync(out).mtimeMs).toBe(mtimeMs);
  expect(await run([])).toMatchObject({ code: 0, stdout: text.replace(/ -- .*`/, "`") });
});

it("imports from the package of a fork that has another name", async () => {
  const path = join(fork.root, "package.json");
  const before = readFileSync(path, "utf8");
  writeFileSync(path, before.replace('"name": "trivet"', '"name": "@acme/tools"'));
  expect((await run([])).stdout).toContain('from "@acme/tools/typed"');
  writeFileSync(path, before);
});

describe("ends with a sentence that says what to do", () => {
  it("if --out is somebody's own file, which stays", async () => {
    const out = join(folder, "own.ts");
    writeFileSync(out, "export {};\n");
    const { code, stderr } = await run(["--out", out]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("was not written by `npm run client`: name another file"),
    ]);
    expect(readFileSync(out, "utf8")).toBe("export {};\n");
  });

  it("if tools/ has a mistake, with the file and the line of it", async () => {
    fork.write("tools/hello/broken.ts", tool({ description: '""' }));
    const { code, stderr } = await run(["--out", join(folder, "broken.ts")]);
    rmSync(join(fork.root, "tools/hello/broken.ts"));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^1 problem\(s\) in tools:\ntools\/hello\/broken\.ts:\d+\n/),
    ]);
    expect(existsSync(join(folder, "broken.ts"))).toBe(false);
  });

  it.each([
    [["--url", "localhost"], "is not an address"],
    [["--url", "https://a.example", "--remote"], "leave out --remote"],
    [["tools.ts"], '"tools.ts": every option has a name'],
    [["--oot", "a.ts"], "see `npm run client -- --help`"],
  ])("for %j", async (words, sentence) => {
    const { code, stdout, stderr } = await run(words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split("\n").length).toBe(1);
  });

  it("before it sends the key where everyone on the way could read it", async () => {
    const { code, stderr } = await run(["--url", "http://tools.example.com"], KEY);
    expect([code, stderr]).toEqual([1, expect.stringContaining("could read TRIVET_KEY: write https://, or unset it.")]);
  });

  it("if the server wants a key", async () => {
    const { code, stderr } = await run(["--url", url]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `${url} does not list its tools: No key. Does it need a key? Then set the variable TRIVET_KEY.\n`,
    );
  });
});

describe("writes the tools of any server", () => {
  it("in the same way in whatever order they are listed, and says what it left out", async () => {
    const tools = [listed("B.C@1.0.0"), listed("A.B@1.0.0"), listed("A.B@10.0.0"), listed("A.B@2.0.0"), listed("odd")];
    listing = tools;
    const first = await run(["--url", url], KEY);
    expect(first.stderr).toBe('Left out "odd": this is not Toolkit.Tool@1.0.0.\n');
    expect(first.stdout).toContain(`\`npm run client -- --url ${url}\``);
    listing = tools.toReversed();
    expect((await run(["--url", url], KEY)).stdout).toBe(first.stdout);
  });

  it("with what a call needs, and what it returns", async () => {
    const requirements = {
      secrets: [{ id: "A_KEY" }, { id: "B_KEY" }],
      authorization: [{ id: "google", oauth2: { scopes: ["mail", "files"] } }],
      user_id: true,
    };
    listing = [listed("A.B@1.0.0", { requirements, output_schema: null }), listed("A.C@1.0.0", { output_schema: {} })];
    const { stdout } = await run(["--url", url], KEY);
    expect(stdout).toContain(
      "* Needs in `context`: the secret `A_KEY`, the secret `B_KEY`, a token of `google` (scopes: mail files), the id of the user.\n",
    );
    expect(stdout).toContain("b(input?: Record<string, never>, options?: CallOptions): Promise<void>;");
    expect(stdout).toContain("c(input?: Record<string, never>, options?: CallOptions): Promise<unknown>;");
  });
});

describe("a hostile listing", () => {
  const RUNS = "globalThis.pwned = true;";
  const TEXTS = [
    ...[`*/ ${RUNS} /*`, `*\u200b/ ${RUNS} /*`, `\\*/ ${RUNS} //`, `\n${RUNS}\n`, `\r${RUNS}`, `\u2028${RUNS}\u2029`],
    ...[`"; ${RUNS} "`, `\\"; ${RUNS} //`, `'; ${RUNS} '`, `\`; ${RUNS} \``, `\${${RUNS}}`, `}; ${RUNS} {`, `\\`, ""],
    ...["@ts-nocheck", "@ts-expect-error", "\n * @ts-ignore", "/// <reference path='x' />", "// @ts-expect-error"],
    ...["__proto__", "constructor", "then", "toString", "new", "get", "readonly", "[name: string]", "a: string; b"],
    ...["\ud800", "\udc00\u0000\u001b[2J", "\u202e", "\u{e0041}", "a".repeat(10_000)],
  ];
  /** Schemas that have the text wherever a text may be. */
  const around = (text: string) => ({
    type: "object",
    description: text,
    title: text,
    properties: Object.fromEntries([
      [text, { type: "string", description: text }],
      [`${text}?`, { const: text, description: text, deprecated: true }],
      ["choice", { enum: [text, { [text]: [text] }, 1e300, null], default: text }],
      ["tuple", { type: "array", prefixItems: [{ const: text }, { type: text }, { pattern: text }] }],
      [
        "more",
        { type: "object", patternProperties: { [text]: { const: text } }, additionalProperties: { enum: [text] } },
      ],
      ["any", { anyOf: [{ $ref: text }, { const: text }], allOf: [{ required: [text] }], tsType: text }],
    ]),
    required: [text, "choice"],
  });
  const about = (text: string) => ({
    ...{ name: text, description: text, version: text },
    input_schema: { parameters: around(text) },
    output_schema: around(text),
    requirements: { secrets: [{ id: text }], authorization: [{ id: text, oauth2: { scopes: [text] } }], user_id: true },
  });

  /** Writes the file, checks its types, and runs it. @returns the ids that its table has */
  async function idsOf(tools: readonly object[]): Promise<Readonly<Record<string, Record<string, string>>>> {
    listing = tools;
    const out = join(folder, "hostile.ts");
    expect(await run(["--url", url, "--out", out], KEY)).toMatchObject({ code: 0 });
    const text = readFileSync(out, "utf8");
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    // Its folder has no package `trivet`.
    const own = JSON.stringify(join(ROOT, "src/client/typed.ts"));
    writeFileSync(out, text.replace('"trivet/typed"', own));
    expect(typeErrors(out, "es2022,dom", "")).toBe("");
    const script = `const { tools } = await import(${JSON.stringify(pathToFileURL(out).href)});
      const isPlain = Object.getPrototypeOf(tools.ids) === Object.prototype;
      console.log(JSON.stringify({ isPlain, pwned: "pwned" in globalThis, ids: tools.ids }));`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    const { ids, ...seen } = JSON.parse(printed);
    expect(seen).toEqual({ isPlain: true, pwned: false });
    return ids;
  }

  it("becomes text and nothing else", async () => {
    const tools = TEXTS.flatMap((text, at) => [
      { id: `Kit.Tool${at}@1.0.0`, ...about(text) },
      // Most of these are not ids, and are left out.
      { id: `${text}.${text}@1.0.0`, ...about(text) },
    ]);
    const ids = await idsOf(tools);
    expect(Object.keys(ids.kit ?? {}).length).toBe(TEXTS.length);
    expect(ids.kit?.tool0).toBe("Kit.Tool0");
    const again = tools.map(({ id }) => id.slice(0, -6));
    for (const id of Object.values(ids).flatMap((kit) => Object.values(kit))) expect(again).toContain(id);
  });

  // The type checker takes seconds.
  it.runIf(isSlow)("of random schemas compiles", async () => {
    const text = fc.oneof(fc.constantFrom(...TEXTS.slice(0, 30)), fc.string({ unit: "binary", maxLength: 8 }));
    const types = ["string", "number", "integer", "boolean", "null", "array", "object", "other"];
    const { schema } = fc.letrec<{ schema: object }>((tie) => {
      const inner = fc.oneof({ maxDepth: 2, depthIdentifier: "schema" }, fc.boolean(), tie("schema"));
      const few = fc.array(inner, { maxLength: 3 });
      return {
        schema: fc.record(
          {
            type: fc.oneof(fc.constantFrom(...types), fc.subarray(types)),
            description: text,
            const: fc.jsonValue(),
            enum: fc.array(fc.jsonValue(), { maxLength: 4 }),
            properties: fc.dictionary(text, inner, { maxKeys: 3 }),
            required: fc.array(text, { maxLength: 2 }),
            additionalProperties: fc.oneof(fc.boolean(), inner),
            patternProperties: fc.dictionary(text, inner, { maxKeys: 2 }),
            items: fc.oneof(fc.boolean(), inner, few),
            prefixItems: few,
            minItems: fc.nat(3),
            anyOf: few,
            oneOf: few,
            allOf: few,
          },
          { requiredKeys: [] },
        ),
      };
    });
    const samples = fc.sample(fc.tuple(schema, schema, text), { numRuns: 150, seed: 22 });
    const tools = samples.map(([parameters, output, text], at) =>
      listed(`Kit.Tool${at}@1.0.0`, { ...about(text), input_schema: { parameters }, output_schema: output }),
    );
    expect(Object.keys((await idsOf(tools)).kit ?? {}).length).toBe(150);
  });

  it("of many tools is written as it is", async () => {
    const count = cases(2_000, 20_000);
    listing = Array.from({ length: count }, (_, at) => listed(`Kit${at % 7}.Tool@${at}.0.0`));
    const { code, stdout } = await run(["--url", url], KEY);
    expect(code).toBe(0);
    expect(stdout.match(/^ {6}"tool@/gm)?.length).toBe(count);
  });
});
