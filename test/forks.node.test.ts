/**
 * wrangler.toml, README.md and tools/ belong to a fork's owner: the framework's tests must pass whatever they contain. This test
 * works in a copy of the project without this owner's tools and settings. It changes all settings, one subject after
 * the other, and runs the suites that may depend on it: some use vitest's plugin, some a build in a fork, some a
 * deployment. Then it changes everything at once, with other tools and another name, which the fast tier does as well, for
 * the suites that need no workerd.
 */
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { type Copy, copyProject } from "./support/node/copy.ts";
import { testSettings } from "./support/node/fork.ts";
import { mayStart } from "./support/node/processes.ts";
import { isSlow } from "./support/tier.ts";

// The tests of the copy.
mayStart(1);

const ROOT = resolve(import.meta.dirname, "..");
const original = testSettings({ closed: true });

type Change = (settings: string) => string;

/** Changes a setting's value, or adds a variable that is not there. */
const set =
  (name: string, value: string): Change =>
  (settings) => {
    const line = `${name} = ${value}`;
    const changed = settings.replace(new RegExp(`^${name} = .*$`, "m"), line);
    return changed === settings ? settings.replace("[vars]", `[vars]\n${line}`) : changed;
  };
const append =
  (text: string): Change =>
  (settings) =>
    `${settings}\n${text}`;

interface Subject {
  readonly changes: Readonly<Record<string, Change>>;
  /** Suites that may depend on it. */
  readonly files: readonly string[];
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  "who serves": {
    changes: {
      name: set("name", '"acme"'),
      SERVER_NAME: set("SERVER_NAME", '"acme"'),
      SERVER_VERSION: set("SERVER_VERSION", '"7.7.7"'),
      OAUTH_SCOPES: set("OAUTH_SCOPES", '"acme:read acme:write"'),
    },
    files: ["test/protocols/mcp/modern/dialect.test.ts", "test/access/protected-resource.node.test.ts"],
  },
  "who may call": {
    changes: {
      PUBLIC: set("PUBLIC", '"true"'),
      ALLOWED_ORIGINS: set("ALLOWED_ORIGINS", '"https://app.acme.example"'),
      ALLOWED_HOSTS: set("ALLOWED_HOSTS", '"127.0.0.1 169.254.169.254 intranet.acme.example"'),
      JWT_ISSUER: set("JWT_ISSUER", '"https://login.acme.example"'),
      JWT_JWKS_URL: set("JWT_JWKS_URL", '"https://login.acme.example/keys"'),
      JWT_AUDIENCE: set("JWT_AUDIENCE", '"https://tools.acme.example"'),
      RATE_PER_MINUTE: set("RATE_PER_MINUTE", '"10"'),
      // Discovery rightly refuses a tool whose rate limiter is missing, so nothing else could run.
      "no rate limiter that no sample names": (settings) =>
        settings.replace(/^\[\[ratelimits\]\]\nname = "RATE_6000?"\n(\w.*\n)*/gm, ""),
      SIGN_IN: set("SIGN_IN", '"true"'),
    },
    files: ["test/http/body.test.ts", "test/access/doors.node.test.ts"],
  },
  "what is kept, and for how long": {
    changes: {
      LOG_CALLS: set("LOG_CALLS", '"false"'),
      MAX_BODY_BYTES: set("MAX_BODY_BYTES", '"20000"'),
      IDEMPOTENCY_TTL_SECONDS: set("IDEMPOTENCY_TTL_SECONDS", '"60"'),
      SESSION_TTL_SECONDS: set("SESSION_TTL_SECONDS", '"60"'),
      "no CLAIMS": (settings) => settings.replace(/^\[\[durable_objects\.bindings\]\]\nname = "CLAIMS"\n.*\n/m, ""),
      "SESSIONS in objects": append(`
        [[durable_objects.bindings]]
        name = "SESSIONS"
        class_name = "Sessions"
        [[migrations]]
        tag = "v3"
        new_sqlite_classes = ["Sessions"]`),
      "the workflow of long tools": append(`
        [[workflows]]
        name = "acme-long"
        binding = "LONG"
        class_name = "LongRun"`),
    },
    files: ["test/core/idempotency/idempotency.test.ts", "test/core/call/audit.unit.test.ts"],
  },
  "how it is built and started": {
    changes: {
      minify: set("minify", "false"),
      keep_names: set("keep_names", "true"),
      send_metrics: set("send_metrics", "true"),
      ip: set("ip", '"0.0.0.0"'),
      port: set("port", "9999"),
      observability: append("[observability]\nenabled = false"),
    },
    files: ["test/size.node.test.ts"],
  },
};
const changed = (settings: string, { changes }: Subject) =>
  Object.values(changes).reduce((text, change) => change(text), settings);

/**
 * Tools unlike any sample: one named like a fixture, one that is long, and one that imports the framework's packages.
 */
const FOREIGN_TOOL = `import { Hono } from "hono";
import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "9.0.0",
  description: "Is nothing like the fixture of this name.",
  input: v.object({ app: v.optional(v.pipe(v.string(), v.description("A path."))) }),
  run: () => new Hono().routes.length,
});
${"// A long file.\n".repeat(400)}`;

/** A fork's worker.ts that refuses every request. */
const FOREIGN_WORKER = `import { defineWorker } from "#tool";

export default defineWorker({ routes: (app) => void app.all("*", (c) => c.text("closed", 503)) });
`;

let copy: Copy;
beforeAll(() => {
  copy = copyProject();
});
afterAll(() => copy.remove());

const PATIENT = { timeout: 900_000 };

async function expectGreen(files: readonly string[], settings: string): Promise<void> {
  const { tests, failed } = await copy.run(files, settings);
  expect(failed).toEqual([]);
  expect(tests).toBeGreaterThanOrEqual(files.length);
}

describe.runIf(isSlow)("settings of one subject after the other", () => {
  it.each(Object.entries(SUBJECTS))("%s", PATIENT, (_, subject) =>
    expectGreen(subject.files, changed(original, subject)),
  );
});

describe("all settings at once, in a project of another name", () => {
  const settings = Object.values(SUBJECTS).reduce(changed, original);
  const files = [
    ...(isSlow ? ["test/protocols/mcp/modern/dialect.test.ts"] : []),
    "test/rules.unit.test.ts",
    ...["test/docs/pages.unit.test.ts", "test/docs/pictures.unit.test.ts", "test/workflows.unit.test.ts"],
    "test/settings.unit.test.ts",
  ];
  beforeAll(() => {
    copy.rename("acme-tools");
    copy.write("README.md", "# Acme\n\nOur own.\n");
  });

  it.runIf(isSlow)("without any tools, since docs/make-it-yours.md says that the samples may be deleted", PATIENT, () =>
    expectGreen(files, settings),
  );

  it("with tools unlike the samples, and a worker.ts", PATIENT, async () => {
    copy.write("tools/math/add.ts", FOREIGN_TOOL);
    copy.write("tools/worker.ts", FOREIGN_WORKER);
    await expectGreen(files, settings);
  });
});

it("every variable is changed here", () => {
  const { vars } = unstable_readConfig({ config: join(ROOT, "test/support/wrangler.toml") });
  const known = Object.values(SUBJECTS).flatMap(({ changes }) => Object.keys(changes));
  expect(known).toEqual(expect.arrayContaining(Object.keys(vars)));
});
