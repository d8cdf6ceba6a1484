/**
 * `ctx.upload` of one run: asks its user to upload a file on a page of this server, and waits for the file. A repeat of
 * the call finds the page that was asked for before, in the page's slot. Bundled only with files.
 */
import { sha256 } from "../lib/digest.ts";
import { canonical } from "../lib/json.ts";
import { namesOf } from "../model/call.ts";
import { CannotElicit, NotAnswered, type Question } from "../model/elicitation.ts";
import { isFinal, type Outcome } from "../model/outcome.ts";
import { GRANT, isNamed, partitionOf } from "../model/principal.ts";
import type { Uploaded, UploadRequest } from "../model/upload.ts";
import type { Files, PlacedPage, StoredFile, UploadPage } from "../ports/files.ts";
import { ANSWER_MS, hashOf } from "../run/questions.ts";
import type { ToolRun } from "../run/run-tool.ts";
import { isAccept } from "./accept.ts";
import { openedFile, untilWhen } from "./opened-file.ts";

/** How long a page is open, in milliseconds: a task may ask while nobody looks. */
const PAGE_MS = 3_600_000;
const TASK_PAGE_MS = 24 * PAGE_MS;
/** Between two looks whether the file has come, in milliseconds. */
const LOOK_MS = 1_000;
/** How long a call waits whose caller will call again, in milliseconds: half of what most clients wait for an answer. */
const ROUND_MS = 30_000;

export class Uploads {
  readonly #tool: ToolRun;
  readonly #partition: string;
  /** Ids of the files that were asked for. */
  readonly #asked = new Set<string>();
  /** How often each key was used. */
  readonly #times = new Map<string, number>();
  #waiting = 0;
  /** Until when this run waits, if its caller will call again. */
  #roundEnds: number | undefined;

  constructor(tool: ToolRun) {
    this.#tool = tool;
    this.#partition = partitionOf(tool.caller.principal);
  }

