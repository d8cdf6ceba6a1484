/**
 * The pictures of the page at `/`, and what is done in front of the camera for each (shot.ts has the kinds of steps).
 * After a change here or on the page: `npm run pictures`.
 */
import type { Shot, Step } from "./shot.ts";

const KIB = 1024;
const START: readonly Step[] = [{ open: "/" }];
const STILL = { kind: "still", width: 1280, height: 800, mostBytes: 150 * KIB, steps: START } as const;

export const SHOTS: readonly Shot[] = [
  { ...STILL, path: "docs/pictures/page-light.png", theme: "light" },
  { ...STILL, path: "docs/pictures/page-dark.png", theme: "dark" },
  { ...STILL, path: "docs/pictures/page-phone.png", theme: "light", width: 390, height: 844, scale: 2 },
  {
    path: "docs/pictures/film.png",
    kind: "film",
    theme: "light",
    width: 960,
    height: 600,
    scale: 2,
    mostBytes: 700 * KIB,
    steps: [...START, { hold: 2_000 }],
  },
];
