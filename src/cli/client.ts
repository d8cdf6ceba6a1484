/** The script `npm run client`. */

import { main } from "./client/make-client.ts";
import { thisProcess } from "./lib/io.ts";

process.exitCode = await main(...thisProcess());
