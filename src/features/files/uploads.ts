/**
 * `ctx.upload` of one run: asks its user to upload a file on a page of this server, and waits for the file. A repeat of
 * the call finds the page that was asked for before, in the page's slot. Bundled only with files.
 */
import { hashOf } from "../../core/call/questions.ts";
import type { ToolRun } from "../../core/call/run-tool.ts";
import { sha256 } from "../../core/crypto/digest.ts";
import { canonical } from "../../core/lib/json.ts";
import { namesOf } from "../../core/model/call.ts";
import { CannotElicit, NotAnswered, type Question } from "../../core/model/elicitation.ts";
import { isFinal, type Outcome, toolFailure } from "../../core/model/outcome.ts";
import { GRANT, isNamed, isOneUser, partitionOf } from "../../core/model/principal.ts";
import type { Files, PlacedPage, StoredFile, UploadPage } from "../../core/ports/files.ts";
import { isAccept } from "./accept.ts";
import { mayUpload, NOT_FROM_ANYONE } from "./may-upload.ts";
import { openedFile, untilWhen } from "./opened-file.ts";
import type { Uploaded, UploadRequest } from "./upload-request.ts";

/** How long a page is open, in milliseconds: longer for a task, which may ask while nobody is there. */
const PAGE_MS = 3_600_000;
const TASK_PAGE_MS = 24 * PAGE_MS;

export class Uploads {
  readonly #tool: ToolRun;
  readonly #files: Files;
  readonly #partition: string;
  /** Ids of the files that this run has asked for. */
  readonly #asked = new Set<string>();
  /** How often each key was used. */
  readonly #times = new Map<string, number>();

  constructor(tool: ToolRun, files: Files) {
    this.#tool = tool;
    this.#files = files;
    this.#partition = partitionOf(tool.caller.principal);
  }

