/** The script `npm run new`. */
import { thisProcess } from "./lib/io.ts";
import { main } from "./new/make-new.ts";

process.exitCode = await main(...thisProcess());
