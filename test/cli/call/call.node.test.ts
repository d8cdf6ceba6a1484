/** `npm run call` against a server that wants a key, over all three protocols: what it sends, prints and saves. */

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MadeKey } from "../../../src/cli/keys/make.ts";
import { type Calling, runCall, spawnCall } from "../../support/node/call.ts";
import { keysOf } from "../../support/node/deployed.ts";
import { BINDINGS } from "../../support/node/files.ts";
import { type Long, serveLong, WORKFLOW } from "../../support/node/long.ts";
import { execFile, mayStart } from "../../support/node/processes.ts";
import { isSlow } from "../../support/tier.ts";

// The command, twice; and in a pipe.
mayStart(3);

const PROTOCOLS = ["oxp", "mcp", "opentool"] as const;
const SECRETS = { CARRIER_KEY: "a-secret-of-the-carrier", CARRIER_LOGIN: "a-token-of-the-carrier" };

let server: Long;
let ada: MadeKey;
let root: string;
beforeAll(async () => {
  server = await serveLong({ tools: "test/fixtures/call", closed: true, more: WORKFLOW + BINDINGS, copied: true });
  root = server.fork.root;
  ada = await (await keysOf(server)).makeKey({ name: "ada", scopes: ["parcels:open"] });
  // As `npm start` says where it serves.
  const serving = JSON.stringify({ url: server.url, pid: process.pid });
  server.fork.write("src/generated/dev/serving.json", serving);
});
afterAll(() => server?.stop());

/** Calls with the key in the environment, which is nowhere in what is printed. */
async function call(args: readonly string[], { env, ...more }: Calling = {}, run = runCall) {
  const called = await run(root, args, { ...more, env: { TRIVET_KEY: ada.text, ...env } });
  for (const secret of [ada.text, ...Object.values(SECRETS)]) {
    expect(called.stdout + called.stderr).not.toContain(secret);
  }
  return called;
}

const value = async (args: readonly string[], more?: Calling, run = runCall) => {
  const called = await call(args, more, run);
  expect(called).toMatchObject({ code: 0 });
  return JSON.parse(called.stdout);
};

describe("the list", () => {
  it("has each tool with its parameters, what it does and what it requires", async () => {
    const { code, stdout, stderr } = await call([]);
    expect(code).toBe(0);
    expect(stdout).toContain("Bakery.Order cake=… [count=…]");
    expect(stdout).toContain("\n    Orders a cake.\n");
    expect(stdout).toContain(
      `    older: @1.0.0\n    requires CARRIER_KEY (a secret), CARRIER_LOGIN (the token "carrier-login")\n`,
    );
    // One of them also has an older version.
    expect(stderr).toContain(`10 tools at ${server.url}`);
  });

  it.each(PROTOCOLS)("comes over %s, and as JSON", async (protocol) => {
    const tools = await value(["--json", "--protocol", protocol]);
    expect(tools).toContainEqual(expect.objectContaining({ id: "Bakery.Order", name: "Bakery_Order" }));
  });
});

describe("the help of one tool", () => {
  it("has its parameters with types, limits, defaults and descriptions", async () => {
    const { stdout, code } = await call(["bakery/order", "--help"]);
    expect(code).toBe(0);
    for (const line of [
      "Bakery.Order@1.0.0: Orders a cake. It is fetched on the same day.",
      "  cake            text, required",
      "  count           a whole number, 1 or more, by default 1",
      "  size            S or L",
      "  toppings        a list of: text",
      "  address.street  text, required",
    ]) {
      expect(stdout.split("\n")).toContain(line);
    }
  });

  it("without a tool is the usage, and asks no server", async () => {
    const { stdout, code } = await call(["--help", "--url", "http://127.0.0.1:9"]);
    expect(code).toBe(0);
    expect(stdout).toContain("npm run call -- Hello.Greet name=Ada");
  });
});

