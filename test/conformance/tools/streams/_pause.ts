/** Long enough for two messages to arrive separately. */
export function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}
