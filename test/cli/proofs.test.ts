import { spawnSync } from "node:child_process";
import { chmodSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../src/player/clock.ts";
import { ExclusiveLock } from "../../src/player/exclusive-lock.ts";
import { IndexFile } from "../../src/player/media/media-index.ts";
import { mediaIndexMigrations } from "../../src/player/media/media-schema.ts";
import { DataBook } from "../../src/player/network/data-meter.ts";
import { ServiceClock } from "../../src/player/service-clock.ts";
import { answer, inTurn, serve } from "../client/server.ts";
import { proofOf, proofStoreIn } from "../player/proofs/proofs.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { tellTime } from "../support/player/service-time.ts";
import { run } from "./running.ts";
import { spotloopWith } from "./vendor/spotloop.ts";

/** The folder of a player that shows something now and has proved one of three items. */
function playing(
  pops: readonly string[] = ["https://pop.example/a", "https://pop.example/b", "https://pop.example/c"],
) {
  const folder = temporaryFolder();
  const clock = systemClock(folder);
  const serviceClock = new ServiceClock(clock);
  tellTime(serviceClock, clock.wall());
  const store = proofStoreIn(folder);
  onTestFinished(() => store.close());
  const now = clock.now();
  pops.forEach((pop, index) => {
    store.owe(proofOf(`p${index}`, now, { pop, itemId: `item, "${index}"`, kind: "ad" }), serviceClock.read());
  });
  const [proof] = store.due(serviceClock.read(), "never", 1, []);
  if (proof === undefined) throw new Error("nothing is due");
  store.settle([{ proof, verdict: { kind: "delivered" }, answer: "accepted" }], serviceClock.read());
  store.addCounts([{ quarter: Math.floor(clock.wall() / 900_000), what: "failed", label: "stalled", count: 2 }]);
  return { folder, store, reading: () => serviceClock.read() };
}

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const NOBODY = ["--reuid=65534", "--regid=65534", "--clear-groups"];

/** Only root can be nobody, and nobody may have no way to the sources. */
const canBeNobody = process.getuid?.() === 0 && spawnSync("setpriv", [...NOBODY, "test", "-r", MAIN]).status === 0;

/** The exit code of a command line that nobody's user runs, and what it says. */
function asNobody(...args: readonly string[]) {
  const { PATH = "" } = process.env;
  const command = [...NOBODY, process.execPath, MAIN, ...args];
  const { status, stderr } = spawnSync("setpriv", command, { encoding: "utf8", env: { PATH, HOME: "/nonexistent" } });
  return [status, stderr];
}

/** What SQLite reads and writes at a time. */
const PAGE_BYTES = 4_096;

describe("spotloop proofs", () => {
  it("lists the newest first while the player has the store open, without the URLs themselves", async () => {
    const { folder } = playing();
    const { out, code } = await run("proofs", "list", "--data-dir", folder);
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.split(/\s{2,}/)[3])).toEqual([
      "state",
      "owed",
      "owed",
      "delivered",
      undefined,
    ]);
    expect(out).not.toContain("pop.example/");
  });

  it("tells screens apart where there are several, and lists one alone", async () => {
    const { folder, store, reading } = playing();
    const attic = proofOf("p9", reading().now, { screenId: "attic", itemId: "item-9" });
    store.owe(attic, reading());
    const all = await run("proofs", "list", "--data-dir", folder);
    expect(all.out.split("\n").map((line) => line.split(/\s{2,}/).at(-1))).toEqual([
      "screen",
      "attic",
      ...Array(3).fill(proofOf("p0", 0).screenId),
      "",
    ]);
    const one = await run("proofs", "list", "--data-dir", folder, "--screen", "attic", "--json");
    expect(JSON.parse(one.out)).toMatchObject([{ screenId: "attic", itemId: "item-9" }]);
  });

  it("lists only what is asked for, and as JSON for programs", async () => {
    const { folder } = playing();
    const { out } = await run("proofs", "list", "--data-dir", folder, "--state", "delivered", "--json");
    expect(JSON.parse(out)).toMatchObject([
      { state: "delivered", attempts: 1, lastAnswer: "accepted", requestId: "request-p0" },
    ]);
    const { out: none } = await run("proofs", "list", "--data-dir", folder, "--day", "2020-01-01");
    expect(none).toBe("no proofs\n");
  });

  it("lists what a service called its items as text, whatever else that would do to a terminal", async () => {
    const { folder, store, reading } = playing();
    store.owe(proofOf("p9", reading().now, { itemId: "a\u001b[2J\nb", requestId: "r\u009b31m" }), reading());
    const { out } = await run("proofs", "list", "--data-dir", folder, "--limit", "1");
    expect(
      out
        .split("\n")[1]
        ?.split(/\s{2,}/)
        .slice(2),
    ).toEqual(["a b", "owed", "0", "r"]);
  });

  it("exports CSV that a spreadsheet reads, and JSON lines", async () => {
    const { folder } = playing();
    const { out: csv } = await run("proofs", "export", "--data-dir", folder);
    expect(csv.split("\r\n")).toHaveLength(5);
    expect(csv).toContain('"item, ""2"""');
    const { out: jsonl } = await run("proofs", "export", "--data-dir", folder, "--format", "jsonl");
    expect(
      jsonl
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual([3, 2, 1]);
  });

  it("says what is wrong with a folder, a day, a zone or a configuration, and with which code it ends", async () => {
    const { folder } = playing();
    const nowhere = join(folder, "nowhere");
    expect(await run("proofs", "list", "--data-dir", nowhere)).toMatchObject({
      code: 1,
      err: expect.stringContaining(nowhere),
    });
    expect(await run("proofs", "list", "--config", nowhere)).toMatchObject({
      code: 78,
      err: expect.stringContaining(nowhere),
    });
    const { err } = await run("report", "--config", nowhere);
    expect(err.split("\n").slice(0, 2)).toEqual([
      ...["there is no configuration yet:", `  The file ${nowhere} is not there.`],
    ]);
    expect(err.split("\n").at(-1)).toBe(
      "Write one with: spotloop provision; or name it with --config, or the data folder with --data-dir",
    );
    expect(await run("report", "--data-dir", folder, "--day", "2026-02-30")).toMatchObject({ code: 64 });
    expect(await run("report", "--data-dir", folder, "--time-zone", "Mars")).toMatchObject({ code: 64 });
  });
});

