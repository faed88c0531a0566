import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { installedChromium } from "../support/machine/chromium.ts";
import { type Footprint, KINDS } from "./footprint.ts";

const WIDTH = 1_000;
const CHART_HEIGHT = 260;
const COLOURS = ["#2a4d6e", "#e8654f", "#f2b84b", "#5fb8a5", "#8a7fb5", "#56606b"];
const HOUR_MS = 3_600_000;

/** A picture, PNG, of what a player took up over time: memory by process, and what it has open. */
export async function plot(samples: readonly Footprint[]): Promise<Buffer> {
  const hours = samples.map(({ atMs }) => atMs / HOUR_MS);
  const memory = KINDS.map((kind) => ({ label: kind, values: samples.map(({ memoryMb }) => memoryMb[kind]) }));
  const all = {
    label: "all",
    values: samples.map(({ memoryMb }) => KINDS.reduce((sum, one) => sum + memoryMb[one], 0)),
  };
  const open = [
    { label: "file handles", values: samples.map(({ handles }) => handles) },
    { label: "threads", values: samples.map(({ threads }) => threads) },
    { label: "processes", values: samples.map(({ processes }) => processes) },
  ];
  return pictureOf([
    { title: "Memory (PSS), MB, over hours", hours, lines: [all, ...memory] },
    { title: "Open at a time, over hours", hours, lines: open },
  ]);
}

interface Chart {
  readonly title: string;
  readonly hours: readonly number[];
  readonly lines: readonly { readonly label: string; readonly values: readonly number[] }[];
}

async function pictureOf(charts: readonly Chart[]): Promise<Buffer> {
  const uplot = join(ROOT, "node_modules/uplot/dist");
  const style = readFileSync(join(uplot, "uPlot.min.css"), "utf8");
  const browser = await chromium.launch({ executablePath: installedChromium() });
  try {
    const page = await browser.newPage({ viewport: { width: WIDTH + 40, height: 100 }, deviceScaleFactor: 1.5 });
    await page.setContent(`<style>${style} body { margin: 20px; background: #fff; font-family: sans-serif }</style>`);
    await page.addScriptTag({ path: join(uplot, "uPlot.iife.min.js") });
    for (const chart of charts) await page.evaluate(drawing(chart));
    return await page.screenshot({ fullPage: true });
  } finally {
    await browser.close();
  }
}

/** The page's own code for one chart. */
function drawing({ title, hours, lines }: Chart): string {
  const series = lines.map(({ label }, index) => ({
    label,
    stroke: COLOURS[index],
    width: 1.5,
    points: { show: false },
  }));
  const options = {
    ...{ title, width: WIDTH, height: CHART_HEIGHT, legend: { live: false } },
    scales: { x: { time: false }, y: { range: { min: { hard: 0, mode: 1, soft: 0, pad: 0 }, max: { pad: 0.1 } } } },
    series: [{ label: "hours" }, ...series],
  };
  return `void new uPlot(${JSON.stringify(options)}, ${JSON.stringify([hours, ...lines.map(({ values }) => values)])}, document.body)`;
}
