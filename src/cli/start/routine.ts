/**
 * What wrangler says of its own work at each start, and what nobody reads. No warning and no error is among it. Its note
 * on what it collects, at the first start of a version, has no regard to send_metrics in wrangler.toml. Pure.
 */

const ROUTINE =
  /^(?:\[custom build\] (?:Running: .*)?|⎔ Starting local server\.\.\.|\[wrangler:info\] ✨ Parsed \d+ valid \w+ rules?\.|Cloudflare collects anonymous telemetry .*)$/u;
/** Discovery's line, which the banner has again. */
const DISCOVERED = /^\[custom build\] discovered \d/;
/** The address of a tunnel as a picture, to be photographed. */
const PICTURE = /^[\s\u2580-\u259f]*[\u2580-\u259f]{4}[\s\u2580-\u259f]*$/u;

/** @param isServing whether the server has started: what discovery finds is news from then on */
export function isRoutine(line: string, isServing: boolean): boolean {
  return PICTURE.test(line) || (!isServing && (ROUTINE.test(line) || DISCOVERED.test(line)));
}

/** @returns a function that is given each line, and says whether it is one of wrangler's table of the bindings */
export function readsTable(): (line: string) => boolean {
  let isIn = false;
  return (line) => {
    const wasIn = isIn;
    isIn = wasIn ? line !== "" : line === "Your Worker has access to the following bindings:";
    return wasIn || isIn;
  };
}
