import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { creativesDir } from "../../src/emulator/assets.ts";
import { readCatalogue } from "../support/catalogue.ts";

const { creatives, palette, beat } = readCatalogue();

describe("the sample creatives", () => {
  it("are all there, and all together small", () => {
    const sizes = readdirSync(creativesDir(), { recursive: true, encoding: "utf8" }).map((name) => {
      return statSync(join(creativesDir(), name)).size;
    });

    for (const { file } of creatives) expect(statSync(join(creativesDir(), file)).size).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(4 * 1024 * 1024);
  });

  it("have codes of four colours that differ in three places or more", () => {
    const codes = creatives.map(({ code }) => code);

    for (const code of codes) expect(code.filter((colour) => colour in palette)).toHaveLength(4);
    for (const [index, one] of codes.entries()) {
      for (const other of codes.slice(index + 1)) {
        expect(one.filter((colour, place) => colour !== other[place]).length).toBeGreaterThanOrEqual(3);
      }
    }
  });

  it("have colours that are far apart and neither near black nor near white", () => {
    for (const colours of [Object.values(palette), beat]) {
      const rgbs = colours.map(channels);
      for (const rgb of rgbs) {
        expect(Math.max(...rgb)).toBeGreaterThan(120);
        expect(Math.min(...rgb)).toBeLessThan(150);
      }
      for (const [index, one] of rgbs.entries()) {
        for (const other of rgbs.slice(index + 1)) {
          expect(Math.hypot(...one.map((value, channel) => value - (other[channel] ?? 0)))).toBeGreaterThan(95);
        }
      }
    }
  });

  it("of HTML write their code in the page as the list has it", () => {
    for (const { file, mimeType, code } of creatives) {
      if (mimeType !== "text/html") continue;
      const page = readFileSync(join(creativesDir(), file), "utf8");
      const written = [...page.matchAll(/<i style="background:(#[0-9a-f]{6})"><\/i>/g)].map(([, colour]) => colour);
      expect(written).toEqual(code.map((colour) => palette[colour]));
    }
  });
});

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
