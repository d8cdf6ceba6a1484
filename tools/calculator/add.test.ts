import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";

it("serves", async () => {
  const r = await exports.default.fetch("http://x/tools");
  expect(await r.json()).toMatchObject({ tools: [{ id: "Calculator.Add@1.0.0" }] });
});
