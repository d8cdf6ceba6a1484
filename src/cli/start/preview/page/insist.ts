/** Asks the server of `npm start`, which may lose a request, or refuse it, while it loads a build. */

/** How long the server has for an answer, in milliseconds. */
export const PATIENCE = { timeout: 5_000 };
const TRIES = 5;
const PAUSE_MS = 200;

/** @throws what `ask` throws the last time */
export async function insist<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES) throw error;
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
    }
  }
}
