/** Those who wait for a task to change. In memory: after a restart of the object, they ask again. */

/** Callers that may wait for one task at a time. */
const MAX_WAITING = 64;

export class Waiting {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Whether no more may wait for the task. */
  isFull(id: string): boolean {
    return (this.#waiting.get(id)?.size ?? 0) >= MAX_WAITING;
  }

  /** Resolves when the task changes, or after `ms` milliseconds. */
  wait(id: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiting);
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      waiting.add(wake);
    });
  }

  wake(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }
}
