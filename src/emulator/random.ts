import { hash } from "node:crypto";

/** A seed, and how often each purpose has drawn from it. Plain values, so that it can be kept and brought back. */
export interface Dice {
  readonly seed: number;
  readonly draws: Map<string, number>;
}

export function newDice(seed: number): Dice {
  return { seed, draws: new Map() };
}

/**
 * The next random bytes for a purpose, at most 64. Each purpose has its own sequence, so that a new use of chance does
 * not change what the others see: the same seed and the same calls give the same answers.
 */
export function draw(dice: Dice, purpose: string, count: number): Buffer {
  const turn = dice.draws.get(purpose) ?? 0;
  dice.draws.set(purpose, turn + 1);
  return hash("sha512", `${dice.seed}/${purpose}/${turn}`, "buffer").subarray(0, count);
}

/** At least 0 and below 1. */
export function chance(dice: Dice, purpose: string): number {
  return draw(dice, purpose, 4).readUInt32BE() / 2 ** 32;
}

/** A UUID of version 4 out of 16 random bytes (A17). */
export function uuidOf(random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x40;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  const digits = (from: number, to: number) => bytes.toString("hex", from, to);
  return `${digits(0, 4)}-${digits(4, 6)}-${digits(6, 8)}-${digits(8, 10)}-${digits(10, 16)}`;
}

/** An identifier that nothing has yet, readable and with a prefix, as in `loc_3k8wq2pd` (A17). */
export function freeIdentifier(dice: Dice, prefix: string, taken: ReadonlyMap<string, unknown>): string {
  for (;;) {
    const letters = [...draw(dice, prefix, 8)].map((byte) => ALPHABET[byte % ALPHABET.length]);
    const identifier = `${prefix}_${letters.join("")}`;
    if (!taken.has(identifier)) return identifier;
  }
}

/** Without what people mix up when they read aloud: 0 and o, 1 and l and i, u and v. */
const ALPHABET = "23456789abcdefghjkmnpqrstwxyz";
