/**
 * Files that a view may import: pictures and fonts as `data:` URLs, and styles. Tools, which run elsewhere, may not.
 */

declare module "*.css" {}

declare module "*.gif" {
  const url: string;
  export default url;
}

declare module "*.jpeg" {
  const url: string;
  export default url;
}

declare module "*.jpg" {
  const url: string;
  export default url;
}

declare module "*.png" {
  const url: string;
  export default url;
}

declare module "*.svg" {
  const url: string;
  export default url;
}

declare module "*.webp" {
  const url: string;
  export default url;
}

declare module "*.woff2" {
  const url: string;
  export default url;
}
