/**
 * Gives tools what is attached to their calls, if the deployment stores files; refuses such calls otherwise. A wrapper
 * of `run`, so that a repeat of a keyed call, which does not run, needs no file.
 */
import type { RunTool } from "../../core/call/run-tool.ts";

const NONE_STORED = "This server stores no files";

/** @param run runs a tool whose context already has its files */
export function withAttachments(run: RunTool): RunTool {
  return (tool, check, lease) => {
    const { caller, context, primitive, runtime } = tool;
    // What is attached to a tool that takes no files is ignored.
    if (!primitive.options.attachments) return run(tool, check, lease);
    if (runtime.files) return runtime.files.attaching(run)(tool, check, lease);
    Object.assign(context, { upload });
    if (caller.attachments === undefined) return run(tool, check, lease);
    const issue = { path: "attachments", message: `${NONE_STORED}: call without attachments` };
    return { outcome: { kind: "invalid", issues: [issue] }, durationMs: 0 };
  };
}

/** `ctx.upload` where no files are stored. Throws a copy of `#tool`'s ToolError, which features may not import. */
async function upload(): Promise<never> {
  const message = `${NONE_STORED}: its operator has to bind FILES and FILE_RECORDS (docs/files.md)`;
  throw Object.assign(new Error(message), { name: "ToolError", fault: { message, canRetry: false } });
}
