/** The store of files, as calls use it: files that callers uploaded, and files of hosts. Types only. */

import type { ConcurrencyLimit } from "../lib/concurrency-limit.ts";
import type { Principal } from "../model/principal.ts";

export interface FileAbout {
  /** Without folders. */
  readonly name: string;
  /** The media type as its sender declared it: `text/csv`. */
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

export interface NewBody extends FileAbout {
  /** Chosen by the code that stores the file. If a file with this id exists, it stays as it is. */
  readonly id: string;
  readonly body: ReadableStream<Uint8Array>;
  /** Exact number of bytes. */
  readonly size: number;
}

/** A page on which a person uploads one file. */
export interface UploadPage {
  /** `Toolkit.Tool` */
  readonly tool: string;
  /** Tells the person which file to upload. */
  readonly message: string;
  /** Allowed file types, as in the `accept` attribute of an HTML input; empty for any file. */
  readonly accept: readonly string[];
  readonly maxBytes: number;
}

export interface PlacedPage {
  /** Id of the file that is uploaded there. */
  readonly id: string;
  readonly url: string;
}

/** `too large`: over {@link Files.maxBytes}. `cut off`: the body did not have its size. `full`: too many files. */
export type Received = "stored" | "too large" | "cut off" | "spent" | "full";

/**
 * Files by the partition of the principal that they belong to (core/model/principal.ts). Methods that make a URL take
 * the principal itself, because the URL becomes invalid with the principal's key. Methods may reject.
 */
export interface Files {
  /** Size of the largest file that may pass through the Worker, in bytes. */
  readonly maxBytes: number;
  /** Limits how many bodies of unknown length are held in memory. */
  readonly buffers: ConcurrencyLimit;
  /** Whether callers without a credential of their own may upload files. */
  readonly takesFromAnyone: boolean;
  /** Wraps the function that runs a tool: `withFiles` (features/files/with-files.ts), bundled only in forks with it. */
  readonly attaching: <Run>(run: Run) => Run;
  /**
   * Finds files, in the order of their ids.
   *
   * @param until extends their lifetime to this time, in milliseconds since 1970, unless they are already old
   * @returns for each id the file, "awaited" if it was not uploaded yet, or "unknown" if it never existed, has expired,
   *          or belongs to another principal
   */
  find(partition: string, ids: readonly string[], until: number): Promise<(StoredFile | "awaited" | "unknown")[]>;
  /** @returns the bytes of a file. Rejects if it has expired */
  open(partition: string, id: string): Promise<ReadableStream<Uint8Array>>;
  /**
   * @param about overrides the name and the type that the download has
   * @returns a URL on this origin from which anyone can download the file, for up to an hour
   */
  link(principal: Principal, file: StoredFile, origin: string, about?: Partial<FileAbout>): Promise<string>;
  /** Stores a file that was fetched from a host. @param signal ends the wait for a turn to store it */
  receive(partition: string, file: NewBody, signal: AbortSignal): Promise<Received>;
  /**
   * Makes a page, unless its slot already has one.
   *
   * @param lifeMs how long its URL is valid
   * @param slotOf returns the name under which the page can be found later, given its URL; undefined if it need not be
   * @returns the new page, or the one in the slot; "full" if the principal has too many files
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
