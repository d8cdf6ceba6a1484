import { definePrompt } from "#tool";

const LENGTHS = ["one sentence", "one paragraph", "one page"];

export default definePrompt({
  title: "Summarize a web page",
  description: "Asks for a summary of a web page, read with Web.ReadPage.",
  arguments: {
    url: { description: "Address of the page.", required: true },
    length: {
      description: "How long the summary may be: one paragraph when left out.",
      complete: (begun) => LENGTHS.filter((length) => length.startsWith(begun)),
    },
  },
  get: ({ url, length = "one paragraph" }) =>
    `Read ${url} with the tool Web_ReadPage and summarize it in ${length}. Say so if the page could not be read.`,
});