describe("a file of proofs that cannot be read", () => {
  const commands = [
    ...[["proofs", "list"], ["proofs", "export"], ["report"]],
    ...[
      ["record", "export"],
      ["record", "verify"],
      ["record", "key"],
    ],
  ];

  it.each(commands)("is told in a sentence where it is damaged: %s %s", async (...command) => {
    const { folder, store } = playing();
    store.close();
    const path = join(folder, "proofs.db");
    writeFileSync(path, "not a database, ".repeat(500));

    expect(await run(...command, "--data-dir", folder)).toEqual({
      ...{ code: 1, out: "" },
      err: `${path} cannot be used (SQLITE_NOTADB): it is damaged; the player sets it aside by itself when it starts`,
    });
  });

  it.each(commands)("is told in a sentence where its end is missing: %s %s", async (...command) => {
    const { folder, store } = playing();
    store.close();
    const path = join(folder, "proofs.db");
    truncateSync(path, PAGE_BYTES);

    const { code, err } = await run(...command, "--data-dir", folder);

    expect([code, err]).toEqual([1, expect.stringContaining(`${path} cannot be used (SQLITE_CORRUPT`)]);
  });

  it.runIf(canBeNobody).each([...commands, ["proofs", "retry"]])(
    "is told in a sentence where it, or the folder, is another user's: %s %s",
    (...command) => {
      const { folder, store } = playing();
      store.close();
      const path = join(folder, "proofs.db");
      const told = [1, `${path} cannot be used (EACCES): run this as the user that the player runs as\n`];

      chmodSync(folder, 0o755);
      chmodSync(path, 0o600);
      expect(asNobody(...command, "--data-dir", folder)).toEqual(told);
      chmodSync(path, 0o644);
      chmodSync(folder, 0o700);
      expect(asNobody(...command, "--data-dir", folder)).toEqual(told);
    },
  );
});

describe("spotloop proofs retry", () => {
  const configure = (folder: string) => {
    vi.stubEnv("SPOTLOOP_BASE_URL", "http://127.0.0.1:9");
    vi.stubEnv("SPOTLOOP_ORG_TOKEN", "token");
    vi.stubEnv("SPOTLOOP_SCREEN_ID", "screen-1");
    vi.stubEnv("SPOTLOOP_CONFIG", join(folder, "none.json"));
    onTestFinished(() => void vi.unstubAllEnvs());
  };

  it("leaves the sending to a player that is running", async () => {
    const { folder, store, reading } = playing();
    const lock = new ExclusiveLock(join(folder, "sender.lock"));
    lock.take();
    const [waiting] = store.due(reading(), "never", 1, []);
    if (waiting === undefined) throw new Error("nothing is due");
    store.settle(
      [{ proof: waiting, verdict: { kind: "retry", at: reading().now + 60_000 }, answer: "timeout" }],
      reading(),
    );
    expect(store.due(reading(), "before", 9, [])).toEqual([]);
    const { out } = await run("proofs", "retry", "--data-dir", folder, "--json");
    expect(JSON.parse(out)).toMatchObject({ by: "player", owed: 2, delivered: null });
    expect(store.due(reading(), "before", 9, [])).toHaveLength(1);
    lock.release();
  });

  it("does not take another configuration for one that is named and not there", async () => {
    const nowhere = join(temporaryFolder(), "c.json");
    const env = { SPOTLOOP_BASE_URL: "http://127.0.0.1:1", SPOTLOOP_ORG_TOKEN: "t", SPOTLOOP_SCREEN_ID: "s" };

    const { code, stdout, stderr } = await spotloopWith(env)(["report", "--config", nowhere]);

    expect([code, stdout]).toEqual([78, ""]);
    expect(stderr).toContain(`The file ${nowhere} is not there.`);
  });

  it("needs no configuration where the data folder is named", async () => {
    const server = await serve(inTurn(answer(200)));
    const { folder, store } = playing(["a", "b"].map((id) => `${server.url}/pop/${id}`));
    store.close();
    for (const name of ["BASE_URL", "ORG_TOKEN", "SCREEN_ID"]) vi.stubEnv(`SPOTLOOP_${name}`, "");
    vi.stubEnv("SPOTLOOP_CONFIG", join(folder, "none.json"));
    onTestFinished(() => void vi.unstubAllEnvs());

    const { out, err, code } = await run("proofs", "retry", "--data-dir", folder, "--json");

    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ by: "command", owed: 1, delivered: 1 });
    expect(server.targets).toEqual(["/pop/b"]);
  });

  it("sends by itself where no player is running, each proof once", async () => {
    const server = await serve(inTurn(answer(200), answer(410), answer(503)));
    const { folder, store } = playing(["a", "b", "c", "d"].map((id) => `${server.url}/pop/${id}`));
    store.close();
    configure(folder);
    const { out } = await run("proofs", "retry", "--data-dir", folder, "--json");
    expect(JSON.parse(out)).toMatchObject({ by: "command", owed: 3, delivered: 1, refused: 1 });
    expect([...server.targets].sort()).toEqual(["/pop/b", "/pop/c", "/pop/d"]);
    expect(await run("proofs", "retry", "--data-dir", folder)).toMatchObject({ code: 0 });
  });
});

