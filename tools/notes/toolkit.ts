/** What models are told about the toolkit as a whole (docs/listings.md). */
import { defineToolkit } from "#tool";

export default defineToolkit({
  instructions:
    "Notes: add one for what a later step of this conversation needs, and list them before asking the user again. " +
    "They are forgotten when the session ends.",
});
