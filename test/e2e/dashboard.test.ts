import { type Browser, chromium, type Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { virtualClock } from "../../src/emulator/clock.ts";
import { type Emulator, startEmulator } from "../../src/emulator/main.ts";
import { ask, call, json, MONDAY_8, nextSpot } from "../emulator/running.ts";
import { installedChromium } from "../support/machine/chromium.ts";

let emulator: Emulator;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  const clock = virtualClock(undefined, { mode: "frozen", now: MONDAY_8 });
  emulator = await startEmulator({ seed: 1, clock });
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({
    executablePath: installedChromium(),
    args: ["--disable-background-networking", "--disable-component-update", ...asRoot],
  });
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("console", (said) => ["error", "warning"].includes(said.type()) && complaints.push(said.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(emulator.controlUrl);
  await page.getByText("live", { exact: true }).waitFor();
});

afterAll(async () => {
  await browser?.close();
  await emulator?.close();
});

/** A panel of the page, by its heading. */
function panel(name: string) {
  return page.getByRole("region", { name });
}

/** A time's time of day as the page writes it. */
function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}

/** What a browser does to a tab that another one comes in front of; under Playwright every tab counts as seen. */
async function setHidden(tab: Page, hidden: boolean): Promise<void> {
  await tab.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

const PUT = { method: "PUT" } as const;

describe("the dashboard", () => {
  it("approves a location", async () => {
    await page.getByRole("button", { name: "Approve Museum of the Tides" }).click();
    await panel("Locations").getByRole("listitem").filter({ hasText: "loc_museum" }).getByText("APPROVED").waitFor();
    expect(await page.getByRole("button", { name: "Approve Museum of the Tides" }).count()).toBe(0);
  });

  it("approves a creative, by the keyboard alone", async () => {
    await page.getByRole("button", { name: "Approve Meridian Pictures: The Long Horizon" }).focus();
    await page.keyboard.press("Enter");
    await panel("Creative approvals")
      .getByRole("listitem")
      .filter({ hasText: "car_cinema" })
      .getByText("approved")
      .waitFor();
  });

  it("switches a fault on and off", async () => {
    const offline = page.getByRole("button", { name: "Fault offline", exact: true });
    await offline.click();
    await panel("Faults").getByText("struck 0 of 0").waitFor();
    expect(await offline.getAttribute("aria-pressed")).toBe("true");
    await expect(fetch(`${emulator.baseUrl}/v3/vendor/org_demo/1/rt_ad/screen_demo`)).rejects.toThrow();
    await panel("Faults").getByText("struck 1 of 1").waitFor();
    await offline.click();
    await panel("Faults").getByText("no faults in force").waitFor();
    expect(await offline.getAttribute("aria-pressed")).toBe("false");
  });

  it("sets the clock's speed and advances it", async () => {
    await page.getByRole("button", { name: "Advance the clock by 1 min" }).click();
    await panel("Clock").getByText("08:01:00").waitFor();
    await page.getByRole("combobox", { name: "Speed of the clock" }).selectOption("60");
    await expect.poll(() => emulator.clock.reading()).toEqual({ mode: "frozen", now: MONDAY_8 + 60_000, speed: 60 });
  });

  it("sets a switch of the behaviour", async () => {
    const both = (of: string) => ["201", "200"].map((status) => page.getByRole("button", { name: `${of}: ${status}` }));
    const [usual, other] = both("Success statuses");
    expect(await usual?.getAttribute("aria-pressed")).toBe("true");
    await other?.click();
    await expect.poll(() => other?.getAttribute("aria-pressed")).toBe("true");
    expect(await usual?.getAttribute("aria-pressed")).toBe("false");
    const { switches } = json(await ask(emulator.controlUrl, "/control/behaviour"));
    expect(switches.createStatus.value).toBe(200);
  });

  it("keeps a snapshot, restores it, and resets once that was said twice", async () => {
    await page.getByRole("textbox", { name: "Name of the snapshot" }).fill("before");
    await page.keyboard.press("Enter");
    await panel("Snapshots and reset").getByText("before").waitFor();

    await page.getByRole("button", { name: "Reset to the world it started with" }).click();
    await panel("Locations").getByRole("listitem").filter({ hasText: "loc_museum" }).getByText("APPROVED").waitFor();
    await page.getByRole("button", { name: "Really reset?" }).click();
    await panel("Locations").getByRole("listitem").filter({ hasText: "loc_museum" }).getByText("REVIEW").waitFor();
    await panel("Clock").getByText("08:00:00").waitFor();

    await page.getByRole("button", { name: "Restore the snapshot before" }).click();
    await panel("Locations").getByRole("listitem").filter({ hasText: "loc_museum" }).getByText("APPROVED").waitFor();
    await panel("Clock").getByText("08:01:00").waitFor();
    await page.getByRole("button", { name: "Remove the snapshot before" }).click();
    await panel("Snapshots and reset").getByText("no snapshots kept").waitFor();
  });

  it("shows a spot, then its proof, then a violation as they happen", async () => {
    const spot = await nextSpot(emulator);
    await panel("Ledger").getByText("open").waitFor();
    await panel("Screens")
      .getByText(/ for 0 s$/)
      .waitFor();
    const order = spot.newsFirst ? [spot.news, spot.ad] : [spot.ad, spot.news];
    for (const { duration, pop } of order) {
      emulator.clock.advance(duration);
      expect((await call(emulator, pop)).status).toBe(200);
    }
    await panel("Ledger").getByText("proved").waitFor();
    await panel("Screens")
      .getByText(/^no proof for/)
      .waitFor();
    await panel("Calls").getByText("/pop/").first().waitFor();
    await panel("Violations").getByText("none: every proof was an honest one").waitFor();
    await call(emulator, order[0].pop);
    await panel("Violations").getByText("duplicate-after-success").waitFor();
  });

  it("draws its plots and says in words what is on them", async () => {
    expect(await panel("Pop delay").getByRole("img").getAttribute("aria-label")).toMatch(/^2 proofs; the longest came/);
    expect(await panel("Spots, fills and proofs").getByRole("img").getAttribute("aria-label")).toBe(
      "1 spots, 1 proved",
    );
    expect(await page.locator(".plot canvas").count()).toBe(2);
  });

  it("lets the page run its own files only, and serves no others", async () => {
    const { status, headers } = await ask(emulator.controlUrl, "/");
    expect(status).toBe(200);
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect((await ask(emulator.controlUrl, "/dashboard/page.js")).headers["content-type"]).toMatch(/^text\/javascript/);
    for (const path of ["/dashboard/..%2Fmain.js", "/dashboard/../main.js", "/dashboard/page.ts", "/dashboard/none.js"])
      expect((await ask(emulator.controlUrl, path)).status).toBe(404);
    expect((await ask(emulator.controlUrl, "/", { headers: { host: "elsewhere.example" } })).status).toBe(403);
  });

  it("looks again after an answer that broke off in the middle", async () => {
    await page.route("**/dashboard/view", (route) => route.fulfill({ body: '{"clock":' }), { times: 1 });
    const anHourOn = emulator.clock.now() + 3_600_000;
    await page.getByRole("button", { name: "Advance the clock by 1 h" }).click();
    await panel("Clock").getByText(timeOfDay(anHourOn)).waitFor();
  });

  it("works in an eighth tab, and follows again in the first one once that is seen", async () => {
    const context = await browser.newContext();
    const tabs: Page[] = [];
    for (let opened = 0; opened < 8; opened += 1) {
      const last = tabs.at(-1);
      if (last !== undefined) await setHidden(last, true);
      const tab = await context.newPage();
      await tab.goto(emulator.controlUrl);
      await tab.getByText("live", { exact: true }).waitFor();
      tabs.push(tab);
    }
    const [first, eighth] = [tabs[0], tabs[7]];
    await ask(emulator.controlUrl, "/control/cars?org_token=org_demo");
    const meanwhile = (tab: Page | undefined) => tab?.getByText("GET /control/cars?org_token=org_demo");
    await meanwhile(eighth)?.waitFor();
    expect(await meanwhile(first)?.count()).toBe(0);
    if (first !== undefined) await setHidden(first, false);
    await meanwhile(first)?.waitFor();
    await context.close();
  });

  it("leaves its own looking out of the journal", () => {
    expect(emulator.calls().filter(({ path }) => path === "/" || path === "/dashboard/view")).toEqual([]);
  });

  it("has nothing to complain about in the browser's console", () => {
    expect(complaints).toEqual([]);
  });

  it("says where everybody sees it what the emulator refused, until something works again", async () => {
    for (let kept = 0; kept < 20; kept += 1) await ask(emulator.controlUrl, `/control/snapshots/${kept}`, PUT);
    const name = page.getByRole("textbox", { name: "Name of the snapshot" });
    await name.fill("one-more");
    await page.keyboard.press("Enter");
    const refused = page.getByText("refused: at most 20 snapshots");
    await refused.waitFor();
    expect((await refused.boundingBox())?.height).toBeGreaterThan(20);
    await page.getByRole("button", { name: "Remove the snapshot 0" }).click();
    const done = page.getByText("the snapshot 0 is gone");
    await done.waitFor({ state: "attached" });
    expect((await done.boundingBox())?.height).toBeLessThan(2);
    for (let kept = 1; kept < 20; kept += 1) {
      await ask(emulator.controlUrl, `/control/snapshots/${kept}`, { method: "DELETE" });
    }
  });

  it("comes back by itself when the emulator was away", async () => {
    const control = Number(new URL(emulator.controlUrl).port);
    await emulator.close();
    await page.getByText("reconnecting", { exact: true }).waitFor();
    emulator = await startEmulator({ seed: 1, ports: { control } });
    await page.getByText("live", { exact: true }).waitFor();
    await nextSpot(emulator);
    await panel("Calls").getByText("/rt_ad/screen_demo").waitFor();
    await panel("Violations").getByText("none: every proof was an honest one").waitFor();
  });
});
