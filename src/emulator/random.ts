import { createHash } from "node:crypto";

/** A seed, and how often each purpose has drawn from it. Plain values, so that it can be kept and brought back. */
export interface Dice {
  readonly seed: number;
  readonly draws: Map<string, number>;
}

export function newDice(seed: number): Dice {
  return { seed, draws: new Map() };
}

/**
 * The next random bytes for a purpose, at most 32. Each purpose has its own sequence, so that a new use of chance does
 * not change what the others see: the same seed and the same calls give the same answers.
 */
export function draw(dice: Dice, purpose: string, count: number): Buffer {
  const turn = dice.draws.get(purpose) ?? 0;
  dice.draws.set(purpose, turn + 1);
  return createHash("sha256").update(`${dice.seed}/${purpose}/${turn}`).digest().subarray(0, count);
}

/** A UUID of version 4 (A17). */
export function drawUuid(dice: Dice, purpose: string): string {
  const bytes = draw(dice, purpose, 16);
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x40;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
