import type { LedgerEvent, LedgerItem } from "./ledger.ts";

/** Turns what happens into lines for people. */
export interface Telling {
  title(text: string): void;
  fact(name: string, text: string): void;
  event(event: LedgerEvent): void;
  end(ok: boolean, text: string): void;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Writes to `out`; in colour on a terminal, unless NO_COLOR is set. */
export function telling(
  out: { readonly isTTY?: boolean; write(text: string): unknown } = process.stdout,
  env = process.env,
  now: () => Date = () => new Date(),
): Telling {
  const coloured = out.isTTY === true && !env.NO_COLOR;
  const paint = (style: keyof typeof CODES, text: string) => (coloured ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text);
  const line = (text: string) => out.write(`${text}\n`);
  const stamped = (text: string) => line(`${paint("dim", now().toTimeString().slice(0, 8))}  ${text}`);
  return {
    title: (text) => line(`\n${paint("bold", text)}`),
    fact: (name, text) => line(`  ${name.padEnd(10)} ${paint("cyan", text)}`),
    event(event) {
      if (event.kind === "issued") stamped(`spot ${event.spot}   ${event.items.map(nameOf).join(", then ")}`);
      else if (event.kind === "proved")
        stamped(`spot ${event.spot}   ${paint("green", "shown and proved")}  ${nameOf(event.item)}`);
      else stamped(`spot ${event.spot}   ${paint("red", `proof ${event.verdict}`)}  ${nameOf(event.item)}`);
    },
    end: (ok, text) => line(`\n${paint(ok ? "green" : "red", text)}`),
  };
}

/** `…/media/ad-coffee.mp4?v=1` is "ad-coffee.mp4", `…/news-weather/index.html` is "news-weather". */
function nameOf({ id, url }: LedgerItem): string {
  const parts = URL.parse(url)?.pathname.split("/").filter(Boolean) ?? [];
  const name = parts.at(-1) === "index.html" ? parts.at(-2) : parts.at(-1);
  return name ?? id;
}
