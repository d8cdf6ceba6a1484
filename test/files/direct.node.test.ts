/**
 * Files that are too large for a Worker: their URLs are those of R2's S3 API. The signature is checked with an
 * implementation of its own (AWS, "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)").
 */
import { createHash, createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callMcp, presign, serveFiles } from "../support/node/files.ts";
import type { Long } from "../support/node/long.ts";

interface Bucket {
  put(key: string, value: Uint8Array): Promise<unknown>;
  get(key: string): Promise<unknown>;
}

const KEYS = { R2_ACCESS_KEY_ID: "AKIDEXAMPLE", R2_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const SIZE = 1_500;
const FILE = new Uint8Array(SIZE).fill(7);
const sha256 = createHash("sha256").update(FILE).digest("hex");

let server: Long;
let bucket: Bucket;
beforeAll(async () => {
  const limits = { MAX_FILE_BYTES: "1000", MAX_DIRECT_FILE_BYTES: "2000", UPLOAD_SECONDS: "300" };
  server = await serveFiles({ ...limits, ...KEYS, R2_ACCOUNT_ID: "abc.eu", R2_BUCKET: "acme-files" });
  bucket = (await server.bindings()).FILES as Bucket;
});
afterAll(() => server?.stop());

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** The signature of a presigned request, from its parts. */
function signatureOf(method: string, url: URL, headers: Record<string, string>): string {
  const query = [...url.searchParams].filter(([name]) => name !== "X-Amz-Signature");
  const encoded = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const pairs = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort();
  const signed = (url.searchParams.get("X-Amz-SignedHeaders") ?? "").split(";");
  const lines = signed.map((name) => `${name}:${headers[name]?.trim()}\n`).join("");
  const path = url.pathname
    .split("/")
    .map((part) => encoded(decodeURIComponent(part)))
    .join("/");
  const request = [method, path, pairs.join("&"), lines, signed.join(";"), "UNSIGNED-PAYLOAD"].join("\n");
  const time = url.searchParams.get("X-Amz-Date") ?? "";
  const [, ...scope] = (url.searchParams.get("X-Amz-Credential") ?? "").split("/");
  const hash = createHash("sha256").update(request).digest("hex");
  const text = ["AWS4-HMAC-SHA256", time, scope.join("/"), hash].join("\n");
  const key = scope.reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${KEYS.R2_SECRET_ACCESS_KEY}`);
  return hmac(key, text).toString("hex");
}

const wanted = (more: object = {}) => presign(server.url, { size: SIZE, sha256, ...more });
const keyIn = (url: string) => new URL(url).pathname.replace("/acme-files/", "");

describe("a file that is too large for the Worker", () => {
  it("gets a URL of R2, for one upload of this type and size", async () => {
    const { status, body } = await wanted();
    const headers = { "content-type": "a/b", "if-none-match": "*" };
    expect([status, body]).toMatchObject([200, { method: "PUT", headers, max_bytes: SIZE }]);
    const url = new URL(body.upload_url);
    expect(url.origin).toBe("https://abc.eu.r2.cloudflarestorage.com");
    expect(url.pathname).toMatch(new RegExp(`^/acme-files/[\\w-]{22}/${body.file_id}/[\\w-]{22}$`));
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": expect.stringMatching(/^AKIDEXAMPLE\/\d{8}\/auto\/s3\/aws4_request$/),
      "X-Amz-Expires": "300",
      "X-Amz-SignedHeaders": "content-length;content-type;host;if-none-match",
    });
    const sent = { ...headers, "content-length": String(SIZE), host: url.host };
    expect(query["X-Amz-Signature"]).toBe(signatureOf("PUT", url, sent));
    expect(signatureOf("PUT", url, { ...sent, "content-length": "1" })).not.toBe(query["X-Amz-Signature"]);
    expect(body.upload_url).not.toContain(KEYS.R2_SECRET_ACCESS_KEY);
  });

  it("needs its SHA-256, and has a limit, too; a smaller one passes through the Worker", async () => {
    const undeclared = await presign(server.url, { size: SIZE });
    expect([undeclared.status, undeclared.body.message]).toEqual([400, 'A file of over 1000 bytes needs its "sha256"']);
    const large = await wanted({ size: 2_001 });
    expect([large.status, large.body.message]).toEqual([413, "A file may have at most 2000 bytes"]);
    expect((await wanted({ size: 1_000 })).body.upload_url).toContain(`${server.url}/api/v1/files/`);
  });

  it("reaches the tool once it is there", async () => {
    const { body } = await wanted({ filename: "large.bin" });
    const take = () => callMcp(server.url, "Kit_Take", { attachments: [{ file_id: body.file_id }] });
    expect((await take()).error.message).toContain("has not been uploaded yet");
    await bucket.put(keyIn(body.upload_url), FILE);
    for (let times = 0; times < 2; times++) {
      const { result } = await take();
      const [taken] = JSON.parse(result.content[0].text);
      expect(taken).toMatchObject({ name: "large.bin", type: "a/b", size: SIZE, read: SIZE, sha256 });
    }
  });

  it.each([
    ["another size", FILE.subarray(1)],
    ["other contents", new Uint8Array(SIZE)],
  ])("that turns out to have %s is refused, and deleted", async (_, contents) => {
    const { body } = await wanted();
    const key = keyIn(body.upload_url);
    await bucket.put(key, contents);
    const take = () => callMcp(server.url, "Kit_Take", { attachments: [{ file_id: body.file_id }] });
    expect((await take()).error.message).toContain("does not exist, or has expired: upload it again");
    await expect.poll(() => bucket.get(key), { timeout: 20_000 }).toBeNull();
    await bucket.put(key, FILE);
    expect((await take()).error.message).toContain("does not exist");
  });
});
