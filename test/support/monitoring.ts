import { spawnSync } from "node:child_process";
import { programAt } from "./site/server.ts";

/** The programs of Prometheus by which what it reads is checked. */
export type Checker = "promtool" | "amtool";

/** What is missing here for tests by these programs, in words, or null. */
export function lackingCheckers(...names: readonly Checker[]): string | null {
  const absent = names.filter((name) => programAt(name) === null);
  return absent.length === 0 ? null : `not installed: ${absent.join(", ")}`;
}

/** What a program says, and whether it is content. */
export interface Check {
  readonly ok: boolean;
  readonly said: string;
}

/** Runs a check in a folder, with what it reads from standard input. */
export function checkBy(name: Checker, args: readonly string[], { input = "", cwd = "." } = {}): Check {
  const { status, stdout, stderr } = spawnSync(programAt(name) ?? name, args, { input, cwd, encoding: "utf8" });
  return { ok: status === 0, said: `${stdout}${stderr}`.trim() };
}

/** A name and the labels of a series in a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of a scrape; the parts of a histogram by their own names. */
export function samplesIn(scrape: string): readonly Sample[] {
  return [...scrape.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = "", labels = "", value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, key, text]) => [key, text])),
    value: Number(value),
  }));
}
