import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { WholeItem } from "../../src/emulator/spot/planned.ts";
import { eventually, type Running } from "../support/machine/processes.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

interface Row {
  readonly name: string;
  readonly status?: number;
  readonly type: string;
  readonly body?: string;
  readonly ends: string;
}

const PAGE = "<!doctype html><body style='background:#0a7'>there";

/**
 * What servers answer in place of a page, and how its item ends. The page itself is last: while nothing is on air no item
 * misses its turn, however slow the machine is.
 */
const rows: readonly Row[] = [
  { name: "bytes", type: "application/octet-stream", body: "\0\x01\x02\x03", ends: "load-failed" },
  { name: "archive", type: "application/zip", body: "PK\x03\x04", ends: "load-failed" },
  { name: "pdf", type: "application/pdf", body: "%PDF-1.4\n", ends: "load-failed" },
  { name: "nothing", status: 204, type: "text/html", ends: "unfetchable" },
  { name: "page", type: "text/html", body: PAGE, ends: "shown" },
];

let rig: Rig;
let player: Running;
let close = () => {};

beforeAll(async () => {
  const server = createServer(({ url = "" }, response) => {
    const row = rows[Number(url.slice(1))];
    response.writeHead(row?.status ?? (row === undefined ? 404 : 200), { "content-type": row?.type ?? "text/plain" });
    response.end(row?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close = () => server.close();
  const { port } = server.address() as AddressInfo;
  rig = await openRig({ width: 640, height: 360 });
  const item = (name: string, index: number): WholeItem => ({
    ...{ id: name, title: name, mimeType: "text/html", width: 640, height: 360, duration: 1_500, newsType: "test" },
    url: `http://127.0.0.1:${port}/${index}`,
  });
  const spots = rows.map(({ name }, index) => ({ newsFirst: true, billable: true, news: item(name, index), ad: null }));
  await rig.emulator.next(spots);
  player = rig.play(["--config", rig.configure()]);
  await eventually(
    "every item's end",
    () => rows.every(({ name }) => endingsIn(player.stderr).has(name)) || undefined,
    60_000,
  );
}, 120_000);

afterAll(async () => {
  await rig?.close();
  close();
});

it.each(rows)("an item whose address gives $name ends: $ends", ({ name, ends }) => {
  expect(endingsIn(player.stderr).get(name)).toBe(ends);
});
