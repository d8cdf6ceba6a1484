/** The script `npm run call`. */
import { thisProcess } from "../lib/io.ts";
import { main } from "./main.ts";

process.exitCode = await main(...thisProcess(), process);
