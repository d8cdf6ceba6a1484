/** What the tools of the fault tests share: effects are recorded outside of the Worker, by a process that outlives it. */
import * as v from "valibot";

export const input = v.object({
  name: v.pipe(v.string(), v.description("Of the task.")),
  to: v.pipe(v.string(), v.description("Address of the recorder.")),
  ms: v.pipe(v.number(), v.description("How long it takes.")),
});
export const output = v.string();

type Input = v.InferOutput<typeof input>;

/** Returns a function that records an effect, and resolves when it has been recorded. */
export function recorder({ name, to }: Input): (what: string, value?: string) => Promise<void> {
  return async (what, value = "") => {
    const response = await fetch(to, { method: "POST", body: JSON.stringify({ name, what, value }) });
    await response.arrayBuffer();
  };
}
