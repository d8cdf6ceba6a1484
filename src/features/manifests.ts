/**
 * All features. A fork bundles those that it uses, and wraps them in this order: the first is outermost. To add or
 * remove a feature, add or delete its folder and its line here.
 */
import { manifest as appTools } from "./app-tools/manifest.ts";
import { manifest as attachments } from "./attachments/manifest.ts";
import { manifest as completion } from "./completion/manifest.ts";
import { manifest as documents } from "./documents/manifest.ts";
import { manifest as files } from "./files/manifest.ts";
import type { Manifest } from "./manifest.ts";
import { manifest as outbox } from "./outbox/manifest.ts";
import { manifest as ownWorker } from "./own-worker/manifest.ts";
import { manifest as page } from "./page/manifest.ts";
import { manifest as prompts } from "./prompts/manifest.ts";
import { manifest as resources } from "./resources/manifest.ts";
import { manifest as sessionObjects } from "./session-objects/manifest.ts";
import { manifest as signIn } from "./sign-in/manifest.ts";
import { manifest as skills } from "./skills/manifest.ts";
import { manifest as tasks } from "./tasks/manifest.ts";
import { manifest as tokens } from "./tokens/manifest.ts";
import { manifest as tracing } from "./tracing/manifest.ts";
import { manifest as uriTemplates } from "./uri-templates/manifest.ts";
import { manifest as views } from "./views/manifest.ts";

export const MANIFESTS: readonly Manifest[] = [
  tracing,
  documents,
  outbox,
  appTools,
  views,
  skills,
  prompts,
  resources,
  completion,
  attachments,
  files,
  tasks,
  sessionObjects,
  page,
  signIn,
  tokens,
  uriTemplates,
  ownWorker,
];
