import { type Browser, chromium, type Page } from "playwright";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { WorldFile } from "../../src/emulator/world/schema.ts";
import { nextSpot, running } from "../emulator/running.ts";
import { installedChromium } from "../support/machine/chromium.ts";

let browser: Browser;

beforeAll(async () => {
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({
    executablePath: installedChromium(),
    args: ["--disable-background-networking", "--disable-component-update", ...asRoot],
  });
});

afterAll(() => browser?.close());

/** Longer than a panel is wide, and without a place to break it at. */
const WORD = "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerk".repeat(4);
/** Turns what follows it around. */
const TURN = "\u202e";

describe("the dashboard of an unusual world", () => {
  it("keeps everything in its panel and every button within reach, whatever things are called", async () => {
    for (const width of [1440, 360]) {
      const { page } = await shown(worldOf(2, WORD), width);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      const buttons = ["Keep a snapshot", `Approve ${WORD} 1`, "Fault offline", "Success statuses: 200"];
      for (const name of buttons) await page.getByRole("button", { name, exact: true }).click({ trial: true });
    }
  });

  it("leaves ids as they are beside a title that turns letters around", async () => {
    const { page } = await shown(worldOf(2, `Hall ${TURN}`), 1440);
    for (const [panel, id] of [
      ["Screens", "screen_1"],
      ["Locations", "loc_1"],
    ] as const) {
      expect(await drawnText(page, panel, id)).toBe(id);
    }
  });

  it("shows of thousands what waits for a decision and what has just played, and how many there are", async () => {
    const { page, emulator } = await shown(worldOf(3_000, "Hall"), 1440);
    await page.getByRole("button", { name: "Approve Hall 2999" }).waitFor();
    await nextSpot(emulator, "org_a", "screen_2500");
    await page.getByRole("region", { name: "Screens" }).getByText("screen_2500").waitFor();
    await page.getByText("8 of 3,000").waitFor();
    await page.getByText("200 of 3,000").waitFor();
  });
});

async function shown(world: WorldFile, width: number) {
  const emulator = await running({ world });
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  onTestFinished(() => page.close());
  await page.goto(emulator.controlUrl);
  await page.getByRole("listitem").filter({ hasText: "loc_0" }).first().waitFor();
  return { page, emulator };
}

/** So many locations, each with a screen; the last is in review. */
function worldOf(many: number, title: string): WorldFile {
  const numbers = Array.from({ length: many }, (_, index) => index);
  const locations = numbers.map((index) => ({
    location_id: `loc_${index}`,
    title: `${title} ${index}`,
    venue_type_id: "101",
    lat: 52.5,
    long: 13.4,
    opening_168: Array.from({ length: 168 }, () => true),
    visitors_7: [1, 1, 1, 1, 1, 1, 1],
    status: index === many - 1 ? ("REVIEW" as const) : ("APPROVED" as const),
  }));
  const screens = numbers.map((index) => ({
    screen_id: `screen_${index}`,
    title: `${title} ${index}`,
    venue_type_id: "101",
    location_id: `loc_${index}`,
  }));
  return { organizations: [{ org_token: "org_a", locations, screens }] };
}

/** The characters of an id from left to right as they are drawn. */
function drawnText(page: Page, panel: string, id: string): Promise<string> {
  const found = page.getByRole("region", { name: panel }).getByText(id, { exact: true });
  return found.evaluate((element) => {
    const text = element.firstChild;
    if (text === null) return "";
    const drawn = [...(text.textContent ?? "")].map((letter, index) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + 1);
      return { letter, left: range.getBoundingClientRect().left };
    });
    return drawn
      .sort((one, other) => one.left - other.left)
      .map(({ letter }) => letter)
      .join("");
  });
}
