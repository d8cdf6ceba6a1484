import { expect, it } from "vitest";
import { noSignIn } from "../../src/access/no-sign-in.ts";

const PLACE = { origin: "https://tools.example", issuer: undefined, hasSignIn: false };

it.each(["/authorize", "/token", "/oauth/token", "/register", "/oauth/register"])(
  "%s says where a credential comes from, also with a slash at its end",
  async (path) => {
    const [bare, slashed] = [noSignIn("POST", path, PLACE), noSignIn("POST", `${path}/`, PLACE)];
    expect(bare?.status).toBe(400);
    expect(await slashed?.text()).toBe(await bare?.text());
  },
);

it.each(["/", "/registered", "/register/me"])("%s is none of its paths", (path) => {
  expect(noSignIn("POST", path, PLACE)).toBeUndefined();
});
