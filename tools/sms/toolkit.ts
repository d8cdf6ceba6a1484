/** The spelling of the toolkit's name: without this file, it would be `Sms`. */
import { defineToolkit } from "#tool";

export default defineToolkit({ name: "SMS" });
