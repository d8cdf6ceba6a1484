import { defineToolkit } from "#tool";

export default defineToolkit({ name: "CSV" });
