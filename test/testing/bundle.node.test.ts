/** Nothing of `#test` is in a deployment, whether or not the fork's tests use it. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { build } from "../support/node/build.ts";
import { makeFork } from "../support/node/fork.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** Texts of the modules of `#test`, which a minifier keeps. */
const TEXTS: Readonly<Record<string, string>> = {
  "network.ts": "tests make no network requests",
  "answers.ts": "and the test does not answer",
  "result.ts": "To expect this, read",
  "find.ts": "Did you mean",
  "call.ts": "so the Worker refuses every request",
};

it("a deployed bundle has none of it", async () => {
  const fork = makeFork({
    "hello/greet.ts": readFileSync(join(ROOT, "test/fixtures/samples/hello/greet.ts"), "utf8"),
    "hello/greet.test.ts": 'import { callTool } from "#test";\n\nawait callTool("Hello.Greet", { name: "world" });\n',
  });
  try {
    await build(fork);
    const bundle = readFileSync(join(fork.root, "dist/index.js"), "utf8");
    expect(bundle).toContain("Nobody to greet");
    for (const [file, text] of Object.entries(TEXTS)) {
      expect(readFileSync(join(ROOT, "src/testing", file), "utf8")).toContain(text);
      expect(bundle, file).not.toContain(text);
    }
    expect(bundle).not.toContain("async_hooks");
  } finally {
    fork.remove();
  }
});
