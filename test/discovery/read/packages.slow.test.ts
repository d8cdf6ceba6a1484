/** Packages that people use on Workers: what wrangler bundles and runs, discovery and the server do. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runDiscovery } from "../../support/node/discovery.ts";
import { type Fork, makeFork, type Served, serveBuilt } from "../../support/node/fork.ts";
import { callOxp } from "../../support/node/long.ts";
import { execFileSync } from "../../support/node/processes.ts";

/** What a tool imports, what it returns, and what that is. An import of a package names it with its version. */
type Case = readonly [packages: string, imports: string, returned: string, value: unknown];

const CASES: readonly Case[] = [
  // CommonJS that requires modules of Node.
  [
    "jsonwebtoken@9.0.3",
    'import jwt from "jsonwebtoken"',
    '(jwt.verify(jwt.sign({ a: 1 }, "k"), "k") as { a: number }).a',
    1,
  ],
  ["pg@8.23.1", 'import pg from "pg"', 'new pg.Client("postgres://u@h:5/d").port', 5],
  ["mysql2@3.24.6", 'import mysql from "mysql2/promise"', "mysql.format('select ?', ['a'])", "select 'a'"],
  ["twilio@6.2.0", 'import twilio from "twilio"', 'twilio("ACx", "y").accountSid', "ACx"],
  [
    "@slack/web-api@8.2.0",
    'import { WebClient } from "@slack/web-api"',
    'new WebClient("x").slackApiUrl',
    "https://slack.com/api/",
  ],
  ["iconv-lite@0.7.3", 'import iconv from "iconv-lite"', 'iconv.decode(iconv.encode("ü", "win1252"), "win1252")', "ü"],
  [
    "rss-parser@3.13.0",
    'import Parser from "rss-parser"',
    '(await new Parser().parseString(`<rss version="2.0"><channel><title>hi</title></channel></rss>`)).title',
    "hi",
  ],
  ["winston@3.19.0", 'import winston from "winston"', 'winston.createLogger({ level: "warn" }).level', "warn"],
  ["qs@6.17.1", 'import qs from "qs"', 'qs.parse("a[b]=1")', { a: { b: "1" } }],
  ["xml2js@0.6.2", 'import { parseStringPromise } from "xml2js"', 'parseStringPromise("<a>1</a>")', { a: "1" }],
  ["form-data@4.0.6", 'import FormData from "form-data"', "typeof new FormData().append", "function"],
  ["jszip@3.10.2", 'import JSZip from "jszip"', 'Object.keys(new JSZip().file("a", "b").files)', ["a"]],
  ["bcryptjs@3.0.3", 'import bcrypt from "bcryptjs"', 'bcrypt.compare("a", await bcrypt.hash("a", 4))', true],
  [
    "crypto-js@4.2.0",
    'import CryptoJS from "crypto-js"',
    'CryptoJS.MD5("a").toString()',
    "0cc175b9c0f1b6a831c399e269772661",
  ],
  ["debug@4.4.3", 'import debug from "debug"', 'debug("a").namespace', "a"],
  ["mime-types@3.0.2", 'import mime from "mime-types"', 'mime.lookup("a.md")', "text/markdown"],
  [
    "sanitize-html@2.18.1",
    'import clean from "sanitize-html"',
    'clean("<b onclick=x>a</b><script>b</script>")',
    "<b>a</b>",
  ],
  ["handlebars@4.7.10", 'import Handlebars from "handlebars"', 'Handlebars.parse("{{a}}").body.length', 1],
  [
    "qrcode@1.5.4",
    'import QRCode from "qrcode"',
    '(await QRCode.toString("a", { type: "svg" })).startsWith("<svg")',
    true,
  ],
  ["exceljs@4.4.0", 'import ExcelJS from "exceljs"', 'new ExcelJS.Workbook().addWorksheet("a").name', "a"],
  [
    "nodemailer@10.6.1",
    'import nodemailer from "nodemailer"',
    'typeof nodemailer.createTransport({ host: "h" }).sendMail',
    "function",
  ],
  [
    "mailparser@3.14.2",
    'import { simpleParser } from "mailparser"',
    '(await simpleParser("Subject: hi\\n\\nbody")).subject',
    "hi",
  ],
  ["pino@10.4.0", 'import pino from "pino"', 'pino({ level: "warn" }).level', "warn"],
  ["html-to-text@10.0.1", 'import { convert } from "html-to-text"', 'convert("<p>a</p>")', "a"],
  // ES modules that import modules of Node by bare name, or that differ by condition and `browser` field.
  ["@paralleldrive/cuid2@3.0.4", 'import { createId } from "@paralleldrive/cuid2"', "createId().length", 24],
  ["cheerio@1.2.0", 'import * as cheerio from "cheerio"', 'cheerio.load("<p>hi</p>")("p").text()', "hi"],
  [
    "csv-parse@7.0.3",
    'import { parse } from "csv-parse/sync"',
    'parse("a,b\\n1,2", { columns: true })',
    [{ a: "1", b: "2" }],
  ],
  [
    "@aws-sdk/client-s3@3.1175.0",
    'import { S3Client } from "@aws-sdk/client-s3"',
    'new S3Client({ region: "auto" }).config.region()',
    "auto",
  ],
  ["postgres@3.4.9", 'import postgres from "postgres"', 'postgres("postgres://u@h:5/d").options.port[0]', 5],
  [
    "drizzle-orm@0.45.4",
    'import { integer, sqliteTable } from "drizzle-orm/sqlite-core"\nimport { getTableName } from "drizzle-orm"',
    'getTableName(sqliteTable("a", { id: integer() }))',
    "a",
  ],
  ["openai@7.57.0", 'import OpenAI from "openai"', 'new OpenAI({ apiKey: "x" }).baseURL', "https://api.openai.com/v1"],
  [
    "@anthropic-ai/sdk@1.14.0",
    'import Anthropic from "@anthropic-ai/sdk"',
    'new Anthropic({ apiKey: "x" }).baseURL',
    "https://api.anthropic.com",
  ],
  ["stripe@23.1.0", 'import Stripe from "stripe"', 'typeof new Stripe("x").charges.create', "function"],
  ["resend@6.38.0", 'import { Resend } from "resend"', 'typeof new Resend("x").emails.send', "function"],
  ["axios@1.21.1", 'import axios from "axios"', 'axios.getUri({ url: "/a", params: { b: 1 } })', "/a?b=1"],
  ["graphql-request@7.4.0", 'import { gql } from "graphql-request"', "gql`{ a }`", "{ a }"],
  ["@octokit/rest@22.0.1", 'import { Octokit } from "@octokit/rest"', "typeof new Octokit().repos.get", "function"],
  ["ethers@6.17.0", 'import { id } from "ethers"', 'id("a").length', 66],
  ["viem@2.57.20", 'import { parseEther } from "viem"', 'parseEther("1").toString()', "1000000000000000000"],
  [
    "linkedom@0.18.15",
    'import { parseHTML } from "linkedom"',
    'parseHTML("<p>a</p>").document.querySelector("p")?.textContent',
    "a",
  ],
  ["turndown@7.2.5", 'import Turndown from "turndown"', "new Turndown().escape('*')", "\\*"],
  // Modules that wrangler has in place of a package.
  ["node-fetch@3.3.2", 'import fetch from "node-fetch"', "typeof fetch", "function"],
  ["cross-fetch@4.1.0", 'import fetch from "cross-fetch"', "typeof fetch", "function"],
  // Others that are used much.
  ["papaparse@5.7.1", 'import Papa from "papaparse"', 'Papa.parse("a\\n1", { header: true }).data', [{ a: "1" }]],
  ["pinyin-pro@3.29.3", 'import { pinyin } from "pinyin-pro"', 'pinyin("中文")', "zhōng wén"],
  ["lodash@4.18.1", 'import _ from "lodash"', "_.chunk([1, 2, 3], 2)", [[1, 2], [3]]],
  [
    "luxon@3.7.2",
    'import { DateTime } from "luxon"',
    'DateTime.fromISO("2026-01-31").plus({ month: 1 }).toISODate()',
    "2026-02-28",
  ],
  ["date-fns@4.4.0", 'import { format } from "date-fns"', 'format(new Date(2026, 0, 2), "yyyy-MM-dd")', "2026-01-02"],
  ["uuid@14.0.3", 'import { v5 } from "uuid"', "v5('a', v5.URL).length", 36],
  ["nanoid@6.0.2", 'import { nanoid } from "nanoid"\nconst atLoad = nanoid()', "atLoad.length", 21],
  ["graphql@16.15.0", 'import { parse, print } from "graphql"', 'print(parse("{a}")).length', 7],
  ["marked@18.2.1", 'import { marked } from "marked"', 'marked.parse("*a*")', "<p><em>a</em></p>\n"],
  [
    "fast-xml-parser@5.12.1",
    'import { XMLParser } from "fast-xml-parser"',
    'new XMLParser().parse("<a>1</a>")',
    { a: 1 },
  ],
  ["semver@7.8.6", 'import semver from "semver"', 'semver.satisfies("1.2.3", "^1")', true],
  ["@noble/hashes@2.4.0", 'import { sha256 } from "@noble/hashes/sha2.js"', "sha256(new Uint8Array()).length", 32],
  ["tweetnacl@1.0.3", 'import nacl from "tweetnacl"', "nacl.randomBytes(8).length", 8],
  ["pako@3.0.3", 'import { deflate, inflate } from "pako"', "inflate(deflate(new Uint8Array([1]))).length", 1],
  ["pdf-lib@1.17.1", 'import { PDFDocument } from "pdf-lib"', "(await PDFDocument.create()).getPageCount()", 0],
  ["rrule@2.8.1", 'import { RRule } from "rrule"', "new RRule({ freq: RRule.DAILY, count: 2 }).all().length", 2],
  [
    "chrono-node@2.10.3",
    'import * as chrono from "chrono-node"',
    'chrono.parseDate("2026-01-02 12:00 UTC")?.toISOString().slice(0, 10)',
    "2026-01-02",
  ],
  ["decimal.js@10.6.0", 'import { Decimal } from "decimal.js"', 'new Decimal("0.1").plus("0.2").toString()', "0.3"],
  ["ulid@3.0.2", 'import { ulid } from "ulid"\nconst atLoad = ulid()', "atLoad.length", 26],
];

