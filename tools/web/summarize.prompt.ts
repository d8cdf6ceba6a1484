import { definePrompt } from "#tool";

const LENGTHS = ["a sentence", "a paragraph", "a page"];

export default definePrompt({
  description: "Asks for a summary of a web page.",
  arguments: {
    url: { description: "Address of the page.", required: true },
    length: { description: "Maximum length.", complete: (prefix) => LENGTHS.filter((it) => it.startsWith(prefix)) },
  },
  get: ({ url, length = "a paragraph" }) => `Read ${url} with the tool Web_ReadPage and summarize it in ${length}.`,
});
