import type { Item, ItemKind, Spot } from "../../../src/core/spot.ts";

/** An item to play with; anything can be set. */
export function anItem(kind: ItemKind, changes: Partial<Item> = {}): Item {
  return {
    kind,
    id: `${kind}-1`,
    title: `A ${kind} item`,
    form: "video",
    mimeType: "video/mp4",
    widthPx: 1280,
    heightPx: 720,
    durationMs: 5_000,
    url: `https://media.example/${kind}.mp4`,
    pop: `https://pop.example/${kind}`,
    newsType: kind === "news" ? "world" : null,
    sizeBytes: null,
    md5: null,
    ...changes,
  };
}

/** A spot with both items, news first. */
export function aSpot(changes: Partial<Spot> = {}): Spot {
  return { requestId: "r1", billable: true, newsFirst: true, news: anItem("news"), ad: anItem("ad"), ...changes };
}
