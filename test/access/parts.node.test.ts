/** The sign-in and tokens: on where an environment asks for them, and nowhere else, though all share one bundle. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Deployment, deployAll, type Settings } from "../support/node/attacks/deployment.ts";
import { SECRET, shared } from "../support/node/attacks/tokens.ts";
import { builtFork, type Fork, testSettings } from "../support/node/fork.ts";
import { tool } from "../support/node/project.ts";

const TOOLS = { "kit/add.ts": tool() };
const forks: Fork[] = [];
const running: Deployment[] = [];

/** Builds a fork with these settings, and deploys it with each of these variables and secrets. */
async function deployed(toml: string, settings: readonly Settings[]): Promise<Deployment[]> {
  const fork = await builtFork(TOOLS, toml);
  forks.push(fork);
  const deployments = await deployAll(fork, settings);
  running.push(...deployments.slice(0, 1));
  return deployments;
}

let asking: Deployment;
let silent: Deployment;
let refusing: Deployment;
let without: Deployment;
beforeAll(async () => {
  const secret = { JWT_SECRET: SECRET };
  const both = testSettings({ closed: true, signIn: true });
  [asking, silent, refusing] = (await deployed(both, [
    secret,
    { ...secret, TOKENS: undefined, SIGN_IN: undefined },
    { ...secret, TOKENS: "false", SIGN_IN: "false" },
  ])) as [Deployment, Deployment, Deployment];
  // As with --var, or with variables that were set in the dashboard: discovery has seen neither.
  const other = { ...secret, TOKENS: "true", SIGN_IN: "true" };
  [without] = (await deployed(testSettings({ closed: true }).replace('TOKENS = "true"\n', ""), [other])) as [
    Deployment,
  ];
});
afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()));
  for (const fork of forks) fork.remove();
});

const withToken = async ({ url }: Deployment) =>
  (await fetch(`${url}/tools`, { headers: { authorization: `Bearer ${shared()}` } })).status;
const signIn = async ({ url }: Deployment) => (await fetch(`${url}/.well-known/oauth-authorization-server`)).status;

it("an environment that asks for them has them", async () => {
  expect([await withToken(asking), await signIn(asking)]).toEqual([200, 200]);
});

it("an environment that says nothing, or false, has neither", async () => {
  expect([await withToken(silent), await signIn(silent)]).toEqual([401, 404]);
  expect([await withToken(refusing), await signIn(refusing)]).toEqual([401, 404]);
});

it("a secret for tokens that are off, and a setting without its part, are errors in the log", async () => {
  const off = 'JWT_SECRET, JWT_ISSUER and JWT_JWKS_URL have no effect unless TOKENS is \\"true\\" in the settings file';
  await expect.poll(() => silent.lines.join("\n")).toContain(off);
  expect([await withToken(without), await signIn(without)]).toEqual([401, 404]);
  await expect.poll(() => without.lines.join("\n")).toContain(off);
  expect(without.lines.join("\n")).toContain(
    'SIGN_IN is \\"true\\", but this deployment was built without the sign-in',
  );
});
