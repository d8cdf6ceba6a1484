/** The script `npm run copy`. */
import { thisProcess } from "../lib/io.ts";
import { main } from "./main.ts";

process.exitCode = await main(...thisProcess());
