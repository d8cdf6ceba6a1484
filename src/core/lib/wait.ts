/** Waits with a time limit. */

/**
 * Resolves when `work` settles, or after `ms` milliseconds.
 *
 * @returns whether `work` has settled
 */
export function atMost(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resume) => {
    const timer = setTimeout(resume, ms, false);
    const settle = () => {
      clearTimeout(timer);
      resume(true);
    };
    work.then(settle, settle);
  });
}
