/** What a misspelled name was meant to be. */
import { expect, it } from "vitest";
import { closest } from "../../../src/discovery/lib/spelling.ts";

const KNOWN = ["a", "name", "run", "env", "description", "PUBLIC", "RATE_PER_MINUTE"];

it.each([
  ["nmae", "name"],
  ["Name", "name"],
  ["descripton", "description"],
  ["PUBLICC", "PUBLIC"],
  ["PUBILC", "PUBLIC"],
  ["RATE_PER_MINUET", "RATE_PER_MINUTE"],
  ["ruun", "run"],
])("%s is meant to be %s", (name, meant) => {
  expect(closest(name, KNOWN)).toBe(meant);
});

it.each(["", "b", "rnu1x", "output", "PUBLISHER", "TWILIO_FROM"])("%j is not similar to any", (name) => {
  expect(closest(name, KNOWN)).toBeUndefined();
});
