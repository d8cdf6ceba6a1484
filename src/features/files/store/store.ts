/** The store of files: contents in R2, and records in the Durable Object of their principal (records.ts). */

import { randomId } from "../../../core/crypto/encoding.ts";
import { seal, unseal } from "../../../core/crypto/seal.ts";
import type { Signer } from "../../../core/crypto/signer.ts";
import { ConcurrencyLimit } from "../../../core/lib/concurrency-limit.ts";
import type { Principal } from "../../../core/model/principal.ts";
import type {
  FileAbout,
  Files,
  NewBody,
  PlacedPage,
  Received,
  StoredFile,
  UploadPage,
} from "../../../core/ports/files.ts";
import { retryStub } from "../../../stores/retry-stub.ts";
import { BUFFERS } from "../host-files.ts";
import type { FileSettings } from "../settings.ts";
import { attaching } from "../with-files.ts";
import type { Contents, FileRecords, FileRow } from "./records.ts";
import { hashOf, PAUSE_MS, type Stored, storeBody } from "./streaming.ts";
import { type DownloadTicket, type Holder, holderOf, ownerOf, signedUrl, type UploadTicket } from "./tickets.ts";

/** A file that somebody wants to upload. */
export interface Wanted extends FileAbout {
  /** In bytes. */
  readonly size: number | undefined;
  /** 64 hex digits. */
  readonly sha256: string | undefined;
}

/** What is kept of a page. Earlier versions kept no key. */
type KeptPage = UploadPage & Pick<Holder, "key">;

export type Presigning = Awaited<ReturnType<FileStore["presign"]>>;

export type Uploaded =
  | { readonly file: StoredFile }
  | "taken"
  | "gone"
  | "cut off"
  | "stalled"
  | "other hash"
  | "spent"
  | "busy";

/** However often a file is attached, it is kept for at most this many times FILE_TTL_SECONDS. */
const MAX_KEEPS = 7;
/** How long a download URL is valid, in milliseconds, unless the file expires before. */
const DOWNLOAD_MS = 3_600_000;
/** How many bodies an isolate stores at a time, and how many of one principal: each has a buffer of 64 KiB. */
const UPLOADS = { most: 256, each: 8, forMs: PAUSE_MS };
/** The same for one file: otherwise, whoever has the address of an upload page could take up all that its key has. */
const OF_ONE_FILE = { ...UPLOADS, each: 2 };
/** When to try again after "busy", in milliseconds. */
export const BUSY_MS = 5_000;

export interface StoreDependencies {
  readonly bucket: R2Bucket;
  readonly records: DurableObjectNamespace<FileRecords>;
  readonly signer: Signer;
  readonly settings: FileSettings;
}

export class FileStore implements Files {
  readonly maxBytes: number;
  readonly takesFromAnyone: boolean;
  readonly buffers = new ConcurrencyLimit(BUFFERS);
  readonly attaching = attaching;
  readonly #dependencies: StoreDependencies;
  readonly #uploads = new ConcurrencyLimit(UPLOADS);
  readonly #uploadsOfFile = new ConcurrencyLimit(OF_ONE_FILE);

  constructor(dependencies: StoreDependencies) {
    this.#dependencies = dependencies;
    this.maxBytes = dependencies.settings.maxBytes;
    this.takesFromAnyone = dependencies.settings.takesFromAnyone;
  }

