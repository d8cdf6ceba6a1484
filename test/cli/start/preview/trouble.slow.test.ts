/** The preview page under `npm start`, in Chromium, when something is wrong: with a view, a sample, an address, a request. */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, launch } from "../../../support/node/chromium.ts";
import { type Fork, makeFork, type Started, start, until } from "../../../support/node/fork.ts";
import { tool } from "../../../support/node/project.ts";

const executablePath = findChromium("test/cli/start/preview/trouble.slow.test.ts");

/** @param other an origin that it posts to */
const hostileView = (other: string) => `// Before the script of the view, and so in its frame.
const attempts: Record<string, () => unknown> = {
  "parent.document": () => parent.document.title,
  "parent.location": () => (parent.location.href = "about:blank"),
  "top.location": () => ((top as Window).location.href = "about:blank"),
  "window.open": () => window.open("about:blank"),
  localStorage: () => localStorage.length,
};
const tried = Object.entries(attempts).map(([name, attempt]) => {
  try {
    return attempt() === null ? name + " refused" : name + " allowed";
  } catch {
    return name + " refused";
  }
});
const { featurePolicy } = document as unknown as { featurePolicy: { allowsFeature(name: string): boolean } };
const may = ["microphone", "camera"].filter((name) => featurePolicy.allowsFeature(name));
document.body.innerHTML =
  "<h1>" + tried.join(", ") + "</h1><h2>May use " + may + "</h2><button id=post>Post</button><button id=break>Break</button>" +
  '<button id=reject>Reject</button><iframe name=inside title=Inside></iframe><form method=post target=inside action="${other}"></form>';
const on = (id: string, act: () => unknown) => document.getElementById(id)?.addEventListener("click", act);
on("post", () => document.querySelector("form")?.submit());
on("break", function breaks() {
  throw new Error("It broke");
});
on("reject", async function rejects() {
  throw new Error("It was late");
});
`;

describe.skipIf(!executablePath)("the preview page, when something is wrong", () => {
  let fork: Fork;
  let served: Started;
  let other: Server;
  let browser: Browser;
  let page: Page;
  let posted = 0;
  let hostile: string;
  const address = () => /^ {2}Views {5}(http:\/\/127\.0\.0\.1:\d+)\/$/m.exec(served.printed())?.[1] as string;
  const view = () => page.frameLocator("#stage iframe").frameLocator("iframe");
  const log = () => page.getByRole("list", { name: "What the view asks of its host" });

  beforeAll(async () => {
    other = createServer((_, response) => {
      posted++;
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    hostile = hostileView(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    fork = makeFork({
      "tide/hostile.ts": tool({ view: '{ permissions: ["microphone"] }', annotations: "{ readOnly: true }" }),
      "tide/hostile.view.ts": hostile,
      "tide/order.ts": tool({ run: '() => "real"' }),
      "tide/order.view.ts": 'document.body.textContent = "An order";\n',
    });
    [served, browser] = await Promise.all([start(fork), launch(executablePath as string)]);
    page = await (await browser.newContext()).newPage();
    await until(async () => address() !== undefined);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    other?.close();
    fork?.remove();
  });

  it("keeps a view in its frame: it reaches no other page and no server, but has what its tool declares", async () => {
    await page.goto(`${address()}/#/Tide_Hostile`);
    const names = ["parent.document", "parent.location", "top.location", "window.open", "localStorage"];
    const heading = view().getByRole("heading", { level: 1 });
    expect(await heading.textContent()).toBe(names.map((name) => `${name} refused`).join(", "));
    expect(await view().getByRole("heading", { level: 2 }).textContent()).toBe("May use microphone");
    await view().getByRole("button", { name: "Post" }).click();
    await log().getByText("(frame-src)").waitFor();
    expect(posted).toBe(0);
    expect(page.context().pages()).toHaveLength(1);
  });

  it("says where a view has thrown an error", async () => {
    await view().getByRole("button", { name: "Break" }).click();
    await log()
      .getByText(/^Uncaught Error: It broke\s+at .*breaks.* \(page:\d+:\d+\)/)
      .waitFor();
    await view().getByRole("button", { name: "Reject" }).click();
    await log()
      .getByText(/^Uncaught \(in promise\) Error: It was late\s+at .*rejects.* \(page:\d+:\d+\)/)
      .waitFor();
  });

  it("shows what is wrong with the last save until it is corrected; the view stays", async () => {
    fork.write("tools/tide/hostile.view.ts", 'import "./_missing.ts";\n');
    const alert = page.getByRole("alert");
    await alert.getByText(/tools\/tide\/hostile\.view\.ts:1\s+problem: .*_missing/).waitFor();
    await view().getByRole("button", { name: "Break" }).waitFor();
    fork.write("tools/tide/hostile.view.ts", hostile);
    await alert.waitFor({ state: "hidden" });
  });

  it("says that a tool is not called by itself, and that there is no such view", async () => {
    const waiting = page.getByText("Call the tool, or show a result without a call");
    await page.goto(`${address()}/#/Tide_Order`);
    await waiting.waitFor();
    await view().getByText("An order").waitFor();
    await page.getByRole("button", { name: "Call the tool" }).click();
    await waiting.waitFor({ state: "hidden" });
    await page.goto(`${address()}/#/Nope`);
    await page.getByText('There is no view of "Nope"').waitFor();
    await page.goto(`${address()}/#/`);
    await page.getByText("Choose a view").waitFor();
  });

  it.each([
    '{ "harbour": "Brest" }',
    '{ "input": { "harbour": "Brest" }, "resutl": {} }',
    '{ "result": "Brest" }',
    "{}",
  ])("calls nothing for a file that is no sample: %s", async (text) => {
    const calls = () => served.printed().split("Tide.Hostile@").length;
    const before = calls();
    fork.write("tools/tide/hostile.view.sample.json", text);
    await page.goto(`${address()}/#/`);
    await page.goto(`${address()}/#/Tide_Hostile`);
    await page.getByText("tools/tide/hostile.view.sample.json is not a sample: write").waitFor();
    // A call of the other tool, which is logged after all that were before it.
    await page.goto(`${address()}/#/Tide_Order`);
    await page.getByRole("button", { name: "Call the tool" }).click();
    const ofOrder = () => served.printed().split("Tide.Order@").length;
    const orders = ofOrder();
    await page.getByRole("button", { name: "Call the tool" }).click();
    await until(async () => ofOrder() > orders);
    expect(calls()).toBe(before);
  });

  it.each(["//", "/sandbox?csp=%1b]0;evil%07", "/sandbox?csp="])(
    "answers 400, and prints nothing: %s",
    async (path) => {
      const { port } = new URL(address());
      const status = await new Promise((resolve, reject) => {
        const headers = { host: `localhost:${port}` };
        request({ host: "127.0.0.1", port, path, headers }, (response) => resolve(response.resume().statusCode))
          .on("error", reject)
          .end();
      });
      expect(status).toBe(400);
      expect(served.printed()).not.toMatch(/evil|preview page:/);
    },
  );
});
