// Run by hand, `node scripts/make-grafana-board.ts`, after scripts/grafana-board.ts has changed: writes
// assets/monitoring/spotloop.board.json.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { grafanaBoard } from "./grafana-board.ts";

const root = join(import.meta.dirname, "..");
const board = join(root, "assets", "monitoring", "spotloop.board.json");
writeFileSync(board, JSON.stringify(grafanaBoard()));
execFileSync(join(root, "node_modules", ".bin", "biome"), ["format", "--write", board], {
  cwd: root,
  stdio: "inherit",
});
