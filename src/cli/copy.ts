/** The script `npm run copy`. */

import { main } from "./copy/make-copy.ts";
import { thisProcess } from "./lib/io.ts";

process.exitCode = await main(...thisProcess());
