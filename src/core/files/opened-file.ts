/** A stored file as a tool gets it. */
import type { Attachment } from "../model/definition.ts";
import type { Files, StoredFile } from "../ports/files.ts";
import type { Offer } from "../ports/runtime.ts";
import { DEFAULT_TIMEOUT_MS } from "../run/run-code.ts";

/** How long a tool's files are kept beyond its time limit, in milliseconds. */
const GRACE_MS = 60_000;

/** Until when the files of a run that begins now are kept, in milliseconds since 1970. */
export function untilWhen({ traits }: Offer): number {
  return Date.now() + (traits.timeoutMs ?? DEFAULT_TIMEOUT_MS) + GRACE_MS;
}

/** @param origin of the URL that the tool gets */
export async function openedFile(
  files: Files,
  partition: string,
  file: StoredFile,
  origin: string,
): Promise<Attachment> {
  return new OpenedFile(files, partition, file, await files.link(partition, file, origin));
}

/** The contents are read through methods, which JSON leaves out: its other members may be returned or logged. */
class OpenedFile implements Attachment {
  readonly fileId: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: string;
  readonly url: string;
  readonly #open: () => Promise<ReadableStream<Uint8Array>>;

  constructor(files: Files, partition: string, { id, name, type, size, sha256 }: StoredFile, url: string) {
    this.fileId = id;
    this.name = name;
    this.type = type;
    this.size = size;
    this.sha256 = sha256;
    this.url = url;
    this.#open = () => files.open(partition, id);
  }

  stream(): Promise<ReadableStream<Uint8Array>> {
    return this.#open();
  }

  async text(): Promise<string> {
    return new Response(await this.#open()).text();
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await new Response(await this.#open()).arrayBuffer());
  }
}
