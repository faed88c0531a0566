/** Chance that comes from a seed: the same seed and the same question give the same answer, in whatever order they are asked. */
export class Chance {
  readonly #low: number;
  readonly #high: number;

  /** `seed`: a safe integer. */
  constructor(seed: number) {
    this.#low = seed | 0;
    this.#high = this.#low ^ Math.trunc(seed / 2 ** 32);
  }

  /** At least 0 and below 1. */
  roll(question: string): number {
    let [low, high] = [0xdeadbeef ^ this.#low, 0x41c6ce57 ^ this.#high];
    for (let at = 0; at < question.length; at++) {
      const code = question.charCodeAt(at);
      low = Math.imul(low ^ code, 2654435761);
      high = Math.imul(high ^ code, 1597334677);
    }
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    return (high >>> 0) / 2 ** 32;
  }

  /** At least `from` and below `to`. */
  between(from: number, to: number, question: string): number {
    return from + (to - from) * this.roll(question);
  }

  /** A whole number, at least `from` and at most `to`. */
  whole(from: number, to: number, question: string): number {
    return Math.floor(this.between(from, to + 1, question));
  }

  happens(probability: number, question: string): boolean {
    return this.roll(question) < probability;
  }

  pick<T>(choices: readonly T[], question: string): T {
    return choices[Math.floor(this.roll(question) * choices.length)] as T;
  }

  /** One of the names, each as likely as its weight. */
  weighed<Name extends string>(weights: Readonly<Record<Name, number>>, question: string): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.roll(question) * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries.at(-1) as [Name, number])[0];
  }
}
