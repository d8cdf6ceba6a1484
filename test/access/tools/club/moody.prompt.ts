import { definePrompt, ToolError } from "#tool";

/** Suggests as it is told. */
export default definePrompt({
  description: "Has completions that end in every way.",
  timeoutMs: 200,
  arguments: {
    how: {
      description: "How to end.",
      async complete(how) {
        if (how === "fault") throw new ToolError("No such mood");
        if (how === "throw") throw new Error("broken");
        if (how === "forever") await new Promise(() => {});
        if (how === "numbers") return ["one", 2] as never;
        if (how === "a text") return "one" as never;
        if (how === "an object") return { one: "two" } as never;
        if (how === "null") return [null] as never;
        return ["well"];
      },
    },
  },
  get: () => "Fine.",
});
