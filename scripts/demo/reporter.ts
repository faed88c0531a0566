import type { LedgerEvent, LedgerItem } from "./ledger.ts";

/** Turns what happens into lines for people. */
export interface Reporter {
  title(text: string): void;
  fact(name: string, text: string): void;
  event(event: LedgerEvent): void;
  end(ok: boolean, text: string): void;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Writes to `out`; in colour on a terminal, unless NO_COLOR is set. */
export function newReporter(
  out: { readonly isTTY?: boolean; write(text: string): unknown } = process.stdout,
  env = process.env,
  now: () => Date = () => new Date(),
): Reporter {
  const coloured = out.isTTY === true && !env.NO_COLOR;
  const paint = (style: keyof typeof CODES, text: string) => (coloured ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text);
  const line = (text: string) => out.write(`${text}\n`);
  return {
    title: (text) => line(`\n${paint("bold", text)}`),
    fact: (name, text) => line(`  ${name.padEnd(10)} ${paint("cyan", text)}`),
    event(event) {
      const { text, style, items } = described(event);
      const names = items.map(nameOf).join(", then ");
      line(
        `${paint("dim", now().toTimeString().slice(0, 8))}  spot ${event.spot}  ${paint(style, text.padEnd(18))}${names}`,
      );
    },
    end: (ok, text) => line(`\n${paint(ok ? "green" : "red", text)}`),
  };
}

function described(event: LedgerEvent): { text: string; style: keyof typeof CODES; items: readonly LedgerItem[] } {
  switch (event.kind) {
    case "issued":
      return { text: "received", style: "yellow", items: event.items };
    case "proved":
      return { text: "shown and proved", style: "green", items: [event.item] };
    case "refused":
      return { text: `proof ${event.verdict}`, style: "red", items: [event.item] };
  }
}

/** `…/media/ad-coffee.mp4?v=1` is "ad-coffee.mp4", `…/news-weather/index.html` is "news-weather". */
function nameOf({ id, url }: LedgerItem): string {
  const parts = URL.parse(url)?.pathname.split("/").filter(Boolean) ?? [];
  const name = parts.at(-1) === "index.html" ? parts.at(-2) : parts.at(-1);
  return name ?? id;
}