  /** @returns where and how to upload a file, with the headers that the upload must have */
  async presign(principal: Principal, wanted: Wanted, origin: string) {
    const { settings, signer } = this.#dependencies;
    const { uploadSeconds, maxBytes, filesPerPrincipal } = settings;
    const { name, type, size, sha256 } = wanted;
    if (size !== undefined && size > maxBytes) return { state: "too large" as const, max: maxBytes };
    const id = randomId();
    const holder = await holderOf(signer, principal);
    const { owner } = holder;
    const expires = Date.now() + uploadSeconds * 1_000;
    const row = { id, about: await this.#seal(owner, id, { name, type }), expires };
    if (!(await this.#records(owner, (records) => records.reserve(row, filesPerPrincipal)))) {
      return { state: "full" as const, max: filesPerPrincipal };
    }
    const ticket: UploadTicket = { ...holder, expires, type, size, sha256 };
    const url = await signedUrl(signer, "upload", origin, id, ticket);
    const headers = { "content-type": type };
    return { state: "ready" as const, id, url, headers, expires, maxBytes: size ?? maxBytes };
  }

  /**
   * Stores the body of an upload. Its ticket, type and size must have been checked.
   *
   * @param about the file's name and type, if they were not declared before: for an upload on a page
   */
  async accept(
    id: string,
    ticket: Pick<UploadTicket, "owner" | "key" | "sha256">,
    body: ReadableStream<Uint8Array> | null,
    size: number,
    about?: FileAbout,
  ): Promise<Uploaded> {
    const endOfFile = this.#uploadsOfFile.hold(`${ticket.owner} ${id}`);
    const end = endOfFile && this.#uploads.hold(ticket.owner);
    try {
      return end ? await this.#accept(id, ticket, body, size, about) : "busy";
    } finally {
      end?.();
      endOfFile?.();
    }
  }

  async #accept(
    id: string,
    { owner, key: ofKey, sha256 }: Pick<UploadTicket, "owner" | "key" | "sha256">,
    body: ReadableStream<Uint8Array> | null,
    size: number,
    about?: FileAbout,
  ): Promise<Uploaded> {
    const { bucket, settings } = this.#dependencies;
    // Each attempt writes an R2 object of its own: two at the same time cannot mix, and the first to end wins.
    const key = keyOf(owner, id);
    const row = await this.#records(owner, (records) => records.begin(id, key));
    if (row === undefined) return "gone";
    if (row.state === "spent") return "spent";
    if (row.state !== "awaited") return "taken";
    let stored: Stored;
    try {
      stored = await storeBody(bucket, key, body, size, sha256, row.expires);
    } catch (error) {
      await this.#records(owner, (records) => records.discard(key));
      throw error;
    }
    if (typeof stored === "string" || (sha256 !== undefined && sha256 !== stored.hash)) {
      await this.#records(owner, (records) => records.fail(id, key));
      if (stored === "expired") return "gone";
      return typeof stored === "string" ? stored : "other hash";
    }
    const expires = Date.now() + settings.keepSeconds * 1_000;
    const latest = this.#latest();
    const contents: Contents = { key, size, sha256: stored.hash };
    const sealed = about && (await this.#seal(owner, id, { ...about, key: ofKey }));
    const isKept = await this.#records(owner, (records) => records.finish(id, contents, { expires, latest }, sealed));
    if (!isKept) return isKept === undefined ? "gone" : "taken";
    return { file: { ...contents, ...(about ?? (await this.#open<FileAbout>(owner, row))), id, expires } };
  }

  async receive(partition: string, { id, name, type, body, size }: NewBody, signal: AbortSignal): Promise<Received> {
    const { settings, signer } = this.#dependencies;
    if (size > settings.maxBytes) return "too large";
    const owner = await ownerOf(signer, partition);
    const about = await this.#seal(owner, id, { name, type });
    const expires = Date.now() + settings.uploadSeconds * 1_000;
    const row = { id, about, expires };
    if (!(await this.#records(owner, (records) => records.reserve(row, settings.filesPerPrincipal)))) {
      await body.cancel();
      return "full";
    }
    const end = await this.#uploads.wait(() => this.#uploads.hold(owner), signal);
    try {
      const uploaded = await this.#accept(id, { owner }, body, size);
      // Another call may have stored it since.
      if (typeof uploaded === "object" || uploaded === "taken") return "stored";
      return uploaded === "spent" ? "spent" : "cut off";
    } finally {
      end();
    }
  }

  /** Until when a file that is stored now may be kept at most, however often it is attached. */
  #latest(): number {
    return Date.now() + MAX_KEEPS * this.#dependencies.settings.keepSeconds * 1_000;
  }

  async find(partition: string, ids: readonly string[], until: number) {
    const owner = await ownerOf(this.#dependencies.signer, partition);
    const rows = await this.#records(owner, (records) => records.find(ids, until, this.#latest()));
    return Promise.all(
      rows.map(async (row) => {
        if (row === undefined || row.state === "spent") return "unknown";
        if (row.state === "awaited") return "awaited";
        const problem = row.state === "direct" ? await this.#checkDirect(owner, row) : undefined;
        return problem ?? this.#fileOf(owner, row);
      }),
    );
  }

  /**
   * Compares a file with what was declared for it, once: earlier versions had large files uploaded straight to R2.
   *
   * @returns undefined if it is the same
   */
  async #checkDirect(owner: string, row: FileRow): Promise<"awaited" | "unknown" | undefined> {
    const { bucket } = this.#dependencies;
    const { id, key, size, sha256, expires } = row;
    const object = await bucket.get(key);
    if (object === null) return "awaited";
    const { body, checksums } = object;
    const known = checksums.toJSON().sha256;
    const isRight = object.size === size && (known ?? (await hashOf(body))) === sha256;
    if (known !== undefined || object.size !== size) await body.cancel();
    const work = (records: FileRecords) =>
      isRight ? records.finish(id, { key, size, sha256 }, { expires, latest: this.#latest() }) : records.remove(id);
    await this.#records<boolean | undefined>(owner, work);
    return isRight ? undefined : "unknown";
  }

  async place(
    principal: Principal,
    page: UploadPage,
    origin: string,
    lifeMs: number,
    slotOf: Parameters<Files["place"]>[4],
  ): Promise<PlacedPage | "full"> {
    const { settings, signer } = this.#dependencies;
    const holder = await holderOf(signer, principal);
    const { owner } = holder;
    const id = randomId();
    const expires = Date.now() + lifeMs;
    const named = await slotOf(await signedUrl(signer, "page", origin, id, { ...holder, expires }));
    const slot = named === undefined ? undefined : await this.#slot(owner, named);
    const about: KeptPage = { ...page, key: holder.key };
    const row = { id, about: await this.#seal(owner, id, about), expires, page: { slot } };
    const placed = await this.#records(owner, (records) => records.place(row, settings.filesPerPrincipal));
    return placed ? this.#placedAt(owner, placed, origin) : "full";
  }

  async placed(principal: Principal, slot: string, origin: string): Promise<PlacedPage | undefined> {
    const { owner } = await holderOf(this.#dependencies.signer, principal);
    const sealed = await this.#slot(owner, slot);
    const row = await this.#records(owner, (records) => records.placed(sealed));
    return row && this.#placedAt(owner, row, origin);
  }

  /** The name of a slot in storage: an HMAC, from which nobody can tell what it was derived from. */
  #slot(owner: string, slot: string): Promise<string> {
    return this.#dependencies.signer.sign(JSON.stringify(["slot", owner, slot]));
  }

  /** A page always has the same URL: the question that has led to it is recognized by that URL. */
  async #placedAt(owner: string, row: FileRow, origin: string): Promise<PlacedPage> {
    const { id, page: expires = 0 } = row;
    const { key } = await this.#open<Pick<KeptPage, "key">>(owner, row);
    return { id, url: await signedUrl(this.#dependencies.signer, "page", origin, id, { owner, expires, key }) };
  }

  async forget(partition: string, ids: readonly string[]): Promise<void> {
    const owner = await ownerOf(this.#dependencies.signer, partition);
    return this.#records(owner, (records) => records.forget(ids));
  }

  /** @returns what a page asks for; "stored" if its file was uploaded; undefined if it has expired or was closed */
  async pageOf(owner: string, id: string): Promise<UploadPage | "stored" | undefined> {
    const [row] = await this.#records(owner, (records) => records.find([id], 0));
    if (row?.page === undefined || row.state === "spent") return undefined;
    return row.state === "stored" ? "stored" : this.#open<UploadPage>(owner, row);
  }

  async link(
    principal: Principal,
    { id, expires }: StoredFile,
    origin: string,
    about?: Partial<FileAbout>,
  ): Promise<string> {
    const { signer } = this.#dependencies;
    const holder = await holderOf(signer, principal);
    const ticket: DownloadTicket = { ...about, ...holder, expires: Math.min(expires, Date.now() + DOWNLOAD_MS) };
    return signedUrl(signer, "download", origin, id, ticket);
  }

  async open(partition: string, id: string): Promise<ReadableStream<Uint8Array>> {
    const found = await this.read(await ownerOf(this.#dependencies.signer, partition), id);
    const object = found && (await found.get());
    if (!object) throw new Error("The file has expired");
    return object.body as ReadableStream<Uint8Array>;
  }

  /** @returns a stored file with its object; undefined if there is none */
  async read(
    owner: string,
    id: string,
  ): Promise<{ file: StoredFile; get(): Promise<R2ObjectBody | null> } | undefined> {
    const [row] = await this.#records(owner, (records) => records.find([id], 0));
    if (row?.state !== "stored") return undefined;
    return { file: await this.#fileOf(owner, row), get: () => this.#dependencies.bucket.get(row.key) };
  }

  /** @returns false if the principal has no such file */
  async remove(partition: string, id: string): Promise<boolean> {
    const owner = await ownerOf(this.#dependencies.signer, partition);
    return this.#records(owner, (records) => records.remove(id));
  }

  /** Asks twice if the Durable Object does not answer: each of its methods may be repeated. */
  #records<Answer>(owner: string, work: (records: FileRecords) => Promise<Answer>): Promise<Answer> {
    return retryStub(() => this.#dependencies.records.getByName(owner) as unknown as FileRecords, work);
  }

  async #fileOf(owner: string, row: FileRow): Promise<StoredFile> {
    const { id, size, sha256, expires } = row;
    const { name, type } = await this.#open<FileAbout>(owner, row);
    return { id, name, type, size, sha256, expires };
  }

  async #open<About>(owner: string, { id, about }: FileRow): Promise<About> {
    const opened = await unseal<About>(await this.#key(owner, id), id, about);
    if (opened === undefined) throw new Error("The row of a file cannot be opened: the signing key was replaced");
    return opened;
  }

  async #seal<About>(owner: string, id: string, about: About): Promise<string> {
    const sealed = await seal(await this.#key(owner, id), id, about);
    if (sealed === undefined) throw new RangeError("The name of a file, or the message of a page, is too long");
    return sealed;
  }

  #key(owner: string, id: string): Promise<CryptoKey> {
    return this.#dependencies.signer.deriveKey(JSON.stringify(["file", owner, id]));
  }
}

/** @returns a new key for the bucket */
function keyOf(owner: string, id: string): string {
  return `${owner}/${id}/${randomId()}`;
}
