/** A tool that takes a file (docs/files.md). Hosts show its result in a view: count.view.html (docs/views.md). */
import * as v from "valibot";
import { defineTool, type ToolContext, ToolError } from "#tool";

const MAX_BYTES = 2_000_000;
const MOST_FREQUENT = 10;

export default defineTool({
  version: "1.0.0",
  description: "Counts the words of a text, in any language, and says which are the most frequent.",
  annotations: { readOnly: true, openWorld: false },
  attachments: true,
  input: v.object({
    text: v.optional(v.pipe(v.string(), v.description("The text, if it is not attached as a file."))),
  }),
  output: v.object({
    words: v.number(),
    different: v.pipe(v.number(), v.description("Upper and lower case are the same.")),
    frequent: v.array(v.object({ word: v.string(), count: v.number() })),
  }),
  async run({ text }, ctx) {
    const counts = new Map<string, number>();
    let words = 0;
    // Not split(" "): Chinese, Japanese and Thai have no spaces.
    const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
    for (const { segment, isWordLike } of segmenter.segment(text ?? (await readFile(ctx)))) {
      if (!isWordLike) continue;
      const word = segment.toLowerCase();
      counts.set(word, (counts.get(word) ?? 0) + 1);
      words++;
    }
    const sorted = Array.from(counts, ([word, count]) => ({ word, count })).sort((a, b) => b.count - a.count);
    return { words, different: counts.size, frequent: sorted.slice(0, MOST_FREQUENT) };
  },
});

async function readFile({ attachments }: Pick<ToolContext, "attachments">): Promise<string> {
  const [file] = attachments;
  if (file === undefined || attachments.length > 1) throw new ToolError("Attach one file, or pass its text");
  if (file.size > MAX_BYTES) throw new ToolError(`${file.name} is larger than ${MAX_BYTES} bytes`);
  try {
    // Not file.text(), which replaces what it cannot read.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(await file.bytes());
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new ToolError(`${file.name} is not a text in UTF-8`, { cause });
  }
}
