import type { Protocol } from "./request-context.ts";

/** Adds `Cache-Control: private, no-store` to the endpoints of an API whose responses are about their caller. */
export function uncached({ endpoints, httpError }: Protocol): Protocol {
  const keepOut = (response: Response): Response => {
    // The endpoint's own header takes precedence.
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
