/** Attachments of calls: read from the request, and given to the tool by the store of files, if there is one. */
import type { Feature } from "../feature.ts";
import { withHostFiles } from "./read-host-files.ts";
import { withAttachments } from "./with-attachments.ts";

export const feature: Feature = { aroundRun: withAttachments, mcp: { readCall: withHostFiles } };
