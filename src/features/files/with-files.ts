/**
 * Finds the files that are attached to a call before its tool runs, and lets the tool ask for others: a wrapper of
 * `run` for tools that take files. Bundled only with files.
 */
import type { RunTool, TimedRun, ToolRun } from "../../core/call/run-tool.ts";
import type { RunLease } from "../../core/idempotency/lease.ts";
import { describeError } from "../../core/lib/log.ts";
import { isPromise } from "../../core/lib/maybe-promise.ts";
import type { FileReference } from "../../core/model/call.ts";
import type { Attachment } from "../../core/model/definition.ts";
import type { Issue, Outcome } from "../../core/model/outcome.ts";
import { partitionOf } from "../../core/model/principal.ts";
import type { FileAbout, Files } from "../../core/ports/files.ts";
import { FETCH_MS, fetchHostFile, idOfHostFile } from "./host-files.ts";
import { mayUpload, NOT_FROM_ANYONE } from "./may-upload.ts";
import { fileName, isMediaType, MAX_NAME, MAX_TYPE } from "./names.ts";
import { openedFile, untilWhen } from "./opened-file.ts";
import { Uploads } from "./uploads.ts";

/** The most files of a call: each is looked up, and some are fetched. */
const MAX_ATTACHMENTS = 20;
const RETRY_MS = 1_000;

/** {@link withFiles} with the type of the port, which cannot name the types of a run, because a run has the ports. */
export const attaching = ((run: RunTool) => withFiles(run)) as Files["attaching"];

/** @param run runs a tool whose context already has its files */
export function withFiles(run: RunTool): RunTool {
  return (tool, check, lease) => {
    const { caller, context, runtime } = tool;
    const { attachments } = caller;
    const files = runtime.files as Files;
    // Made only when needed: most tools ask for no file.
    let uploads: Uploads | undefined;
    const upload = (...given: Parameters<Uploads["upload"]>) => {
      uploads ??= new Uploads(tool, files);
      return uploads.upload(...given);
    };
    Object.assign(context, { upload });
    const start = () => run(tool, check, lease);
    const running =
      attachments === undefined
        ? start()
        : attach(tool, files, attachments, lease).then((problem) =>
            problem ? { outcome: problem, durationMs: 0 } : start(),
          );
    const end = (ran: TimedRun) => {
      if (uploads) runtime.defer(uploads.end(ran.outcome).catch(() => {}));
      return ran;
    };
    return isPromise(running) ? running.then(end) : end(running);
  };
}

/** Gives the tool its files. Never rejects. @returns why it must not run, if a file is missing */
async function attach(
  tool: ToolRun,
  files: Files,
  references: readonly FileReference[],
  lease: RunLease | undefined,
): Promise<Outcome | undefined> {
  const { caller, runtime, context } = tool;
  try {
    const found = await findAll(tool, files, references, lease);
    const issues = found.filter((one): one is Issue => "message" in one);
    if (issues.length > 0) return { kind: "invalid", issues };
    context.attachments = found as Attachment[];
    return undefined;
  } catch (error) {
    runtime.log({ level: "error", message: "files not found", callId: caller.callId, error: describeError(error) });
    return { kind: "refused", refusal: { reason: "unavailable", retryAfterMs: RETRY_MS } };
  }
}

/** @returns the file of each reference, or why there is none */
async function findAll(
  { caller, primitive, runtime }: ToolRun,
  files: Files,
  references: readonly FileReference[],
  lease: RunLease | undefined,
): Promise<(Attachment | Issue)[]> {
  if (references.length > MAX_ATTACHMENTS) {
    return [{ path: "attachments", message: `Must be at most ${MAX_ATTACHMENTS} files` }];
  }
  const partition = partitionOf(caller.principal);
  const ids = await Promise.all(references.map((one) => (one.download ? idOfHostFile(one, one.download) : one.fileId)));
  let found = await files.find(partition, ids, untilWhen(primitive));
  const problems = new Map<string, string>();
  let signal: AbortSignal | undefined;
  for (const [at, reference] of references.entries()) {
    const id = ids[at] as string;
    if (reference.download === undefined || typeof found[at] === "object" || problems.has(id)) continue;
    if (!mayUpload(caller.principal, files, runtime)) {
      problems.set(id, `is not taken from its host. ${NOT_FROM_ANYONE}`);
      continue;
    }
    // A call that will not run fetches nothing more: whoever repeats it would have all of them fetched again.
    if (problems.size > 0) {
      problems.set(id, NOT_FETCHED);
      continue;
    }
    if (signal === undefined) {
      // Another call with this key must not run while hosts take their time.
      if ((await lease?.extend(FETCH_MS)) === false) throw new Error("Another call with this key has taken over");
      signal = AbortSignal.timeout(FETCH_MS);
    }
    // One after the other: each may be large.
    const problem = await fetchHostFile(reference, reference.download, id, partition, files, runtime, signal);
    if (problem !== undefined) problems.set(id, problem);
  }
  if (references.some(({ download }, at) => download !== undefined && typeof found[at] === "string")) {
    found = await files.find(partition, ids, untilWhen(primitive));
  }
  const own = references.filter(({ download }) => download === undefined);
  const hosts = references.filter(({ download }) => download !== undefined);
  return Promise.all(
    references.map((reference, at) => {
      const file = found[at] ?? "unknown";
      const isOwn = reference.download === undefined;
      const path = isOwn ? `attachments.${own.indexOf(reference)}` : `host_files.${hosts.indexOf(reference)}`;
      // A host's file got its name and type when it was fetched.
      const named = isOwn ? aboutOf(reference, path) : {};
      if ("message" in named) return named;
      if (typeof file === "object") return openedFile(files, caller.principal, file, caller.origin?.() ?? "", named);
      return { path, message: `The file ${inWords(reference)} ${problems.get(ids[at] as string) ?? PROBLEMS[file]}` };
    }),
  );
}

/**
 * What a call says of its file, in place of what was declared with the upload. Models write an empty text for what they
 * leave out.
 */
function aboutOf({ filename, contentType }: FileReference, path: string): Partial<FileAbout> | Issue {
  const name = filename ? fileName(filename) : undefined;
  if (filename && name === undefined) {
    return { path: `${path}.filename`, message: `Must be the name of a file, of up to ${MAX_NAME} characters` };
  }
  if (contentType && !isMediaType(contentType)) {
    return {
      path: `${path}.content_type`,
      message: `Must be a media type such as "text/csv", of up to ${MAX_TYPE} characters`,
    };
  }
  return { ...(name !== undefined && { name }), ...(contentType && { type: contentType }) };
}

/** The message is the same for a missing file and for someone else's: nobody can find out which files others have. */
const PROBLEMS = {
  unknown: "does not exist, or has expired: upload it again, and attach the new file_id",
  awaited: "has not been uploaded yet: send it to its upload_url, and call again",
};

const NOT_FETCHED = "was not fetched, because one before it could not be";

const MAX_NAMED = 80;

function inWords({ fileId }: FileReference): string {
  return JSON.stringify(fileId.length > MAX_NAMED ? `${fileId.slice(0, MAX_NAMED)}…`.toWellFormed() : fileId);
}