let folder: string;
let fork: Fork;
let server: Served | undefined;

/** The name of a case's tool: `slack-web-api` for @slack/web-api@8.2.0. */
function nameOf([packages]: Case): string {
  return packages
    .replace(/@[\d.]+$/, "")
    .replace(/\W+/g, "-")
    .replace(/^-/, "");
}

function pascal(name: string): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

beforeAll(async () => {
  // The fork is inside the folder of the packages, so that it finds them besides its own.
  folder = mkdtempSync(join(tmpdir(), "trivet-packages-"));
  writeFileSync(join(folder, "package.json"), "{}");
  const options = ["--no-audit", "--no-fund", "--ignore-scripts"];
  execFileSync("npm", ["install", ...options, ...CASES.map(([packages]) => packages)], { cwd: folder, stdio: "pipe" });
  const tools = CASES.map((one) => {
    const [, imports, returned] = one;
    const text = `// @ts-nocheck
import { defineTool } from "#tool";
${imports};
export default defineTool({ version: "1.0.0", description: "Uses a package.", run: async () => ${returned} });
`;
    return [`packages/${nameOf(one)}.ts`, text];
  });
  fork = makeFork(Object.fromEntries(tools), { parent: folder });
  // Installing and bundling 61 packages takes minutes on a busy machine.
}, 1_800_000);

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it("discovery accepts them", async () => {
  const { code, stderr } = await runDiscovery(join(fork.root, "tools"), join(fork.root, "src/generated/catalog.ts"));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

it("the server runs them", async () => {
  server = await serveBuilt(fork);
  const { url } = server;
  const called = CASES.map(async (one) => {
    const { body } = await callOxp(url, `Packages.${pascal(nameOf(one))}`, {});
    return [nameOf(one), body.result?.value];
  });
  expect(Object.fromEntries(await Promise.all(called))).toEqual(
    Object.fromEntries(CASES.map((one) => [nameOf(one), one[3]])),
  );
});
