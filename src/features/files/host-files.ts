/**
 * Fetches files that a host attaches, by the URLs that it sends with the call (Apps SDK, Reference,
 * `openai/fileParams`), and stores them like uploads. The tool then gets them like any other file.
 */
import { sha256 } from "../../core/crypto/digest.ts";
import { AddressRefused, isInside } from "../../core/lib/guarded-fetch.ts";
import { describeError } from "../../core/lib/log.ts";
import { readUpTo } from "../../core/lib/read-up-to.ts";
import type { FileReference } from "../../core/model/call.ts";
import type { FileAbout, Files, NewBody, Received } from "../../core/ports/files.ts";
import type { Runtime } from "../../core/ports/runtime.ts";
import { fileName, isMediaType } from "./names.ts";

/** How long hosts may take to send all files of a call, in milliseconds. */
export const FETCH_MS = 120_000;
/** The largest body of unknown length: it is held in memory, because the store must know its length first. */
const MAX_UNKNOWN_BYTES = 8_388_608;
/**
 * How many of these bodies an isolate holds at a time, and how many of one principal: half of the 128 MB that an
 * isolate has for all its calls, and a quarter of that half.
 */
export const BUFFERS = { most: 8, each: 2, forMs: FETCH_MS } as const;
const MAX_REDIRECTS = 5;

/**
 * The id under which a host's file is kept. It is made from the host's id and the URL without its query, which changes
 * with each signature. So a call that runs again does not fetch the file again.
 */
export async function idOfHostFile({ fileId }: FileReference, download: string): Promise<string> {
  const url = URL.parse(download);
  return `host-${(await sha256(JSON.stringify([fileId, url?.host, url?.pathname]))).slice(0, 32)}`;
}

/**
 * Stores a host's file.
 *
 * @param signal ends the fetch
 * @returns what is wrong with it, as the end of a sentence; undefined if it is stored
 */
export async function fetchHostFile(
  reference: FileReference,
  download: string,
  id: string,
  partition: string,
  files: Files,
  { fetch, log }: Pick<Runtime, "fetch" | "log">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = URL.parse(download);
  // The guard lets a private host pass only if it is in ALLOWED_HOSTS, where there may be no certificate.
  if (url === null || !isFetchable(url)) return "has a download_url that is not https";
  try {
    signal.throwIfAborted();
    const response = await follow(url, fetch, signal);
    if (response === undefined) return "leads to an address that is not https; attach it again";
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return `could not be fetched: its host answered ${response.status}; attach it again`;
    }
    const about = { id, ...aboutOf(reference, url, response) };
    return problemOf(await store(response.body, lengthOf(response), about, partition, files, signal), files.maxBytes);
  } catch (error) {
    // The address may be a secret of the host's: only its name is logged.
    log({ level: "warning", message: "host file not fetched", host: url.host, error: describeError(error) });
    if (error instanceof AddressRefused) return "is at an address that is not on the public internet";
    return "could not be fetched; attach it again";
  }
}

/** @returns the end of a sentence; undefined if nothing is wrong */
function problemOf(received: Received, maxBytes: number): string | undefined {
  switch (received) {
    case "stored":
      return undefined;
    case "too large":
      return maxBytes > MAX_UNKNOWN_BYTES
        ? `is too large: it may have ${maxBytes} bytes, or ${MAX_UNKNOWN_BYTES} if its host does not announce its length`
        : `is too large: it may have ${maxBytes} bytes`;
    case "cut off":
      return "could not be fetched: it ended early; attach it again";
    case "spent":
      return "could not be fetched several times, and is not fetched any more for now: upload it again";
    case "full":
      return "cannot be kept: there are too many files already; wait until some expire";
  }
}

/** @returns undefined if it is redirected to an address that may not be fetched */
async function follow(url: URL, fetch: Runtime["fetch"], signal: AbortSignal): Promise<Response | undefined> {
  for (let at = url, hops = 0; isFetchable(at); hops++) {
    const response = await fetch(at, { headers: { "accept-encoding": "identity" }, redirect: "manual", signal });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null || hops === MAX_REDIRECTS) return response;
    await response.body?.cancel();
    at = new URL(location, at);
  }
  return undefined;
}

function isFetchable(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isInside(url));
}

/** @returns the length of the file; undefined if the host announces none, or that of a compressed body */
function lengthOf({ headers }: Response): number | undefined {
  const length = headers.get("content-length");
  return length !== null && /^\d+$/.test(length) && !headers.has("content-encoding") ? Number(length) : undefined;
}

/** Stores a body. One of unknown length waits for its turn, and is held in memory first. */
async function store(
  body: ReadableStream<Uint8Array>,
  length: number | undefined,
  about: Omit<NewBody, "body" | "size">,
  partition: string,
  files: Files,
  signal: AbortSignal,
): Promise<Received> {
  const refuse = async (): Promise<Received> => {
    await body.cancel().catch(() => {});
    return "too large";
  };
  if (length !== undefined) {
    return length > files.maxBytes ? refuse() : files.receive(partition, { ...about, body, size: length }, signal);
  }
  return files.buffers.take(partition, signal, async () => {
    const whole = await readUpTo(body, Math.min(files.maxBytes, MAX_UNKNOWN_BYTES));
    return whole ? files.receive(partition, { ...about, body: whole.stream(), size: whole.size }, signal) : refuse();
  });
}

function aboutOf({ filename, contentType }: FileReference, url: URL, { headers }: Response): FileAbout {
  const type = contentType ?? headers.get("content-type") ?? "";
  return {
    name: fileName(filename ?? "") ?? fileName(url.pathname) ?? "file",
    type: isMediaType(type) ? type : "application/octet-stream",
  };
}