describe.each(PROTOCOLS)("over %s", (protocol) => {
  const over = (...args: string[]) => [...args, "--protocol", protocol];

  it("a call gets the values that the schema asks for, and prints the result as JSON", async () => {
    const words = ["cake=12", "count=2", "gift=true", "toppings=nuts", "toppings=cream", "address.street=Ring"];
    expect(await value(over("Bakery.Order", ...words))).toEqual({
      cake: "12",
      count: 2,
      gift: true,
      toppings: ["nuts", "cream"],
      address: { street: "Ring" },
    });
  });

  it("a text is printed as it is, and the key comes from the environment only", async () => {
    expect(await call(over("Bakery_Bake"))).toMatchObject({ code: 0, stdout: "baked\n" });
    const without = await call(over("Bakery_Bake"), { env: { TRIVET_KEY: "" } });
    expect(without).toMatchObject({ code: 3, stdout: "" });
    expect(without.stderr).toContain("export TRIVET_KEY=trivet_…");
    const wrong = await call(over("Bakery_Bake"), { env: { TRIVET_KEY: `${ada.text}x` } });
    expect(wrong).toMatchObject({ code: 3, stdout: "" });
    expect(wrong.stderr).toContain("TRIVET_KEY is set, and this server does not accept it");
  });

  it("a failure is printed with its cause and its hint, and the code is 1", async () => {
    const { code, stdout, stderr } = await call(over("Bakery.Order", "cake=mud"));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("There is no such cake");
    expect(stderr).toContain("\nno row in the table of cakes");
    expect(stderr).toContain("cakes: Sachertorte, Linzertorte");
  });

  it("a long tool is waited for", async () => {
    const { code, stdout } = await call(over("Bakery.Sell", `day=${protocol}`, "ms=1500"));
    expect({ code, stdout }).toEqual({ code: 0, stdout: `sold on ${protocol}\n` });
  });

  it("what takes longer than --timeout is cancelled, and the code is 5", async () => {
    const { code, stderr } = await call(over("Bakery.Sell", `day=late ${protocol}`, "ms=15000", "--timeout", "1.5"));
    expect({ code, stderr }).toMatchObject({ code: 5 });
    expect(stderr).toContain("no result within 1.5 seconds");
  });

  it("a question that nobody can answer is printed, and the code is 6", async () => {
    const { code, stdout, stderr } = await call(over("Bakery.Greet"));
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toContain("The tool needs an answer first: Who is it?");
  });

  it("what the server lacks for a tool is named, with the variables to set, and the code is 3", async () => {
    const { code, stderr } = await call(over("Parcels.Track", "parcel=7"));
    expect(code).toBe(3);
    expect(stderr).toContain("CARRIER_KEY");
  });

  it("--json prints the whole response", async () => {
    const response = await value(over("Bakery.Order", "cake=x", "--json"));
    const order = { cake: "x", count: 1 };
    const shapes = {
      oxp: { result: { success: true, value: order } },
      mcp: { structuredContent: order },
      opentool: { result: order, error: null },
    };
    expect(response).toMatchObject(shapes[protocol]);
    const failed = await call(over("Bakery.Order", "cake=mud", "--json"));
    expect(failed.code).toBe(1);
    expect(JSON.stringify(JSON.parse(failed.stdout))).toContain("There is no such cake");
  });
});

