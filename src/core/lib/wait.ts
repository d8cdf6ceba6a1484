/** Waits with a time limit. */

/** Resolves when `work` has ended, in whichever way, or after `ms` milliseconds. Never rejects. */
export async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  await new Promise<void>((resume) => {
    const timer = setTimeout(resume, ms);
    const end = () => {
      clearTimeout(timer);
      resume();
    };
    work.then(end, end);
  });
}
