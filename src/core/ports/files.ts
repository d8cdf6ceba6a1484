/** The store of files, as calls use it: files that callers have uploaded, and those of hosts. Types only. */

import type { ConcurrencyLimit } from "../lib/concurrency-limit.ts";
import type { Principal } from "../model/principal.ts";

/** The name and the media type of a file. */
export interface FileAbout {
  /** Without folders. */
  readonly name: string;
  /** As it was declared: `text/csv`. */
  readonly type: string;
}

/** A file whose bytes are in the store. */
export interface StoredFile extends FileAbout {
  readonly id: string;
  /** In bytes. */
  readonly size: number;
  /** 64 hex digits. */
  readonly sha256: string;
  /** When it is deleted, in milliseconds since 1970. */
  readonly expires: number;
}

/** A file to store. */
export interface NewBody extends FileAbout {
  /** Chosen by whoever stores it. If a file with this id is stored already, it stays as it is. */
  readonly id: string;
  readonly body: ReadableStream<Uint8Array>;
  /** In bytes, exactly. */
  readonly size: number;
}

/** A page on which a person uploads one file. */
export interface UploadPage {
  /** `Toolkit.Tool` */
  readonly tool: string;
  /** What it asks for. */
  readonly message: string;
  /** As an HTML input has it; none for any file. */
  readonly accept: readonly string[];
  readonly maxBytes: number;
}

/** A page that can be opened. */
export interface PlacedPage {
  /** Id of the file that is uploaded there. */
  readonly id: string;
  readonly url: string;
}

/** `too large`: over {@link Files.maxBytes}. `cut off`: the body did not have its size. `full`: too many files. */
export type Received = "stored" | "too large" | "cut off" | "spent" | "full";

/**
 * Files by the partition of the principal that they belong to (core/model/principal.ts). Those methods that make a URL
 * take the principal, because the URL ends with its key. Methods may reject.
 */
export interface Files {
  /** Size of the largest file that passes through the Worker. */
  readonly maxBytes: number;
  /** Limits how many bodies of unknown length are held in memory. */
  readonly buffers: ConcurrencyLimit;
  /** Whether callers without a credential of their own may upload files. */
  readonly takesFromAnyone: boolean;
  /** Wraps what runs a tool: `withFiles` (features/files/with-files.ts), which forks without files do not bundle. */
  readonly attaching: <Run>(run: Run) => Run;
  /**
   * Finds files, in the order of their ids.
   *
   * @param until they are kept at least until then, in milliseconds since 1970, unless they have been kept for long
   * @returns for each the file, "awaited" if it was not uploaded yet, or "unknown" if it never was, has expired, or
   *          belongs to someone else
   */
  find(partition: string, ids: readonly string[], until: number): Promise<(StoredFile | "awaited" | "unknown")[]>;
  /** @returns the bytes of a file. Rejects if it has expired */
  open(partition: string, id: string): Promise<ReadableStream<Uint8Array>>;
  /**
   * @param about the name and the type that the download has, if they are not the file's own
   * @returns a URL on this origin from which anyone can download the file, for up to an hour
   */
  link(principal: Principal, file: StoredFile, origin: string, about?: Partial<FileAbout>): Promise<string>;
  /** Stores a file that its caller did not upload: one that was fetched from a host. @param signal ends the wait to begin */
  receive(partition: string, file: NewBody, signal: AbortSignal): Promise<Received>;
  /**
   * Makes a page, unless there is one in its slot already.
   *
   * @param lifeMs how long its URL is valid
   * @param slotOf returns the name under which the page can be found later, given its URL; undefined if it need not be
   * @returns the new page, or the one that is there; "full" if the principal has too many files
   */
  place(
    principal: Principal,
    page: UploadPage,
    origin: string,
    lifeMs: number,
    slotOf: (url: string) => string | undefined | Promise<string | undefined>,
  ): Promise<PlacedPage | "full">;
  /** @returns the page in a slot; undefined if there is none, or it has expired */
  placed(principal: Principal, slot: string, origin: string): Promise<PlacedPage | undefined>;
  /** Empties the slots of these files, and closes the pages of those that were not uploaded. */
  forget(partition: string, ids: readonly string[]): Promise<void>;
}
