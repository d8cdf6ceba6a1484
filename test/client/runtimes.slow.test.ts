/**
 * The verifier where callers use it: the cases of `cases.ts` in the Node that this machine has, of version 20 or later,
 * and in Chromium; against an HMAC of Node's own; and with the types of each platform.
 */

import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyWebhook } from "../../src/client/webhooks.ts";
import { findChromium, launch } from "../support/node/chromium.ts";
import { execFileSync } from "../support/node/processes.ts";
import { systemNode } from "../support/node/system-node.ts";
import { typeErrors } from "../support/node/type-errors.ts";
import { casesOf } from "./cases.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCE = join(ROOT, "src/client/webhooks.ts");
const executablePath = findChromium("a part of test/client/runtimes.slow.test.ts");

/** A script that sets `outcomes` to the names of all cases, each with what came of it. */
const RUN = `
import { casesOf, outcomeOf } from "./cases.ts";
globalThis.outcomes = (async () => {
  const cases = await casesOf();
  return Promise.all(cases.map(async (one) => one.name + ": " + (await outcomeOf(one))));
})();
`;

let folder: string;
let expected: string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trivet-client-"));
  expected = (await casesOf()).map(({ name, outcome }) => `${name}: ${outcome}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const bundle = (format: "esm" | "iife", contents = RUN, outfile = join(folder, `${format}.mjs`)) =>
  build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    format,
    target: "es2022",
    outfile,
  }).then(() => outfile);

const node = systemNode();
const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();

it(`judges every case alike in Node ${version}`, async () => {
  const script = await bundle("esm", `${RUN}globalThis.outcomes.then((all) => console.log(JSON.stringify(all)));`);
  const printed = execFileSync(node, [script], { encoding: "utf8" });
  expect(expected.length).toBeGreaterThan(80);
  expect(JSON.parse(printed)).toEqual(expected);
});

it.skipIf(!executablePath)("judges every case alike in Chromium", async () => {
  const browser = await launch(executablePath as string);
  try {
    const page = await browser.newPage();
    // WebCrypto is only there in a secure context: https, or this machine.
    await page.route("http://localhost/", (route) => route.fulfill({ contentType: "text/html", body: "<title>" }));
    await page.goto("http://localhost/");
    await page.addScriptTag({ path: await bundle("iife") });
    expect(await page.evaluate("outcomes")).toEqual(expected);
  } finally {
    await browser.close();
  }
});

describe("the gateway document's signature, by Node's own HMAC", () => {
  const body = '{"status":"done","text":"ü"}';
  const seconds = 1_800_000_000;
  const sign = (secret: string) => createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex");
  const headersOf = (value: string) => ({ "x-beeos-event-id": "evt-1", "x-beeos-signature": value });
  const secret = "0123456789abcdef0123456789abcdef";
  const verify = (value: string, given: object = { secret }) =>
    verifyWebhook({ ...given, headers: headersOf(value), body: Buffer.from(body), now: seconds * 1_000 });

  it("is verified, alone and among several", async () => {
    const event = { id: "evt-1", timestamp: new Date(seconds * 1_000), payload: { status: "done", text: "ü" } };
    expect(await verify(`t=${seconds},v1=${sign(secret)}`)).toEqual(event);
    expect(await verify(`t=${seconds},v1=${sign("the one before")},v1=${sign(secret)}`)).toEqual(event);
    expect(await verify(`t=${seconds},v1=${sign(secret)}`, { secrets: ["the next one", secret] })).toEqual(event);
  });

  it("is refused with another secret, and over another text", async () => {
    const wrong = { code: "wrong-signature" };
    await expect(verify(`t=${seconds},v1=${sign("another secret")}`)).rejects.toMatchObject(wrong);
    const ofBodyAlone = createHmac("sha256", secret).update(body).digest("hex");
    await expect(verify(`t=${seconds},v1=${ofBodyAlone}`)).rejects.toMatchObject(wrong);
  });
});

describe("has types for", () => {
  it.each([
    ["browsers", "es2022,dom", ""],
    ["Node", "es2022", "node"],
    ["Workers", "es2022", "@cloudflare/workers-types"],
  ])("%s", (_, lib, types) => expect(typeErrors(SOURCE, lib, types)).toBe(""));
});
