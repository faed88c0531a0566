import type { Step } from "./steps.ts";

const HEADING = ["", "step", "seen", "s"];

/** The steps as they are read: done or not, what was seen, and how long it took. */
export function bootTable(steps: readonly Step[]): string {
  const rows = steps.map(({ name, seen, seconds, isDone }) => [isDone ? "ok" : "NO", name, seen, seconds.toFixed(0)]);
  const width = Math.max(...[HEADING, ...rows].map(([, name = ""]) => name.length));
  return [HEADING, ...rows]
    .map(([mark = "", name = "", seen = "", seconds = ""]) => {
      const head = `  ${mark.padEnd(2)}  ${name.padEnd(width)}  ${seconds.padStart(5)}  `;
      return `${head}${seen.replaceAll("\n", `\n${" ".repeat(head.length)}`)}\n`;
    })
    .join("");
}
