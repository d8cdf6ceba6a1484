import { definePrompt } from "#tool";

export default definePrompt({
  description: "Asks for a summary of a web page.",
  arguments: {
    url: { description: "Address of the page.", required: true },
    length: {
      description: "How long the summary may be.",
      complete: (begun) => ["a sentence", "a paragraph", "a page"].filter((length) => length.startsWith(begun)),
    },
  },
  get: ({ url, length = "a paragraph" }) => `Read ${url} with the tool Web_ReadPage and summarize it in ${length}.`,
});
