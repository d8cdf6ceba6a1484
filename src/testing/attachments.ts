/** Files that a test attaches to a call, or uploads: kept in memory instead of the deployment's store. */
import { ConcurrencyLimit } from "../core/lib/concurrency-limit.ts";
import type { FileReference } from "../core/model/call.ts";
import type { Question } from "../core/model/elicitation.ts";
import type { Principal } from "../core/model/principal.ts";
import type { Files, StoredFile } from "../core/ports/files.ts";
import { BUFFERS } from "../features/files/host-files.ts";
import { attaching } from "../features/files/with-files.ts";
import type { Answer, TestFile } from "./types.ts";

interface Held {
  readonly file: StoredFile;
  readonly contents: Blob;
}

const ORIGIN = "https://files.test";
const PAGES = `${ORIGIN}/upload/`;

/** The files of one call under test. */
export class TestFiles implements Files {
  readonly maxBytes = Infinity;
  readonly takesFromAnyone = true;
  readonly buffers = new ConcurrencyLimit(BUFFERS);
  readonly attaching = attaching;
  readonly #held = new Map<string, Held>();
  /** The ids that files of upload pages get, by slot. */
  readonly #slots = new Map<string, string>();

  /** @returns a reference to the file. The same files, in the same order, have the same ids, so a keyed call can repeat */
  async add(given: TestFile, id?: string): Promise<FileReference> {
    const contents = given instanceof File ? given : new Blob([given.text]);
    const { name, type = "text/plain" } = given;
    const digest = await crypto.subtle.digest("SHA-256", await contents.arrayBuffer());
    const sha256 = new Uint8Array(digest).toHex();
    const fileId = id ?? `file-${this.#held.size}-${sha256.slice(0, 16)}`;
    const about = { name, type: type || "application/octet-stream", size: contents.size, sha256 };
    this.#held.set(fileId, { file: { id: fileId, ...about, expires: Infinity }, contents });
    return { fileId };
  }

  /** Does what a person does on an upload page, if the question leads to one. @returns what the client answers then */
  async answer(question: Question, answer: Answer | undefined): Promise<Answer | undefined> {
    if (!isUpload(question) || answer === undefined || !("file" in answer)) return answer;
    await this.add(answer.file, question.url.slice(PAGES.length));
    return { action: "accept" };
  }

  async find(_: string, ids: readonly string[]) {
    const awaited = new Set(this.#slots.values());
    return ids.map((id) => this.#held.get(id)?.file ?? (awaited.has(id) ? "awaited" : "unknown"));
  }

  async open(_: string, id: string) {
    return (this.#held.get(id) as Held).contents.stream() as ReadableStream<Uint8Array>;
  }

  async link(_: Principal, { id }: StoredFile) {
    return `${ORIGIN}/${id}`;
  }

  async receive() {
    return "full" as const;
  }

  async place(...[, , , , slotOf]: Parameters<Files["place"]>) {
    const id = crypto.randomUUID();
    const url = PAGES + id;
    this.#slots.set((await slotOf(url)) ?? id, id);
    return { id, url };
  }

  async placed(_: Principal, slot: string) {
    const id = this.#slots.get(slot);
    return id === undefined ? undefined : { id, url: PAGES + id };
  }

  async forget() {
    this.#slots.clear();
  }
}

/** Whether a question is one of `ctx.upload`. */
export function isUpload(question: Question): question is Question & { kind: "page" } {
  return question.kind === "page" && question.url.startsWith(PAGES);
}
