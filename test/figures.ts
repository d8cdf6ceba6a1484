/**
 * Sizes of the framework as last measured. Tests that measure them again print the result and allow a tenth more, so
 * that small changes pass. A change that needs more updates its line here.
 */
export const FIGURES = {
  /** KiB after gzip, minified, of a fork with one small tool and without sign-in. The README rounds it. */
  oneToolKiB: 65.9,
  /** Bytes, minified and before gzip, by which a Worker that serves the page at / is larger. docs/connect.md rounds it. */
  pageBytes: 1_100,
  /** Modules evaluated before the first request. */
  modulesAtStart: 159,
  /** Bytes allocated by a call, as a multiple of what a Worker without a framework allocates for the same answer. */
  bytesPerCall: { OXP: 2.52, "MCP legacy": 2.93, "MCP modern": 2.83, OpenTool: 2.69 },
  /** Blocks of the documentation that are not run. Each says why in a comment before it; a reviewer agrees to more. */
  blocksNotRun: 55,
} as const;

/** Returns the most that a test allows for a figure. */
export function withRoom(figure: number): number {
  return figure * 1.1;
}
