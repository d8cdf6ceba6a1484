import { definePrompt } from "#tool";

const KNOWN = ["test one", "test two", "another"];

export default definePrompt({
  name: "test_prompt_with_arguments",
  description: "A prompt that repeats its two arguments.",
  arguments: {
    arg1: {
      description: "The first argument.",
      required: true,
      complete: (prefix) => KNOWN.filter((value) => value.startsWith(prefix)),
    },
    arg2: { description: "The second argument.", required: true },
  },
  get: ({ arg1, arg2 }) => `The first is "${arg1}", the second is "${arg2}".`,
});
