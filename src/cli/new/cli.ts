/** The script `npm run new`. */
import { thisProcess } from "../lib/io.ts";
import { main } from "./main.ts";

process.exitCode = await main(...thisProcess());
