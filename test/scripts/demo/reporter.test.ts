import { describe, expect, it } from "vitest";
import type { LedgerItem } from "../../../scripts/demo/ledger.ts";
import { newReporter } from "../../../scripts/demo/reporter.ts";

const item = (path: string): LedgerItem => ({ id: "item-1", url: `http://127.0.0.1:8788/${path}`, pops: [] });
const noon = () => new Date(2026, 0, 1, 12, 0, 5);

function told(isTTY: boolean, env: Record<string, string> = {}) {
  let text = "";
  const out = { isTTY, write: (more: string) => (text += more) };
  return { tell: newReporter(out, env, noon), text: () => text };
}

describe("the demo's lines", () => {
  it("name a spot's creatives by their files, or by the folder of a page", () => {
    const { tell, text } = told(false);
    tell.event({ kind: "issued", spot: 1, items: [item("a/news-weather/index.html?v=1"), item("a/ad-coffee.mp4")] });
    expect(text()).toBe("12:00:05  spot 1  received          news-weather, then ad-coffee.mp4\n");
  });

  it("say of each proof whether it counts", () => {
    const { tell, text } = told(false);
    tell.event({ kind: "proved", spot: 2, item: item("ad.png") });
    tell.event({ kind: "refused", spot: 3, item: item("ad.png"), verdict: "late" });
    expect(text()).toBe("12:00:05  spot 2  shown and proved  ad.png\n12:00:05  spot 3  proof late        ad.png\n");
  });

  it("are in colour on a terminal only, and not where NO_COLOR is set", () => {
    const colours = [told(true), told(true, { NO_COLOR: "1" }), told(false)].map(({ tell, text }) => {
      tell.end(true, "Done.");
      return text().includes("\x1b[");
    });
    expect(colours).toEqual([true, false, false]);
  });
});
