/** One frame as bytes, four for each pixel. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  /** How far its movement has come, from 0 to 1; at 1 it has come to rest. */
  readonly progress: number;
  /** Whether the sky is left out, so that one sees through. */
  readonly hasAlpha: boolean;
}

type Rgba = readonly [number, number, number, number];

const SUN: Rgba = [242, 184, 75, 255];
const HULL: Rgba = [200, 62, 50, 255];
const SAIL: Rgba = [250, 246, 236, 255];
const WATER: Rgba = [28, 92, 122, 255];
const HILL: Rgba = [52, 120, 74, 255];
const POST: Rgba = [110, 40, 150, 255];

/**
 * A harbour: a sun at the upper left, a hill at the right, a boat that sails in from the left and comes to rest, a post
 * at the lower right. No two corners are alike, so that a picture that is turned, mirrored or cut is seen to be.
 */
export function paintScene({ width, height, progress, hasAlpha }: Scene): Buffer {
  const out = Buffer.alloc(width * height * 4);
  const boatAt = -0.2 + 0.65 * easedOut(progress);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) out.set(colourAt(x / width, y / height, boatAt, hasAlpha), (y * width + x) * 4);
  }
  return out;
}

function easedOut(progress: number): number {
  return 1 - (1 - progress) ** 3;
}

function colourAt(x: number, y: number, boatAt: number, hasAlpha: boolean): Rgba {
  if (x > 0.88 && y > 0.72) return POST;
  const [alongBoat, aboveWater] = [x - boatAt, 0.8 - y];
  if (aboveWater > 0 && aboveWater < 0.1 && alongBoat > aboveWater * -0.3 && alongBoat < 0.24 + aboveWater * 0.3)
    return HULL;
  if (aboveWater >= 0.12 && aboveWater < 0.5 && alongBoat > 0.1 && alongBoat < 0.1 + (0.5 - aboveWater) * 0.3)
    return SAIL;
  if (y > 0.74) return WATER;
  if (x > 0.6 && y > 0.74 - (x - 0.6) * 0.9) return HILL;
  if ((x - 0.14) ** 2 * 3.16 + (y - 0.22) ** 2 < 0.014) return SUN;
  if (hasAlpha) return [0, 0, 0, 0];
  return [120 + 90 * y, 180 + 40 * y, 225 - 40 * x, 255];
}
