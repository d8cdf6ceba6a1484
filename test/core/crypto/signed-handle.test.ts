/** Tests core/crypto/signed-handle.ts: handles that any isolate can verify, bound to a principal and a purpose. */
import { describe, expect, it } from "vitest";
import { fromBase64Url, toBase64Url } from "../../../src/core/crypto/encoding.ts";
import { checkHandle, mintHandle } from "../../../src/core/crypto/signed-handle.ts";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";

const KEY = new Uint8Array(32).fill(7);
const signer = hmacSigner(async () => KEY);

describe("a handle", () => {
  it("is verified for its principal and purpose, in any isolate that has the key", async () => {
    const handle = await mintHandle(signer, "session", "me", "2025-11-25");
    const elsewhere = hmacSigner(async () => new Uint8Array(KEY));
    const known = await checkHandle(elsewhere, "session", "me", handle);
    expect(known).toEqual({ id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/), note: "2025-11-25" });
  });

  it("is visible ASCII, as headers and MCP's session ids require", async () => {
    expect(await mintHandle(signer, "session", "ünïcode 😀", "")).toMatch(/^[\x21-\x7e]+$/);
  });

  it("is different each time", async () => {
    const handles = await Promise.all(Array.from({ length: 50 }, () => mintHandle(signer, "session", "me", "")));
    expect(new Set(handles).size).toBe(50);
  });

  it("may carry an empty note", async () => {
    const handle = await mintHandle(signer, "session", "me", "");
    expect(await checkHandle(signer, "session", "me", handle)).toMatchObject({ note: "" });
  });

  it.each([
    ["another principal", "session", "you"],
    ["another purpose", "task", "me"],
    // Parts are delimited: no character can move from one to the next.
    ["parts that only join to the same text", 'session","me', ""],
    ["no principal", "session", ""],
  ])("is invalid for %s", async (_, purpose, principal) => {
    const handle = await mintHandle(signer, "session", "me", "note");
    expect(await checkHandle(signer, purpose, principal, handle)).toBeUndefined();
  });

  it("is invalid under another key", async () => {
    const handle = await mintHandle(signer, "session", "me", "note");
    const other = hmacSigner(async () => new Uint8Array(32).fill(8));
    expect(await checkHandle(other, "session", "me", handle)).toBeUndefined();
  });

  it("is refused with any character changed, except for other encodings of the same signature", async () => {
    const handle = await mintHandle(signer, "session", "me", "note");
    // 32 bytes are 43 characters, and the last one has two unused bits.
    for (let at = 0; at < handle.length - 1; at++) {
      const other = handle[at] === "A" ? "B" : "A";
      const changed = handle.slice(0, at) + other + handle.slice(at + 1);
      expect(await checkHandle(signer, "session", "me", changed), changed).toBeUndefined();
    }
  });

  it.each([
    "",
    ".",
    "..",
    "...",
    "a",
    "a.b",
    "a.b.",
    "a.b.c",
    "a..c",
    ".b.c",
    "a.b.c.d",
    "a.b.%%%",
    "a.b.ü",
    "a.b.\u0000",
  ])("%j is not a handle", async (text) => {
    expect(await checkHandle(signer, "session", "me", text)).toBeUndefined();
  });

  it.each(["prefix", "suffix", "without its note"])("is refused with a %s", async (how) => {
    const handle = await mintHandle(signer, "session", "me", "note");
    const [id, , signature] = handle.split(".");
    const changed =
      { prefix: `x${handle}`, suffix: `${handle}.x`, "without its note": `${id}..${signature}` }[how] ?? "";
    expect(await checkHandle(signer, "session", "me", changed)).toBeUndefined();
  });
});

describe("the key", () => {
  it("is read only once", async () => {
    let reads = 0;
    const counting = hmacSigner(async () => {
      reads++;
      return KEY;
    });
    await counting.sign("a");
    await Promise.all([counting.sign("a"), counting.sign("b"), counting.verify("a", "x")]);
    expect(reads).toBe(1);
  });

  it("is read by each request until then: one that was cancelled would never get it", async () => {
    let reads = 0;
    const patient = hmacSigner(() => (++reads === 1 ? new Promise(() => {}) : Promise.resolve(KEY)));
    void patient.sign("a");
    expect(await patient.sign("a")).toBe(await signer.sign("a"));
  });

  it("is read again if reading failed", async () => {
    let reads = 0;
    const failing = hmacSigner(async () => {
      if (++reads === 1) throw new Error("not now");
      return KEY;
    });
    await expect(failing.sign("a")).rejects.toThrow("not now");
    expect(await failing.sign("a")).toBe(await signer.sign("a"));
  });
});

describe("derived keys", () => {
  const iv = new Uint8Array(12);
  const seals = async (from: typeof signer, info: string) => {
    const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await from.deriveKey(info), KEY);
    return toBase64Url(new Uint8Array(sealed));
  };

  it("are the same for one purpose and signing key, and different for any other", async () => {
    const other = hmacSigner(async () => new Uint8Array(32).fill(8));
    expect(await seals(signer, "a")).toBe(await seals(signer, "a"));
    expect(await seals(signer, "b")).not.toBe(await seals(signer, "a"));
    expect(await seals(other, "a")).not.toBe(await seals(signer, "a"));
  });

  it("cannot be exported", async () => {
    await expect(crypto.subtle.exportKey("raw", await signer.deriveKey("a"))).rejects.toThrow();
  });
});

describe("base64url (RFC 4648, section 5)", () => {
  it.each([[[]], [[0]], [[255, 255, 254]], [[251, 239, 190]], [Array.from({ length: 256 }, (_, byte) => byte)]])(
    "%j is decoded unchanged, from characters that a URL may contain",
    (bytes: number[]) => {
      const text = toBase64Url(new Uint8Array(bytes));
      expect(text).toMatch(/^[A-Za-z0-9_-]*$/);
      expect(Array.from(fromBase64Url(text) ?? [])).toEqual(bytes);
    },
  );

  it.each(["%", "ü", "a", "a b!", "====="])("%j is not base64url", (text) => {
    expect(fromBase64Url(text)).toBeUndefined();
  });
});
