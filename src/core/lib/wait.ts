/** Waits with a time limit. */

/**
 * Resolves when `work` does, or after `ms` milliseconds.
 *
 * @param work must never reject
 */
export async function atMost(work: Promise<void>, ms: number): Promise<void> {
  await new Promise<void>((resume) => {
    const timer = setTimeout(resume, ms);
    work.then(() => {
      clearTimeout(timer);
      resume();
    });
  });
}
