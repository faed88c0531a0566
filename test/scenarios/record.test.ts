import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { PlayoutOutcome } from "../../src/core/spot.ts";
import { readAll } from "../player/record/recording.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { recordFlaws } from "../support/player/record-flaws.ts";
import { openScenario } from "../support/player/scenario.ts";

const MINUTE = 60_000;

interface Row {
  readonly id: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly digest: Buffer | null;
  readonly shownMs: number | null;
  readonly durationMs: number;
  readonly display: string;
  readonly screen: string;
  readonly version: string;
}

const ROWS = `
  select kind || ' ' || request_id as id, outcome, reason, digest, ended - started as shownMs, duration as durationMs,
    display, screen_id as screen, version
  from record where type = 'playout' order by sequence`;

it("has one row for each item that was shown or failed, in their order, signed when the player stops", async () => {
  const folder = temporaryFolder();
  const ended: string[] = [];
  const onSettled = ({ requestId, item }: { requestId: string; item: { kind: string } }, { kind }: PlayoutOutcome) =>
    void ended.push(`${item.kind} ${requestId} ${kind}`);
  const scenario = await openScenario(folder, { onSettled });
  onTestFinished(() => scenario.close());
  await scenario.pass(MINUTE);
  scenario.stage.breakOn("news-headlines", "undecodable");
  await scenario.pass(2 * MINUTE);
  const { screenId } = scenario.emulator;
  await scenario.restart();
  const rows = readAll<Row>(folder, ROWS);
  expect(rows.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(ended.slice(0, rows.length));
  expect(rows.length).toBeGreaterThanOrEqual(ended.length);
  const shown = rows.filter(({ outcome }) => outcome === "shown");
  expect(shown.length).toBeGreaterThan(10);
  for (const { digest, shownMs, durationMs, display, screen } of shown) {
    expect(digest).toHaveLength(32);
    expect(Math.abs((shownMs ?? 0) - durationMs)).toBeLessThan(100);
    expect([display, screen]).toEqual(["unknown", screenId]);
  }
  const [signed] = readAll<{ size: number }>(folder, "select max(size) as size from checkpoint");
  expect(signed?.size).toBeGreaterThanOrEqual(ended.length);
  expect(recordFlaws(join(folder, "proofs.db"))).toEqual([]);
});
