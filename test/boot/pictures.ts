import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/setup/paths.mjs";
import type { PlannedSpot } from "../../src/emulator/spot/planned.ts";
import { demoWorld } from "../../src/emulator/world/demo.ts";
import { diceOf } from "../chaos/moments.ts";

/** Sample pictures, which even an emulated processor draws in time. */
const MODELS = [
  { file: "news-headlines.jpg", mimeType: "image/jpeg" },
  { file: "ad-bakery.png", mimeType: "image/png" },
] as const;

/** Short, so that much is written; long enough for an emulated processor to draw a picture in time. */
const [SHORTEST_MS, LONGEST_MS] = [3_000, 6_000];
/** What a picture has behind its end, where no decoder looks: it makes its digest its own, and its download longer. */
const LONGEST_TAIL_BYTES = 300_000;

/**
 * Writes a world whose screens can show so many pictures of each kind, of bytes that no other picture has. Resolves with
 * the world's file.
 */
export function writeWorld(
  folder: string,
  { seed, pictures }: { readonly seed: number; readonly pictures: number },
): string {
  mkdirSync(folder, { recursive: true });
  const random = diceOf(seed);
  const creatives = MODELS.flatMap(({ file: model, mimeType }) => {
    const picture = readFileSync(join(ROOT, "assets/creatives", model));
    return Array.from({ length: pictures }, (_, index) => {
      const [name, file] = [nameOf(model, index), `${index}-${model}`];
      const tail = Buffer.alloc(Math.ceil(random() * LONGEST_TAIL_BYTES), `${seed} ${index} `);
      writeFileSync(join(folder, file), Buffer.concat([picture, tail]));
      const duration = Math.round(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS));
      return { name, title: name, file, mimeType, width: 1_280, height: 720, duration };
    });
  });
  const path = join(folder, "world.json");
  writeFileSync(path, JSON.stringify({ ...demoWorld(), creatives }));
  return path;
}

/** So many spots, each of two pictures that were not shown before, until all were: then they come round again. */
export function spotsFor(count: number, pictures: number): readonly PlannedSpot[] {
  return Array.from({ length: count }, (_, turn) => {
    const index = turn % pictures;
    return { newsFirst: turn % 2 === 0, news: nameOf(MODELS[0].file, index), ad: nameOf(MODELS[1].file, index) };
  });
}

function nameOf(model: string, index: number): string {
  return `${model.replace(/\..*/, "")}-${index}`;
}
