import { type Dice, draw } from "../random.ts";

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
