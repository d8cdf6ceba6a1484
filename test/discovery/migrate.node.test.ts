/** What discovery does for databases with migrations: before a start it applies them, at a deployment it says which there are. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runDiscovery } from "../support/node/discovery.ts";
import { project, tool } from "../support/node/project.ts";
import { isSlow } from "../support/tier.ts";

const SETTINGS = 'name = "x"\ncompatibility_date = "2026-10-01"\n[vars]\nSET = "x"\n';
const DATABASE = '[[d1_databases]]\nbinding = "DB"\ndatabase_name = "shop"\n';
const ORDERS = { "../migrations/0001_orders.sql": "CREATE TABLE orders (total REAL);\n" };

/** As `npm start` runs it. */
const starting = ({ tools, out }: ReturnType<typeof project>) => runDiscovery(tools, out, ["--starting"]);
const said = (last: string) => `Applied the migrations of DB on this machine, up to migrations/${last}.sql\n`;
const APPLIED = ".wrangler/state/v3/d1/applied-at-start.json";

it.runIf(isSlow)("before a start, migrations are applied on this machine: only those that are new", async () => {
  const made = project({ "../wrangler.toml": SETTINGS + DATABASE, ...ORDERS });
  expect(await starting(made)).toMatchObject({ code: 0, stdout: said("0001_orders") });
  expect(await starting(made)).toMatchObject({ code: 0, stdout: "" });
  made.write({ "../migrations/0002_customers.sql": "CREATE TABLE customers (;\n" });
  const failed = await starting(made);
  expect(failed).toMatchObject({ code: 0, stdout: expect.stringContaining("0002_customers.sql") });
  expect(failed.stdout).toContain(
    "Could not apply the migrations of DB on this machine. Correct them, then run: npx wrangler d1 migrations apply DB --local\n",
  );
  made.write({ "../migrations/0002_customers.sql": "CREATE TABLE customers (name TEXT);\n" });
  expect(await starting(made)).toMatchObject({ stdout: said("0002_customers") });
});

it("a fork without migrations starts without wrangler, and keeps nothing", async () => {
  for (const settings of [SETTINGS, SETTINGS + DATABASE]) {
    const made = project({ "../wrangler.toml": settings });
    expect(await starting(made)).toMatchObject({ code: 0, stdout: "" });
    expect(existsSync(join(made.folder, APPLIED))).toBe(false);
  }
});

it("a deployment is told which migrations and secrets there are, with the commands", async () => {
  const secrets = 'secrets: ["API_KEY", "SET", { id: "OWN", from: "worker" }, { id: "THEIRS", from: "caller" }]';
  const requiring = tool({ requirements: `{ ${secrets} }` });
  const made = project({
    "../wrangler.toml": SETTINGS + DATABASE,
    ...ORDERS,
    "kit/a.ts": requiring,
    "kit/b.ts": requiring,
  });
  const { stdout } = await made.discover({ WRANGLER_COMMAND: "deploy" });
  expect(stdout).toContain(
    "The account must have these as well (npm run doctor says which it lacks):\n" +
      "  npx wrangler secret put API_KEY\n" +
      "  npx wrangler secret put OWN\n" +
      "  npx wrangler d1 migrations apply DB --remote  (1 migration)\n",
  );
  expect((await made.discover()).stdout).not.toContain("The account");
  const plain = project({ "../wrangler.toml": SETTINGS, "kit/a.ts": tool() });
  expect((await plain.discover({ WRANGLER_COMMAND: "deploy" })).stdout).not.toContain("The account");
});
