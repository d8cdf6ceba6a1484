/** The script `npm run keys`. */

import { main } from "./keys/manage-keys.ts";
import { thisProcess } from "./lib/io.ts";

process.exitCode = await main(...thisProcess());
