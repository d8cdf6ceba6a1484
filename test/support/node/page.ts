/** The lines of wrangler.toml that turn the page at / on, as upstream's has them. */
export const PAGE = `[assets]
directory = "src/generated/front-page"
binding = "ASSETS"
run_worker_first = true
`;
