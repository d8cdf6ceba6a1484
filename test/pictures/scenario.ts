/**
 * The pictures of the page at `/` and of a view, and what is done in front of the camera for each (shot.ts has the
 * kinds of steps). After a change here, on the page or of that view: `npm run pictures`.
 */
import { INSPECTOR_TOKEN } from "../support/node/inspector.ts";
import type { Shot, Step } from "./shot.ts";

const KIB = 1024;
const STILL = { kind: "still", width: 1280, height: 800, mostBytes: 150 * KIB } as const;

const TEXT =
  "How much wood would a woodchuck chuck, if a woodchuck could chuck wood? " +
  "A woodchuck would chuck as much wood as a woodchuck could chuck, if a woodchuck could chuck wood.";

const COUNT: readonly Step[] = [
  { open: "/#/tool/Words.Count" },
  { type: TEXT, into: "text" },
  { click: ["button", "Run"] },
  { see: '"different"' },
];

/** Opens the Inspector, connects it with the server, and fills in the form of a tool that has a view. */
function inInspector(tool: string, input: object): Step {
  const link = new URLSearchParams({
    MCP_INSPECTOR_API_TOKEN: INSPECTOR_TOKEN,
    serverUrl: "http://127.0.0.1:8787/mcp",
    autoConnect: INSPECTOR_TOKEN,
    openApp: tool,
    appArgs: Buffer.from(JSON.stringify(input)).toString("base64url"),
  });
  return { open: `/?${link}` };
}

const WORDS: readonly Step[] = [
  inInspector("Words_Count", { text: TEXT }),
  { click: ["button", "Close monitoring sidebar"] },
  { click: ["button", "Open App"] },
  { seeInView: "different ones" },
];

export const SHOTS: readonly Shot[] = [
  { ...STILL, path: "docs/pictures/page-light.png", theme: "light", steps: COUNT },
  {
    ...STILL,
    path: "docs/pictures/page-dark.png",
    theme: "dark",
    steps: [
      { open: "/#/tool/Calculator.Add" },
      { type: "20", into: "a" },
      { type: "22", into: "b" },
      { click: ["button", "Run"] },
      { see: "42" },
      { click: ["tab", "Call it from code"] },
    ],
  },
  {
    ...STILL,
    path: "docs/pictures/page-phone.png",
    theme: "light",
    width: 390,
    height: 844,
    scale: 2,
    steps: [{ open: "/" }, { see: "All clients" }],
  },
  {
    ...STILL,
    path: "docs/pictures/view.png",
    host: "inspector",
    theme: "light",
    width: 1280,
    height: 700,
    steps: WORDS,
  },
  {
    path: "docs/pictures/film.png",
    kind: "film",
    theme: "light",
    width: 960,
    height: 600,
    scale: 2,
    mostBytes: 700 * KIB,
    steps: [
      { open: "/" },
      { see: "All clients" },
      { hold: 1_500 },
      { type: "adds", into: "Search tools" },
      { hold: 500 },
      { press: "Enter" },
      { see: "The first number to add." },
      { type: "20", into: "a" },
      { type: "22", into: "b" },
      { click: ["button", "Run"] },
      { see: "42" },
      { show: "POST /tools/call" },
      { hold: 1_800 },
      { click: ["tab", "Call it from code"] },
      { hold: 2_000 },
      { click: ["link", "Connect"] },
      { see: "Claude Code" },
      { hold: 2_500 },
    ],
  },
];
