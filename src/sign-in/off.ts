/** No sign-in: what is bundled unless wrangler.toml names `src/sign-in/server.ts` in its place. */
import type { CreateSignIn } from "../access/sign-in.ts";

const createSignIn: CreateSignIn | undefined = undefined;
export default createSignIn;
