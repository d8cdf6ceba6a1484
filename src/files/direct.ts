/**
 * Uploads that go straight to R2, for files that are larger than a Worker's request may be: a URL of its S3 API, signed
 * with Signature Version 4 (AWS, Authenticating Requests: Using Query Parameters).
 */
import { AwsV4Signer } from "aws4fetch";
import type { DirectSettings } from "./settings.ts";

/** @returns the URL, and the headers that must come with the upload, because they are signed */
export async function directUpload(
  { accountId, bucket, accessKeyId, secretAccessKey }: DirectSettings,
  key: string,
  { type, size }: { readonly type: string; readonly size: number },
  seconds: number,
): Promise<{ url: string; headers: Record<string, string> }> {
  const url = new URL(`https://${accountId}.r2.cloudflarestorage.com/${bucket}/${key}`);
  url.searchParams.set("X-Amz-Expires", String(seconds));
  // The URL is good for one upload: R2 refuses a second one to the same key (R2, Extensions, Conditional operations).
  const headers = { "content-type": type, "if-none-match": "*" };
  const signer = new AwsV4Signer({
    ...{ url: url.href, method: "PUT", service: "s3", region: "auto", signQuery: true, accessKeyId, secretAccessKey },
    headers: { ...headers, "content-length": String(size) },
    allHeaders: true,
  });
  const signed = await signer.sign();
  // Without content-length, although it is signed: clients set it themselves, and many forbid setting it.
  return { url: signed.url.href, headers };
}
