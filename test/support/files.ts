/** Uploads files to the Worker, as its clients do. */
import { expect } from "vitest";
import { type Answer, HOST, post, send } from "./http.ts";

/** What makes a caller another principal than those without it: callers without a credential are told apart by address. */
export const from = (address: string) => ({ "cf-connecting-ip": address });

let callers = 0;

/** Headers of a caller whom no other test has. */
export const newCaller = () => from(`192.0.2.7 caller ${++callers} ${crypto.randomUUID()}`);

export const TEXT = { filename: "q3.csv", content_type: "text/csv" };

export function presign(wanted: object = TEXT, caller: Record<string, string> = {}): Promise<Answer> {
  return post("/api/v1/files/presign-upload", wanted, caller);
}

/** Sends a body to an upload URL. */
export function put(url: string, body: BodyInit, type = "text/csv", headers: Record<string, string> = {}) {
  return send(url.slice(HOST.length), { method: "PUT", headers: { "content-type": type, ...headers }, body });
}

/** @returns the id of an uploaded file */
export async function uploaded(body: BodyInit, caller: Record<string, string> = {}, wanted: object = {}) {
  const { body: presigned } = await presign({ ...TEXT, ...wanted }, caller);
  const { status, body: answer } = await put(presigned.upload_url, body, presigned.headers["content-type"]);
  expect([status, answer.file_id]).toEqual([201, presigned.file_id]);
  return presigned.file_id as string;
}

/** SHA-256 in hex. */
export async function hashOf(body: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** A body of unknown length. */
export const streamOf = (text: string) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
