import type { Chance } from "./chance.ts";
import type { SimulatedCreative } from "./creatives.ts";
import { MEDIA_URL, type ScreenNetwork } from "./screen-network.ts";

/** What the simulated network has its screen show. */
export class Programme {
  readonly #chance: Chance;
  readonly #creatives: readonly SimulatedCreative[];
  readonly #screens: ScreenNetwork;
  readonly #checked = new Set<string>();
  #spots = 0;

  constructor(chance: Chance, creatives: readonly SimulatedCreative[], screens: ScreenNetwork) {
    this.#chance = chance;
    this.#creatives = creatives;
    this.#screens = screens;
  }

  /** How many spots were planned. */
  get spots(): number {
    return this.#spots;
  }

  /** Whether spots tell the size and digest of what has this URL. */
  isChecked(url: string): boolean {
    return this.#checked.has(url);
  }

  /** What the network gives out next: mostly both items, mostly of a few creatives, some with size and digest. */
  plan(): void {
    const turn = this.#spots++;
    const chance = this.#chance;
    const kind = chance.weighed({ both: 90, news: 4, ad: 4, none: 2 }, `spot ${turn}`);
    const item = (which: string) => this.#itemOf(`${which} of spot ${turn}`);
    this.#screens.plan({
      newsFirst: chance.happens(0.5, `order of spot ${turn}`),
      news: kind === "both" || kind === "news" ? { ...item("news"), newsType: "general" } : null,
      ad: kind === "both" || kind === "ad" ? item("ad") : null,
    });
  }

  #itemOf(question: string) {
    // Squared: some creatives come again and again, others hardly ever.
    const at = Math.floor(this.#chance.roll(question) ** 2 * this.#creatives.length);
    const { item, file } = this.#creatives[at] as SimulatedCreative;
    const url = `${MEDIA_URL}/${item.url}`;
    const checked = at % 3 === 0;
    if (checked) this.#checked.add(url);
    return checked ? { ...item, size: file.bytes.length, md5: file.md5 } : item;
  }
}
