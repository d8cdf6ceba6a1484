/**
 * Finds the lines of wrangler's output that `npm start` hides: progress, the table of bindings, the QR code, and the
 * telemetry notice, which ignores send_metrics. Never warnings or errors. Pure.
 */

const ROUTINE =
  /^(?:\[custom build\] (?:Running: .*)?|⎔ Starting local server\.\.\.|\[wrangler:info\] ✨ Parsed \d+ valid \w+ rules?\.|Cloudflare collects anonymous telemetry .*)$/u;
/** Discovery's line, which the banner repeats. */
const DISCOVERED = /^\[custom build\] discovered \d/;
/** A line of the QR code for the address of a tunnel. */
const QR_CODE = /^[\s\u2580-\u259f]*[\u2580-\u259f]{4}[\s\u2580-\u259f]*$/u;

/**
 * @param isServing whether the server has started: what discovery finds is news from then on
 * @param hasTunnel whether wrangler shows the address of a tunnel: without one, a bar of blocks is the output of a tool
 */
export function isHidden(line: string, isServing: boolean, hasTunnel = false): boolean {
  return (hasTunnel && QR_CODE.test(line)) || (!isServing && (ROUTINE.test(line) || DISCOVERED.test(line)));
}

/** @returns a function that is given each line, and says whether it is one of wrangler's table of the bindings */
export function bindingsTable(): (line: string) => boolean {
  let isIn = false;
  return (line) => {
    const wasIn = isIn;
    isIn = wasIn ? line !== "" : line === "Your Worker has access to the following bindings:";
    return wasIn || isIn;
  };
}