describe("spotloop report", () => {
  it("tells of the day so far what /health tells", async () => {
    const { folder } = playing();
    const { out } = await run("report", "--data-dir", folder, "--json");
    const { total, hours } = JSON.parse(out);
    expect(hours).toHaveLength(24);
    expect(total).toMatchObject({
      ...{ shown: { news: 0, ad: 3 }, failed: { stalled: 2 } },
      proofs: { owed: 2, delivered: 1, refused: 0, expired: 0 },
    });
    const { out: table } = await run("report", "--data-dir", folder);
    expect(table).toContain("failed, by reason:\n  stalled: 2");
    expect(JSON.parse(out).data).toBeNull();
  });

  it("takes today and yesterday for a day, in the zone that is meant", async () => {
    // A Sunday in Berlin on which the clocks go forward, and still Saturday in New York.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-03-29T01:30:00Z") });
    onTestFinished(() => void vi.useRealTimers());
    const { folder } = playing();
    const dayOf = async (...args: readonly string[]) => {
      const { out } = await run("report", "--data-dir", folder, ...args);
      return out.split("\n", 1)[0];
    };

    expect(await dayOf()).toBe("2026-03-29 (UTC)");
    expect(await dayOf("--day", "today", "--time-zone", "America/New_York")).toBe("2026-03-28 (America/New_York)");
    expect(await dayOf("--day", "yesterday", "--time-zone", "Europe/Berlin")).toBe("2026-03-28 (Europe/Berlin)");
    const { err, code } = await run("report", "--data-dir", folder, "--day", "tomorrow");
    expect([code, err]).toEqual([64, '--day must be a date such as 2026-01-31, today or yesterday, not "tomorrow"']);
  });

  it("tells of the last proof that was refused on that day", async () => {
    const { folder, store, reading } = playing();
    for (const [screenId, answer] of [
      ["lobby", "HTTP 410"],
      ["attic", "HTTP 404"],
    ] as const) {
      const { now } = reading();
      store.owe(proofOf(`refused-${screenId}`, now, { screenId, itemId: "ad-7", shownAt: now }), reading());
      const proof = store.due(reading(), "never", 9, []).find(({ playoutId }) => playoutId === `refused-${screenId}`);
      if (proof === undefined) throw new Error("nothing is due");
      store.settle([{ proof, verdict: { kind: "refused", status: 410 }, answer }], reading());
    }

    const { out } = await run("report", "--data-dir", folder);
    const json = await run("report", "--data-dir", folder, "--json");
    const before = await run("report", "--data-dir", folder, "--day", "yesterday", "--json");

    expect(out).toMatch(/^last refused proof: \d\d:\d\d:\d\d ad ad-7 on attic \(HTTP 404\)$/m);
    const told = { screenId: "attic", itemId: "ad-7", kind: "ad", status: 404, at: expect.stringMatching(/Z$/) };
    expect(JSON.parse(json.out).lastRefused).toEqual(told);
    expect(JSON.parse(before.out).lastRefused).toBeNull();
    expect(store.lastRefused()).toMatchObject({ screenId: "attic", status: 404 });
  });

  it("tells what media took of the month's data, where that was counted", async () => {
    const { folder } = playing();
    const file = new IndexFile(join(folder, "media.db"), mediaIndexMigrations, pino({ level: "silent" }));
    new DataBook(file).write({ month: "2026-01", usedBytes: 1_500_000, monthlyBytes: 1_600_000, refused: 3 });
    file.close();

    const { out } = await run("report", "--data-dir", folder, "--day", "2026-01-31");

    expect(out).toContain("\nmedia downloaded in 2026-01: 1,500,000 of 1,600,000 bytes; 3 downloads were too much\n");
  });
});
