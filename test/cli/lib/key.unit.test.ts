/** The key that scripts send: where it comes from, and to which servers it is sent. */
import { describe, expect, it } from "vitest";
import { keyFor } from "../../../src/cli/lib/key.ts";

describe("the key", () => {
  it.each([
    "https://a.example.com",
    "http://127.0.0.1:8787",
    "http://localhost:1",
    "http://192.168.1.7",
    "http://[::1]:1",
  ])("is sent to %s", (base) => {
    expect(keyFor(base, { TRIVET_KEY: " trivet_k\n" })).toBe("trivet_k");
  });

  it.each(["http://a.example.com", "http://10.example.com", "http://localhost.example.com", "http://8.8.8.8"])(
    "is not sent to %s",
    (base) => {
      expect(() => keyFor(base, { TRIVET_KEY: "trivet_k" })).toThrow("is not https");
      expect(keyFor(base, {})).toBeUndefined();
    },
  );

  it("with a blank in it is no key, and is not repeated", () => {
    expect(() => keyFor("https://a.example.com", { TRIVET_KEY: "se cret" })).toThrow(/^(?!.*se cret).*TRIVET_KEY/);
  });
});