describe("the input", () => {
  it("is checked before it is sent: every parameter at once, with its description", async () => {
    const { code, stdout, stderr } = await call(["Bakery.Order", "cak=x", "count=0", "gift=maybe", "address.floor=3"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trim().split("\n")).toEqual([
      "Bakery.Order cannot be called with this, so nothing was sent:",
      "  cake is missing. (Which cake.)",
      "  count must be 1 or more, and is 0. (How many.)",
      '  gift must be true or false, and is "maybe". (Whether to wrap it.)',
      "  address.street is missing",
      "  cak is not one of its parameters: did you mean cake?",
      "Its parameters: npm run call -- Bakery.Order --help",
    ]);
  });

  it("--no-check leaves the check to the server", async () => {
    const { code, stderr } = await call(["Bakery.Order", "count=0", "--no-check"]);
    expect(code).toBe(2);
    expect(stderr).toContain("cake");
    expect(stderr).not.toContain("nothing was sent");
  });

  it("is JSON in an argument or on stdin, and texts of files", async () => {
    server.fork.write("note.txt", "from a file");
    const words = ["-", "count=3", "note=@note.txt", "price=@@home"];
    const input = '{"cake": "from stdin", "count": 1}';
    const order = { cake: "from stdin", count: 3, note: "from a file", price: "@home" };
    // And as a process.
    for (const run of [runCall, spawnCall]) {
      expect(await value(["Bakery.Order", ...words], { input }, run)).toEqual(order);
    }
    expect(await value(["Bakery.Order", '{"cake": "a", "note": null}'])).toEqual({ cake: "a", count: 1, note: null });
  });

  it.each([
    [["Bakery.Order", "cake"], 'write NAME=VALUE, or JSON such as \'{"name": "value"}\''],
    [["Bakery.Order", "{cake}"], "This is not JSON: the argument that begins with {"],
    [["Bakery.Order", "cake=a", "cake=b"], "cake is written 2 times, and takes one value"],
    [["Bakery.Order", "cake=@gone.txt"], "There is no file gone.txt"],
    [["Bakery.Oder"], "did you mean Bakery.Order?"],
    [["Parcels.Track@3"], "Parcels.Track has no version 3.0.0: there is 2.0.0, 1.0.0."],
    [["Bakery.Order", "--protocol", "soap"], "write oxp, mcp, opentool"],
    [["Bakery.Order", "--timeout", "soon"], "is not a number of seconds"],
    [["Bakery.Order", "--remote", "--url", "https://a.example.com"], "leave out --remote"],
    [["Bakery.Order", "--key", "x"], "Unknown option '--key'"],
  ])("%j is a mistake that says what to write", async (args, sentence) => {
    const { code, stdout, stderr } = await call(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
  });
});

describe("the protocol, if none is wanted", () => {
  it("is MCP: progress and log messages are shown on stderr while the tool runs", async () => {
    const { stdout, stderr } = await call(["Bakery.Bake", "ms=10"]);
    expect(stdout).toBe("baked\n");
    expect(stderr).toContain("warning: the oven is hot\n");
    expect(stderr).toContain("half done (1 of 2)\n");
  });

  it("is OXP for an older version", async () => {
    expect(await call(["Parcels.Track@1", "parcel=7"])).toMatchObject({ code: 0, stdout: "7: somewhere\n" });
  });

  it("is OXP if what the tool requires is in the environment: all of it, or nothing is sent", async () => {
    const all = await call(["Parcels.Track", "parcel=7"], { env: SECRETS });
    expect(all).toMatchObject({ code: 0, stdout: "7: a key of 23, a token of 22\n" });
    const half = await call(["Parcels.Track", "parcel=7"], { env: { CARRIER_KEY: SECRETS.CARRIER_KEY } });
    expect(half.code).toBe(3);
    expect(half.stderr).toContain("CARRIER_LOGIN is not set, so CARRIER_KEY is not sent either.");
    expect(half.stderr).toContain("write `export CARRIER_LOGIN=…`");
  });

  it.each(["mcp", "opentool"])("is told to be the only one for what the tool requires, over %s", async (protocol) => {
    const refused = await call(["Parcels.Track", "parcel=7", "--protocol", protocol], { env: SECRETS });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("Values of yours are sent over OXP only: leave out --protocol");
  });

  it("is what --url ends in, and a server there gets no value of the environment that is not named", async () => {
    const listed = await value(["--json", "--url", `${server.url}/opentool`]);
    expect(listed.find((tool: { id: string }) => tool.id === "Bakery.Order")).not.toHaveProperty("version");
    const away = ["Parcels.Track", "parcel=7", "--url", server.url];
    const kept = await call(away, { env: SECRETS });
    expect(kept.code).toBe(3);
    expect(kept.stderr).toContain("--send CARRIER_KEY --send CARRIER_LOGIN");
    const sent = await call([...away, "--send", "CARRIER_KEY", "--send", "CARRIER_LOGIN"], { env: SECRETS });
    expect(sent).toMatchObject({ code: 0, stdout: "7: a key of 23, a token of 22\n" });
  });
});

describe("files", () => {
  it("of a result are saved: safe names, nothing overwritten, no link followed", async () => {
    const out = join(root, "out");
    mkdirSync(out);
    writeFileSync(join(out, "bars.csv"), "mine");
    symlinkSync(join(root, "elsewhere.png"), join(out, "Charts_Draw.png"));
    const { code, stdout, stderr } = await call(["Charts.Draw", "--out", "out"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ bars: 3 });
    expect(readdirSync(out).sort()).toEqual(
      ["2.bin", "Charts_Draw-2.png", "Charts_Draw.png", "Charts_Draw.wav", "bars-2.csv", "bars.csv"].sort(),
    );
    expect(readFileSync(join(out, "bars.csv"), "utf8")).toBe("mine");
    expect(readFileSync(join(out, "bars-2.csv"), "utf8")).toBe("a,b\n");
    expect(readFileSync(join(out, "Charts_Draw-2.png")).toString("base64")).toBe("iVBORw0KGgo=");
    expect(readdirSync(root)).not.toContain("elsewhere.png");
    expect(stderr).toContain(`Saved ${join(out, "bars-2.csv")} (4 bytes)`);
    expect(stderr).toContain("the chart: https://charts.example.com/3.svg");
  });

  it.each(["oxp", "mcp"])("are attached over %s, and not over OpenTool", async (protocol) => {
    server.fork.write("q3.csv", "a,b\n1,2");
    const attached = await value(["Tables.Count", "--attach", "q3.csv", "--protocol", protocol]);
    expect(attached).toEqual([{ name: "q3.csv", type: "text/csv", lines: 2 }]);
    const without = await call(["Tables.Count", "--attach", "q3.csv", "--protocol", "opentool"]);
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be attached over OpenTool") });
  });

  it("that are not there are a mistake", async () => {
    const { code, stderr } = await call(["Tables.Count", "--attach", "gone.csv"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `--attach: there is no file ${join(root, "gone.csv")}.\n` });
  });
});

describe("sessions", () => {
  it("go on with the handle of an earlier result", async () => {
    const first = await call(["Basket.Put", "what=apple"]);
    const [, session = ""] = /^session: (\S+)$/m.exec(first.stderr) ?? [];
    expect(await value(["Basket.Put", "what=pear", `session=${session}`])).toEqual(["apple", "pear"]);
  });
});

it.each([
  ["", runCall],
  [", as a process", spawnCall],
])("Ctrl+C cancels the task of a long tool, and the code is 130%s", async (_, run) => {
  const day = `cancelled by ${run.name}`;
  let isDone = false;
  const heard = (said: string, interrupt: () => void) => {
    if (isDone || !said.includes(`selling on ${day}`)) return;
    isDone = true;
    interrupt();
  };
  const { code, stdout, stderr } = await call(["Bakery.Sell", `day=${day}`, "ms=60000"], { heard }, run);
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  expect(stderr).toContain("Cancelled.");
  const newest = "SELECT status FROM tasks ORDER BY created DESC LIMIT 1";
  expect(await server.rows("Claims", `tasks key:${ada.id}`, newest)).toEqual([{ status: "cancelled" }]);
});

describe("no server", () => {
  it.each([...PROTOCOLS, undefined])("over %s: the code is 4, and what to do is said", async (protocol) => {
    const args = ["Bakery.Bake", "--url", "http://127.0.0.1:9", ...(protocol ? ["--protocol", protocol] : [])];
    const { code, stdout, stderr } = await call(args);
    expect({ code, stdout, stderr }).toMatchObject({ code: 4, stdout: "" });
    expect(stderr.trim()).not.toBe("");
  });

  it("a key is not sent where others could read it", async () => {
    const { code, stderr } = await call(["Bakery.Bake", "--url", "http://tools.example.com"]);
    expect(code).toBe(2);
    expect(stderr).toContain("http://tools.example.com is not https");
  });
});

it.runIf(isSlow)("the result can be piped into what reads only its beginning", async () => {
  const env = { ...process.env, TRIVET_KEY: ada.text };
  // Not execFileSync: the server needs this process to read what it prints.
  const piped = await promisify(execFile)("sh", ["-c", "node src/cli/call.ts | head -1"], { cwd: root, env });
  expect(piped.stdout).toBe("Bakery.Bake [ms=…]\n");
});
