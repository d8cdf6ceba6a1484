import type { Protocol } from "./request-context.ts";

/** The endpoints of an API whose responses nobody may keep: they are about their caller. */
export function uncached({ endpoints, httpError }: Protocol): Protocol {
  const keepOut = (response: Response): Response => {
    // What an endpoint says itself counts.
    if (!response.headers.has("cache-control")) response.headers.set("cache-control", "private, no-store");
    return response;
  };
  return {
    endpoints: endpoints.map(({ serve, ...endpoint }) => ({
      ...endpoint,
      serve: async (context) => keepOut(await serve(context)),
    })),
    httpError: (...error) => keepOut(httpError(...error)),
  };
}
