/** The script `npm run connect`. */

import { main } from "./connect/show-connections.ts";
import { thisProcess } from "./lib/io.ts";

process.exitCode = await main(...thisProcess());
