import { isRight, type Outcome, type Result } from "./sample.ts";

/** A line for each sample, what is wrong last, so that it is what one sees. */
export function fidelityTable(results: readonly Result[]): string {
  const sorted = [...results].sort((one, other) => Number(isRight(other)) - Number(isRight(one)));
  const rows = [["Creative", "Off", "Pixels", "Proved", "Verdict"], ...sorted.map(rowOf)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const right = results.filter(isRight).length;
  const said = results.flatMap(({ outcome }) => (outcome.kind === "not-shown" && !outcome.expected ? outcome.log : []));
  const log = said.length > 0 ? `\n${said.join("\n")}\n` : "";
  return `${lines.join("\n")}\n${log}\n${right} of ${results.length} as their makers made them\n`;
}

/** What is kept of a comparison: of each creative what became of it, and how much of the picture differed. */
export interface FidelityFigures {
  readonly creatives: readonly {
    readonly name: string;
    readonly verdict: "right" | "refused" | "wrong";
    /** The share of the pixels that differ; null where there was nothing to compare. */
    readonly pixels: number | null;
  }[];
}

export function fidelityFigures(results: readonly Result[]): FidelityFigures {
  return {
    creatives: results.map((result) => {
      const { sample, outcome } = result;
      const right = outcome.kind === "not-shown" ? ("refused" as const) : ("right" as const);
      const pixels = "pixels" in outcome ? Number(outcome.pixels.toFixed(5)) : null;
      return { name: sample.name, verdict: isRight(result) ? right : ("wrong" as const), pixels };
    }),
  };
}

function rowOf({ sample, outcome }: Result): readonly string[] {
  return [sample.name, ...cells(outcome)];
}

function cells(outcome: Outcome): readonly string[] {
  switch (outcome.kind) {
    case "alike":
    case "different": {
      const { kind, cells, pixels, proved } = outcome;
      const verdict = kind === "alike" ? (proved ? "alike" : "alike, but not proved") : "DIFFERENT";
      return [percent(cells), percent(pixels), proved ? "yes" : "no", verdict];
    }
    case "not-shown":
      return ["", "", "no", outcome.expected ? `refused: ${outcome.reason}` : `NOT SHOWN: ${outcome.reason}`];
    case "missed":
      return ["", "", "", `NO PICTURE: ${outcome.why}`];
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
