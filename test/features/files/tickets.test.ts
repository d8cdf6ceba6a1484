/** Signed URLs, as texts: a question that has the URL of a page is known by it. */
import { expect, it } from "vitest";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import { readTicket, signedUrl } from "../../../src/features/files/store/tickets.ts";

const signer = hmacSigner(async () => new Uint8Array(32));

it("the same ticket gives the same URL, in whatever order its members are", async () => {
  const made = await signedUrl(signer, "page", "https://x", "f", { owner: "o", key: "k", expires: 1 });
  expect(await signedUrl(signer, "page", "https://x", "f", { key: "k", expires: 1, owner: "o" })).toBe(made);
  expect(await readTicket(signer, "page", "f", new URL(made))).toEqual({ owner: "o", key: "k", expires: 1 });
});
