/** A prompt: a text that a person picks in a client, which completes its argument (docs/tools.md, Prompts). */
import { definePrompt } from "#tool";

const FORMS = ["a list", "a paragraph", "a sentence"];

export default definePrompt({
  description: "Asks for a summary of this session's notes.",
  arguments: {
    form: { description: "What to write.", complete: (prefix) => FORMS.filter((form) => form.startsWith(prefix)) },
  },
  get: ({ form = "a paragraph" }) => `Read the notes with the tool Notes_List, and summarize them in ${form}.`,
});
