/** The script `npm run doctor`. */

import { main } from "./doctor/examine.ts";
import { thisProcess } from "./lib/io.ts";

process.exitCode = await main(...thisProcess());
