/** A creative that is shown twice: by the player as an item, and by a bare window of the same Electron. */
export interface Sample {
  /** Also the id of its item. */
  readonly name: string;
  /** What it does that creatives do. */
  readonly does: string;
  readonly mimeType: string;
  /** As its item says, in CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** What the player is given. */
  readonly url: string;
  /** What the bare window opens, in a window of so many pixels. */
  readonly bare: { readonly url: string; readonly width: number; readonly height: number };
  /** Whether the short form of the comparison has it. */
  readonly isInShort: boolean;
  /** For what nobody can show: the word by which the player names why, in its log. `null` for what is to be shown. */
  readonly fails: string | null;
}

/** What became of a sample, and how far the player's picture is from the bare window's. */
export type Outcome =
  | { readonly kind: "alike" | "different"; readonly cells: number; readonly pixels: number; readonly proved: boolean }
  /** The player did not show it; `expected` where it could not and said why. */
  | {
      readonly kind: "not-shown";
      readonly reason: string;
      readonly expected: boolean;
      /** The player's lines that name it. */
      readonly log: readonly string[];
    }
  /** It came and went before its picture was taken: a fault of the comparison, not of the player. */
  | { readonly kind: "missed"; readonly why: string };

export interface Result {
  readonly sample: Sample;
  readonly outcome: Outcome;
}

/** The share of the picture that may differ (issue: 1 %). */
const ALLOWED = 0.01;

/** Says whether two pictures count as alike. */
export function judge(difference: { readonly cells: number; readonly pixels: number }, proved: boolean): Outcome {
  const kind = difference.cells <= ALLOWED ? "alike" : "different";
  return { kind, ...difference, proved };
}

/** Whether a sample came too late to be compared, as on a machine that has other work: once more will tell. */
export function isLate(outcome: Outcome): boolean {
  return outcome.kind === "missed" || (outcome.kind === "not-shown" && outcome.reason === "not-ready");
}

/** Whether a sample turned out as its maker would have it: shown alike and proved, or refused with the reason named. */
export function isRight({ outcome }: Result): boolean {
  switch (outcome.kind) {
    case "alike":
      return outcome.proved;
    case "different":
    case "missed":
      return false;
    case "not-shown":
      return outcome.expected;
  }
}
