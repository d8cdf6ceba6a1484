/** The script `npm run call`. */

import { main } from "./call/call-tool.ts";
import { thisProcess } from "./lib/io.ts";

process.exitCode = await main(...thisProcess(), process);
