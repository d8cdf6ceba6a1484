/** No sign-in. Bundled unless wrangler.toml has an alias to `src/sign-in/server.ts` instead. */
import type { CreateSignIn } from "../access/sign-in.ts";

const createSignIn: CreateSignIn | undefined = undefined;
export default createSignIn;
