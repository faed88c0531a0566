import { afterEach } from "vitest";
import { lastPlayer } from "../machine/processes.ts";

/** Enough for the items before a failure, in the form that a player has for people. */
const LINES_TOLD = 30;

// A failure that comes once in a hundred runs is explained by what the player said, or not at all.
afterEach(({ task }) => {
  const player = lastPlayer();
  if (task.result?.state !== "fail" || player === undefined) return;
  console.error(`the player's last lines:\n${player.stderr.slice(-LINES_TOLD).join("\n")}`);
});
