/** What wrangler is told by each way to start. test/cli/start/start.node.test.ts starts them. */
import { describe, expect, it } from "vitest";
import { startOptions } from "../../../src/cli/start/options.ts";

const valuesOf = (args: readonly string[], option: string) => args.filter((_, at) => args[at - 1] === option);

it("npm start is open to this machine, and passes on what follows", () => {
  const { args, isReadable, key } = startOptions(["--port", "9000"], false);
  expect(valuesOf(args, "--var")).toEqual(["LOCAL:true"]);
  expect(args.slice(-2)).toEqual(["--port", "9000"]);
  expect([isReadable, key]).toEqual([true, undefined]);
});

it("npm run start:closed is as a deployment is", () => {
  const { args, isReadable, key } = startOptions([], true);
  expect(args).toEqual(["dev", "src/index.ts", "--infer-origin-from-routes=false"]);
  expect([isReadable, key]).toEqual([false, undefined]);
});

describe("npm start -- --tunnel", () => {
  it.each([["--tunnel"], ["--tunnel=true"]])("%s is closed, has a sign-in and https, and one key", (asked) => {
    const { args, env, key } = startOptions([asked], false);
    expect(valuesOf(args, "--var")).toEqual(["PUBLIC:false", "LOCAL:false", "SIGN_IN:true"]);
    expect(valuesOf(args, "--upstream-protocol")).toEqual(["https"]);
    expect(env.TRIVET_SIGN_IN).toBe("true");
    expect(args).toContain(asked);
    expect(key).toEqual(["create", "tunnel", "--scopes", "*", "--expires", "1d", "--yes"]);
  });

  it("stays closed whatever variables are asked for: the last value counts", () => {
    const { args } = startOptions(["--tunnel", "--var", "PUBLIC:true", "--var", "LOCAL:true"], false);
    expect(valuesOf(args, "--var").slice(-3)).toEqual(["PUBLIC:false", "LOCAL:false", "SIGN_IN:true"]);
  });

  it("makes the key where the server looks for it", () => {
    const { key } = startOptions(["--tunnel", "--persist-to", "state", "-c", "other.toml", "--env=staging"], false);
    expect(key?.slice(-6)).toEqual(["--persist-to", "state", "--config", "other.toml", "--env", "staging"]);
  });

  it.each([["--no-tunnel"], ["--tunnel=false"], ["--tunnel-name", "mine"]])("%j asks for none", (...asked) => {
    expect(startOptions(asked, false).key).toBeUndefined();
  });
});