  /** `ctx.upload` */
  readonly upload = async (key: string, request: UploadRequest): Promise<Uploaded> => {
    const { context, caller, runtime } = this.#tool;
    const { files } = runtime;
    if (files === undefined)
      throw failure("This server stores no files: its operator has to bind FILES and FILE_RECORDS (docs/files.md)");
    const page = this.#pageFor(key, request, files);
    const time = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, time);
    if (!context.canAsk("page")) return this.#fromRepeat(key, time, page, files);
    let earlier = await this.#answeredPage(key, files);
    for (;;) {
      const { id, url } = earlier ?? (await this.#place(key, time, page, files));
      this.#asked.add(id);
      const { action } = await context.elicit(key, { message: page.message, url });
      if (action !== "accept") return { action };
      const file = await this.#arrived(id, files);
      if (typeof file === "object") {
        caller.elicitation?.visited?.(url);
        return { action, file: await this.#opened(file, files) };
      }
      if (caller.elicitation?.elicit) throw new NotAnswered("No file was uploaded");
      // It is the same question again, unless its page has expired.
      earlier = file === "awaited" ? { id, url } : undefined;
    }
  };

  /** The run has ended. Once its call has a result, the next call asks for a file of its own. */
  async end(outcome: Outcome): Promise<void> {
    const { files } = this.#tool.runtime;
    if (this.#asked.size > 0 && isFinal(outcome)) await files?.forget(this.#partition, [...this.#asked]);
  }

  #pageFor(key: string, { message, accept = [], maxBytes = Infinity }: UploadRequest, files: Files): UploadPage {
    const wrong = accept.find((entry) => !isAccept(entry));
    if (wrong !== undefined) {
      const problem = `ctx.upload("${key}"): accept has ${JSON.stringify(wrong)}`;
      throw new TypeError(
        `${problem}, which is neither a media type ("text/csv", "image/*") nor an extension (".csv")`,
      );
    }
    return { tool: this.#tool.offer.id, message, accept, maxBytes: Math.min(maxBytes, files.maxBytes) };
  }

  /** For a caller that cannot send its user to a page: the file may have come since it was told where the page is. */
  async #fromRepeat(key: string, time: number, page: UploadPage, files: Files): Promise<Uploaded> {
    const slot = await this.#slotOfCall(key, time);
    const { id, url } = await this.#placeIn(page, () => slot, files);
    const [file] = await files.find(this.#partition, [id], untilWhen(this.#tool.offer));
    if (typeof file === "object") {
      this.#asked.add(id);
      return { action: "accept", file: await this.#opened(file, files) };
    }
    const asked = /[.?!]$/.test(page.message) ? page.message : `${page.message}.`;
    const again = slot === undefined ? `attach it with the file_id "${id}", and call again` : "call again";
    throw new CannotElicit({
      kind: "page",
      message: `${asked} Upload it at ${url} and then ${again}. Or attach a file to the call`,
      url,
    });
  }

  /** The page of a question that the caller has answered with this call, if it is one of this server's. */
  async #answeredPage(key: string, files: Files): Promise<PlacedPage | undefined> {
    const { caller } = this.#tool;
    const numbered = [...(caller.elicitation?.answers ?? [])]
      .map(([name, { question }]) => ({ number: numberOf(name, key), question }))
      .filter(({ number }) => number !== undefined)
      .sort((a, b) => Number(a.number) - Number(b.number));
    for (const { question } of numbered) {
      const page = question && (await files.placed(this.#partition, question, this.#origin));
      // Another question with this key, earlier in this run, has had its own.
      if (page && !this.#asked.has(page.id)) return page;
    }
    return undefined;
  }

  #place(key: string, time: number, page: UploadPage, files: Files): Promise<PlacedPage> {
    const { elicitation } = this.#tool.caller;
    // Asked during the call, which has the page itself.
    if (elicitation?.elicit) return this.#placeIn(page, () => undefined, files);
    // Whoever answers a question has its hash in what the protocol signs: nobody else finds the page.
    const { message } = page;
    const asQuestion = (url: string): Question => ({ kind: "page", message, url });
    return this.#placeIn(page, (url) => (elicitation ? hashOf(asQuestion(url)) : this.#slotOfTask(key, time)), files);
  }

  async #placeIn(page: UploadPage, slotOf: Parameters<Files["place"]>[4], files: Files): Promise<PlacedPage> {
    const lifeMs = this.#isTask ? TASK_PAGE_MS : PAGE_MS;
    const placed = await files.place(this.#partition, page, this.#origin, lifeMs, slotOf);
    if (placed === "full") throw failure("There are too many files already: wait until some expire", true);
    return placed;
  }

  /** A task may run again after a crash, and asks the same question then. */
  #slotOfTask(key: string, time: number): Promise<string> {
    return sha256(canonical(["upload in a task", this.#tool.context.idempotencyKey ?? null, key, time]));
  }

  /**
   * What a repeat of this call has in common with it, and no other call: its key, or if it has none, its input.
   *
   * @returns undefined if others may call in the same way, because nobody can tell who they are: they must not get a
   *          file of this caller
   */
  async #slotOfCall(key: string, time: number): Promise<string | undefined> {
    const { caller, offer, context, runtime } = this.#tool;
    const { principal, sessionId, beginsSession, attachments, input } = caller;
    if (caller.key !== undefined) return sha256(canonical(["upload", context.idempotencyKey ?? null, key, time]));
    const session = beginsSession ? undefined : sessionId;
    if (!isNamed(principal) && session === undefined && !runtime.isLocal) return undefined;
    const who = [session, principal[GRANT], caller.context.userId].map((one) => one ?? null);
    return sha256(canonical(["upload", who, offer.id, input ?? null, namesOf(attachments) ?? null, key, time]));
  }

  /** A task has no caller that waits, and can be asked nevertheless. */
  get #isTask(): boolean {
    return this.#tool.caller.elicitation === undefined && this.#tool.context.canAsk("page");
  }

  get #origin(): string {
    return this.#tool.caller.origin?.() ?? "";
  }

  #opened(file: StoredFile, files: Files) {
    return openedFile(files, this.#partition, file, this.#origin);
  }

  /** Waits for a file. The time does not count towards the tool's limit. */
  async #arrived(id: string, files: Files): Promise<StoredFile | "awaited" | "unknown"> {
    const { caller, context, offer } = this.#tool;
    const isRound = caller.elicitation !== undefined && !caller.elicitation.elicit;
    if (isRound) this.#roundEnds ??= Date.now() + ROUND_MS;
    const until = this.#roundEnds ?? Date.now() + ANSWER_MS;
    // Another call with this key must not run while a person looks for a file.
    if ((await context.extendLease?.(Math.max(0, until - Date.now()))) === false) throw over();
    this.#waiting++;
    try {
      for (;;) {
        const [file = "unknown"] = await files.find(this.#partition, [id], untilWhen(offer));
        if (file !== "awaited" || Date.now() >= until) return file;
        const before = Date.now();
        await new Promise((resume) => setTimeout(resume, LOOK_MS));
        // Several may wait at the same time.
        context.pausedMs += (Date.now() - before) / this.#waiting;
        if (context.hasEnded || caller.client?.signal.aborted) throw over();
      }
    } finally {
      this.#waiting--;
    }
  }
}

function over(): NotAnswered {
  return new NotAnswered("The call was over before its file was uploaded");
}

/** Questions with the same key are named `report`, `report#2`, … @returns undefined if it has another key */
function numberOf(name: string, key: string): number | undefined {
  if (name === key) return 1;
  const [, number] = name.startsWith(key) ? (/^#(\d+)$/.exec(name.slice(key.length)) ?? []) : [];
  return number === undefined ? undefined : Number(number);
}

/** Fails the call with this message. */
function failure(message: string, canRetry = false): Error {
  return Object.assign(new Error(message), { name: "ToolError", fault: { message, canRetry } });
}
