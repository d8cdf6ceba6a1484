import type { Manifest } from "../manifest.ts";

/** A fork's own middleware, routes, crons and queues (docs/own-routes.md). */
export const manifest: Manifest = {
  name: "own-worker",
  usedBy: ({ worker }) => worker !== undefined,
  takes: ({ worker }) => worker,
};
