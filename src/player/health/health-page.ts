import { createHash } from "node:crypto";
import type { Sums } from "../proofs/day-report.ts";
import type { HealthReport, NextItem, RecordReport, ScreenHealth } from "./health-report.ts";

/** Often enough to follow a screen by. */
const REFRESH_SECONDS = 5;

/** The report for people: one page on its own, without scripts, that asks for itself again every few seconds. */
export function healthPage(report: HealthReport): string {
  const { proofs, cache, clock, versions, restarts, lastError, displayTrouble } = report;
  const rows: readonly Row[] = [
    ...(report.screens === undefined ? screenRows(report) : report.screens.map(screenRow)),
    ...(displayTrouble === null ? [] : ([["Display", displayTrouble]] as const)),
    ["Network", report.network === "portal" ? "A captive portal answers in the service's place" : "ok"],
    [
      "Proofs",
      `${proofs.owed} owed, ${proofs.delivered} delivered, ${proofs.refused} refused, ${proofs.expired} expired`,
    ],
    ["Last refused proof", refusedLine(proofs.lastRefused)],
    ["Today (UTC)", todayLine(report.today)],
    ["Soonest deadline", proofs.oldestDeadline === null ? "none" : timeOf(proofs.oldestDeadline)],
    ["Playout record", recordLine(report.record)],
    ["Media cache", `${cache.files} files, ${size(cache.bytes)} of ${size(cache.maxBytes)}`],
    ["Media downloaded", dataLine(report.data)],
    ["Clock", clockLine(clock)],
    ["Restarts", `${restarts} since the machine was started`],
    ["Last error", lastError ?? "none"],
    [
      "Versions",
      Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(", "),
    ],
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="${REFRESH_SECONDS}">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Spotloop: ${report.status}</title>
<style>${STYLE}</style>
</head>
<body>
<h1><span class="${report.status}">${report.status}</span> Spotloop</h1>
${picturesOf(report)}
<dl>
${rows.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join("\n")}
</dl>
<p><a href="/health">health</a> <a href="/metrics">metrics</a></p>
</body>
</html>
`;
}

/** The page's Content-Security-Policy: its own style and pictures, and nothing else. */
export function healthPagePolicy(): string {
  const style = createHash("sha256").update(STYLE).digest("base64");
  return `default-src 'none'; style-src 'sha256-${style}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.25rem; font-weight: 600; }
h1 span { padding: .15em .6em; border-radius: 1em; color: #fff; background: #767676; }
h1 .ok { background: #17803d; }
h1 .failing { background: #b91c1c; }
.screens { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; overflow-wrap: anywhere; }
img { display: block; width: 100%; min-height: 8rem; border-radius: .5rem; background: #0003; }
dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: .35rem 1.5rem; overflow-wrap: anywhere; }
dt { opacity: .7; }
dd { margin: 0; font-variant-numeric: tabular-nums; }
a { color: inherit; margin-right: 1rem; }
`;

function picturesOf({ screens }: HealthReport): string {
  if (screens === undefined) return '<img src="/screenshot.jpg" alt="What is on screen">';
  const pictures = screens.map(({ screenId }) => {
    return `<img src="/screenshot.jpg?screen=${encodeURIComponent(screenId)}" alt="What is on ${escaped(screenId)}">`;
  });
  return `<p class="screens">${pictures.join("")}</p>`;
}

type Row = readonly [name: string, text: string];

function screenRows({ onAir, next, status }: ScreenHealth): readonly Row[] {
  return [
    ["On air", onAirLine(onAir, status)],
    ["Next", next === null ? "nothing ready" : itemLine(next)],
  ];
}

function screenRow({ screenId, ...screen }: { readonly screenId: string } & ScreenHealth): Row {
  const { status, onAir, next } = screen;
  const follows = next === null ? "nothing ready" : itemLine(next);
  return [screenId, `${status}; ${onAirLine(onAir, status)}; next: ${follows}`];
}

/** Why nothing is rightly on air. */
const WITHHELD: Readonly<Partial<Record<ScreenHealth["status"], string>>> = {
  closed: "the location is closed",
  off: "the operator has switched the display off",
};

function onAirLine(onAir: ScreenHealth["onAir"], status: ScreenHealth["status"]): string {
  if (onAir === "house") return "House content";
  if (onAir === "override") return "The operator's message or test card";
  if (onAir === "nothing") return `Nothing: ${WITHHELD[status] ?? "nobody can see this screen"}`;
  return `${itemLine(onAir)}, since ${timeOf(onAir.since)}`;
}

function itemLine({ kind, title, id, durationMs }: NextItem): string {
  return `${kind === "ad" ? "Ad" : "News"} “${isolated(title === "" ? id : title)}”, ${seconds(durationMs)}`;
}

/** In Unicode's isolating marks: a title written from right to left turns nothing around that stands beside it. */
function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

function recordLine({ rows, unwritten, signedAt, trouble }: RecordReport): string {
  const signed = signedAt === null ? "not signed yet" : `signed at ${timeOf(signedAt)}`;
  const missing = unwritten === 0 ? "" : `, ${unwritten} not written`;
  return `${rows} rows${missing}, ${signed}${trouble === null ? "" : `: ${trouble}`}`;
}

function refusedLine(refused: HealthReport["proofs"]["lastRefused"]): string {
  if (!refused) return "none";
  const { at, kind, itemId, screenId, status } = refused;
  const answer = status === null ? "" : `, answered HTTP ${status}`;
  return `${at.slice(0, 10)} ${timeOf(at)}: ${kind} ${itemId} on ${screenId}${answer}`;
}

/** To the millisecond, with what is uncertain of it. */
function clockLine({ wall, offsetMs, uncertaintyMs }: HealthReport["clock"]): string {
  if (offsetMs === null) return `${wall}, the service's is not known yet`;
  const within = uncertaintyMs === null ? "" : `, give or take ${exactly(uncertaintyMs)}`;
  return `${wall}, the service's is ${exactly(Math.abs(offsetMs))} ${offsetMs < 0 ? "behind" : "ahead"}${within}`;
}

function exactly(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}

function todayLine({ slots, fills, shown, failed, delayMs }: Sums): string {
  const lost = Object.entries(failed).map(([reason, count]) => `${count} ${reason}`);
  const delay = delayMs === null ? "" : `, proofs delivered within ${seconds(delayMs.p95)} (95 %)`;
  return `${fills} spots in ${slots} slots, ${shown.news} news and ${shown.ad} ads shown, ${lost.length === 0 ? "none" : lost.join(", ")} failed${delay}`;
}

function dataLine({ month, usedBytes, monthlyBytes, refused }: HealthReport["data"]): string {
  const limit = monthlyBytes === null ? "" : ` of ${size(monthlyBytes)}`;
  return `${size(usedBytes)}${limit} in ${month}${refused === 0 ? "" : `, which ${refused} downloads were too much for`}`;
}

function timeOf(iso: string): string {
  return `${iso.slice(11, 19)} UTC`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function size(bytes: number): string {
  return bytes < GIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${(bytes / GIB).toFixed(1)} GiB`;
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
