import { type Browser, chromium, type Page } from "playwright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { healthPage } from "../../src/player/health/health-page.ts";
import type { HealthReport, ScreenHealth } from "../../src/player/health/health-report.ts";
import { installedChromium } from "../support/machine/chromium.ts";

/** A festival of colours in Arabic, whose number is a part of the name. */
const FROM_THE_RIGHT = "مهرجان الألوان (1)";

const screen: ScreenHealth = {
  status: "ok",
  onAir: { kind: "ad", id: "ad-1", title: FROM_THE_RIGHT, durationMs: 6_000, since: "2026-10-21T07:28:00.000Z" },
  next: null,
  lastError: null,
  displayTrouble: null,
  panel: { state: "unknown", by: [] },
};

const report: HealthReport = {
  ...screen,
  screens: ["lobby", "s".repeat(64)].map((screenId) => ({ screenId, ...screen })),
  network: "ok",
  record: { rows: 12, unwritten: 0, signedAt: null, trouble: null },
  proofs: { owed: 1, delivered: 20, refused: 1, expired: 0, oldestDeadline: null, lastRefused: null },
  today: {
    ...{ slots: 12, fills: 11, shown: { news: 10, ad: 9 }, failed: { stalled: 2 }, delayMs: null },
    proofs: { owed: 2, delivered: 17, refused: 0, expired: 0 },
  },
  cache: { files: 12, bytes: 34_000_000, maxBytes: 8 * 1024 ** 3 },
  data: { month: "2026-10", usedBytes: 0, monthlyBytes: null, refused: 0 },
  versions: { spotloop: "0.1.0", electron: "45.4.1" },
  upgrade: null,
  restarts: 0,
  recovery: { rendering: "hardware", softwareUntil: null, safeMode: false, restartsInARow: 0, lastTrouble: null },
  remote: { broker: null, shown: null, messageSince: null, displays: "on" },
  clock: { wall: "2026-10-21T07:28:03.000Z", offsetMs: -250, uncertaintyMs: 40, bootId: "boot-1" },
  lastError: null,
};

let browser: Browser;
let page: Page;

beforeAll(async () => {
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath: installedChromium(), args: asRoot });
  page = await browser.newPage();
  await page.setContent(healthPage(report));
});

afterAll(() => browser?.close());

it.each([360, 1200])(
  "fits a window %i pixels wide, and lets values be read beside the longest screen ID",
  async (width) => {
    await page.setViewportSize({ width, height: 740 });
    const found = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      values: Math.min(...[...document.querySelectorAll("dd")].map((value) => value.clientWidth)),
    }));

    expect(found.page).toBeLessThanOrEqual(width);
    expect(found.values).toBeGreaterThan(150);
  },
);

it("keeps what stands behind a title that is written from right to left behind it", async () => {
  await page.setViewportSize({ width: 1200, height: 740 });
  const [title, quote, since] = await page.evaluate(
    (parts) => {
      const text = document.querySelector("dd")?.firstChild;
      return parts.map((part) => {
        const range = document.createRange();
        const at = text?.textContent?.indexOf(part) ?? -1;
        if (text === null || text === undefined || at < 0) return Number.NaN;
        range.setStart(text, at);
        range.setEnd(text, at + part.length);
        return range.getBoundingClientRect().right;
      });
    },
    [FROM_THE_RIGHT, "”", "since"],
  );

  expect(quote).toBeGreaterThan(title ?? Number.NaN);
  expect(since).toBeGreaterThan(quote ?? Number.NaN);
});
