import { expect } from "vitest";
import type { Emulator } from "../../../src/emulator/main.ts";
import { call, nextSpot, running } from "../running.ts";

/** Every spot of these tests: news for 7 s, then an ad for 8 s, so 240 of them in an hour. */
const SPOT = { newsFirst: true, news: item("news", 7000), ad: item("ad", 8000) };
export const SLOT_MS = 15_000;
export const SLOTS_OF_AN_HOUR = 240;

function item(id: string, duration: number) {
  return { id, title: id, mimeType: "image/png", width: 960, height: 720, duration, url: "creatives/ad-bakery.png" };
}

/** A spot as the emulator answers it. */
export interface Served {
  readonly news: { readonly url: string; readonly pop: string };
  readonly ad: { readonly pop: string };
}

/** How a player plays one spot that it has just got, until the slot is over. */
export type Slot = (emulator: Emulator, spot: Served, turn: number) => Promise<void>;

/** Shows each item for as long as it lasts, and calls its proof-of-play URL at its end. */
export async function honestSlot(emulator: Emulator, spot: Served): Promise<void> {
  emulator.clock.advance(7000);
  await call(emulator, spot.news.pop);
  emulator.clock.advance(8000);
  await call(emulator, spot.ad.pop);
}

/** An emulator with spots for many hours, its clock frozen. */
export async function network(): Promise<Emulator> {
  const emulator = await running();
  emulator.next("screen_demo", Array(2000).fill(SPOT));
  return emulator;
}

/** Plays an hour: every slot honestly, but for those that are played in another way. */
export async function play(emulator: Emulator, otherwise: Readonly<Record<number, Slot>> = {}): Promise<void> {
  for (let turn = 0; turn < SLOTS_OF_AN_HOUR; turn += 1) {
    const spot = await nextSpot(emulator);
    await (otherwise[turn] ?? honestSlot)(emulator, spot, turn);
  }
}

/** Lets the proof-of-play hour of all spots run out, and returns what the auditor says then, over the network. */
export async function verdict(emulator: Emulator) {
  emulator.clock.advance(3_600_001);
  const told = await (await fetch(`${emulator.controlUrl}/control/audit`)).json();
  expect(emulator.audit()).toEqual(told);
  return told;
}
