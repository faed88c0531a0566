import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";
import { eventually } from "../../support/machine/processes.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));

/** Whether a terminal can be had: util-linux's `script` makes one. */
export const hasTerminal = existsSync("/usr/bin/script");

/** A command line that somebody sits at. */
export interface Terminal {
  /** Waits until a text is to be seen, then types an answer and Enter. */
  answer(question: string, typed: string): Promise<void>;
  /** Waits until a text is to be seen, then presses one key. */
  press(question: string, key: string): Promise<void>;
  /** Waits for a list, types a word, and takes the choice that is then on top. */
  choose(question: string, word: string, choice: string): Promise<void>;
  /** All that was to be seen by the end, without colours and as it came, and the exit code. */
  ended(): Promise<{ readonly code: number | null; readonly seen: string; readonly raw: string }>;
}

/** Runs a command line on a terminal of 80 columns. */
export function onTerminal(args: readonly string[], env: Readonly<Record<string, string>>): Terminal {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols 80 rows 40; ${command}`, "/dev/null"], {
    env: { PATH: process.env.PATH, TERM: "xterm", ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [raw, seen] = ["", ""];
  let readTo = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    raw += text;
    seen += stripVTControlCharacters(text);
  });
  const closed = once(child, "close");
  const toBeSeen = async (text: string) => {
    const at = await eventually(`"${text}"`, () => {
      const found = seen.indexOf(text, readTo);
      return found === -1 ? undefined : found;
    });
    readTo = at + text.length;
  };
  return {
    async answer(question, typed) {
      await toBeSeen(question);
      child.stdin.write(`${typed}\r`);
    },
    async press(question, key) {
      await toBeSeen(question);
      child.stdin.write(key);
    },
    async choose(question, word, choice) {
      await toBeSeen(question);
      await toBeSeen("❯");
      child.stdin.write(word);
      await toBeSeen(`❯ ${choice}`);
      child.stdin.write("\r");
    },
    async ended() {
      const [code] = await closed;
      return { code, raw, seen: seen.replaceAll("\r", "") };
    },
  };
}