  readonly upload = async (key: string, request: UploadRequest): Promise<Uploaded> => {
    const { context, caller, runtime } = this.#tool;
    if (!mayUpload(caller.principal, this.#files, runtime)) throw failure(NOT_FROM_ANYONE, false);
    const page = this.#pageFor(key, request);
    const nth = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, nth);
    if (!context.canAsk("page")) return this.#fromRepeat(key, nth, page);
    let earlier = await this.#answeredPage(key);
    for (;;) {
      const { id, url } = earlier ?? (await this.#place(key, nth, page));
      this.#asked.add(id);
      const { action } = await context.elicit(key, { message: page.message, url });
      if (action !== "accept") return { action };
      const file = await this.#arrived(id);
      if (typeof file === "object") {
        caller.elicitation?.visited?.(url);
        return { action, file: await this.#opened(file) };
      }
      if (caller.elicitation?.elicit) throw new NotAnswered("No file was uploaded");
      // Ask the same question again, with a new page if this one has expired.
      earlier = file === "awaited" ? { id, url } : undefined;
    }
  };

  /**
   * Call it when the run has ended. If its call has a result now, its pages are closed: the next call gets new ones.
   */
  async end(outcome: Outcome): Promise<void> {
    if (this.#asked.size > 0 && isFinal(outcome)) await this.#files.forget(this.#partition, [...this.#asked]);
  }

  #pageFor(key: string, { message, accept = [], maxBytes = Infinity }: UploadRequest): UploadPage {
    const wrong = accept.find((entry) => !isAccept(entry));
    if (wrong !== undefined) {
      const problem = `ctx.upload("${key}"): accept has ${JSON.stringify(wrong)}`;
      throw new TypeError(
        `${problem}, which is neither a media type ("text/csv", "image/*") nor an extension (".csv")`,
      );
    }
    return { tool: this.#tool.primitive.id, message, accept, maxBytes: Math.min(maxBytes, this.#files.maxBytes) };
  }

  /**
   * Finds the file for a caller that cannot send its user to a page, or tells it where to upload. An earlier call with
   * the same slot may have named the page in its error, and the user may have uploaded the file since.
   */
  async #fromRepeat(key: string, nth: number, page: UploadPage): Promise<Uploaded> {
    const slot = await this.#slotOfCall(key, nth);
    const isKnown = this.#isKnown();
    // Earlier versions also placed pages in the slots of unknown callers: those that are open still get their files.
    const earlier = isKnown ? undefined : await this.#files.placed(this.#tool.caller.principal, slot, this.#origin);
    const { id, url } = earlier ?? (await this.#placeIn(page, () => (isKnown ? slot : undefined)));
    const [file] = await this.#files.find(this.#partition, [id], untilWhen(this.#tool.primitive));
    if (typeof file === "object") {
      this.#asked.add(id);
      return { action: "accept", file: await this.#opened(file) };
    }
    const asked = /[.?!]$/.test(page.message) ? page.message : `${page.message}.`;
    const again = isKnown ? "call again" : `attach it with the file_id "${id}", and call again`;
    throw new CannotElicit({
      kind: "page",
      message: `${asked} Upload it at ${url} and then ${again}. Or attach a file to the call`,
      url,
    });
  }

  /** The upload page that was asked about in an earlier round, if this call has the answer to that question. */
  async #answeredPage(key: string): Promise<PlacedPage | undefined> {
    const { caller } = this.#tool;
    const numbered = [...(caller.elicitation?.answers ?? [])]
      .map(([name, { question }]) => ({ number: numberOf(name, key), question }))
      .filter(({ number }) => number !== undefined)
      .sort((a, b) => Number(a.number) - Number(b.number));
    for (const { question } of numbered) {
      const page = question && (await this.#files.placed(this.#tool.caller.principal, question, this.#origin));
      // Skip the page of an earlier question with this key in this run.
      if (page && !this.#asked.has(page.id)) return page;
    }
    return undefined;
  }

  #place(key: string, nth: number, page: UploadPage): Promise<PlacedPage> {
    const { elicitation } = this.#tool.caller;
    // The client is asked during the call, so nothing has to find the page later.
    if (elicitation?.elicit) return this.#placeIn(page, () => undefined);
    // The answer comes with the hash of its question, in a state that the protocol has signed: nobody else has it.
    const { message } = page;
    const asQuestion = (url: string): Question => ({ kind: "page", message, url });
    return this.#placeIn(page, (url) => (elicitation ? hashOf(asQuestion(url)) : this.#slotOfTask(key, nth)));
  }

  async #placeIn(page: UploadPage, slotOf: Parameters<Files["place"]>[4]): Promise<PlacedPage> {
    const lifeMs = this.#isTask ? TASK_PAGE_MS : PAGE_MS;
    const placed = await this.#files.place(this.#tool.caller.principal, page, this.#origin, lifeMs, slotOf);
    if (placed === "full") throw failure("There are too many files already: wait until some expire", true);
    return placed;
  }

  /** A task that runs again after a crash must ask with the same page. */
  #slotOfTask(key: string, nth: number): Promise<string> {
    return sha256(canonical(["upload in a task", this.#tool.context.fingerprint ?? null, key, nth]));
  }

  /**
   * A slot that only repeats of this call have: derived from its key or from who calls, from its input, and from the
   * credentials that came with it.
   */
  async #slotOfCall(key: string, nth: number): Promise<string> {
    const { caller, primitive, context, granted } = this.#tool;
    const { principal, sessionId, beginsSession, attachments, input } = caller;
    const { userId } = caller.context;
    const session = beginsSession ? undefined : sessionId;
    const grant = principal[GRANT];
    const ofSignIn = grant === undefined ? [] : [grant];
    const who = caller.key === undefined ? [session, grant, userId] : [context.idempotencyKey, ...ofSignIn];
    // As in the fingerprint of a keyed call, leave out the tokens of a named user, who may have others by now.
    const credentials = userId && isNamed(principal) ? undefined : granted.fromCaller;
    const call = [
      who.map((one) => one ?? null),
      primitive.id,
      input ?? null,
      attachments ? namesOf(attachments) : null,
    ];
    return sha256(canonical(["upload", ...call, credentials ?? null, key, nth]));
  }

  /** Whether a repeat of the call can be told apart from the calls of others, who must not get its file. */
  #isKnown(): boolean {
    const { caller, runtime } = this.#tool;
    const hasSession = caller.sessionId !== undefined && !caller.beginsSession;
    return (
      caller.key !== undefined ||
      hasSession ||
      isOneUser(caller.principal, caller.context.userId) ||
      runtime.isLocal === true
    );
  }

  /** Whether it is a task: nobody waits for its response, and yet its user can be asked. */
  get #isTask(): boolean {
    return this.#tool.caller.elicitation === undefined && this.#tool.context.canAsk("page");
  }

  get #origin(): string {
    return this.#tool.caller.origin?.() ?? "";
  }

  #opened(file: StoredFile) {
    return openedFile(this.#files, this.#tool.caller.principal, file, this.#origin);
  }

  /** Waits until a file has arrived: for at most ten minutes, or 30 s if the client sends the call again. */
  async #arrived(id: string): Promise<StoredFile | "awaited" | "unknown"> {
    const { context, primitive } = this.#tool;
    const arrived = await context.userPages.wait(async () => {
      const [file = "unknown"] = await this.#files.find(this.#partition, [id], untilWhen(primitive));
      return file === "awaited" ? undefined : file;
    });
    return arrived ?? "awaited";
  }
}

/** Questions with the same key are named `report`, `report#2`, … @returns undefined if it has another key */
function numberOf(name: string, key: string): number | undefined {
  if (name === key) return 1;
  const [, number] = name.startsWith(key) ? (/^#(\d+)$/.exec(name.slice(key.length)) ?? []) : [];
  return number === undefined ? undefined : Number(number);
}

function failure(message: string, canRetry: boolean): Error {
  return toolFailure({ message, canRetry });
}
