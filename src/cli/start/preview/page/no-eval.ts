/** Imported before all else: tells zod, which the official packages load, that the policy of the page forbids `eval`. */
import { config } from "zod";

config({ jitless: true });
