/** Files: those that callers upload and attach to calls, and those that tools ask for. */
import type { Feature } from "../feature.ts";
import { filesProtocol } from "./endpoints.ts";
import { readFileSettings } from "./settings.ts";
import { storeIn } from "./store/bound.ts";
import type { FileStore } from "./store/store.ts";
import { ticketGuard } from "./ticket-guard.ts";

export const feature: Feature = {
  readSettings: readFileSettings,
  provide: (runtime) => ({ ...runtime, files: storeIn(runtime) }),
  // The store that `provide` has given.
  endpoints: (runtime) => filesProtocol(runtime.files as FileStore | undefined, ticketGuard(runtime)),
};
