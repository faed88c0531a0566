import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runCli } from "../../src/cli/main.ts";
import { systemClock } from "../../src/player/clock.ts";
import { ExclusiveLock } from "../../src/player/exclusive-lock.ts";
import { ServiceClock } from "../../src/player/service-clock.ts";
import { answer, inTurn, serve } from "../client/server.ts";
import { proofOf, proofStoreIn } from "../player/proofs/proofs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Runs a command line; what it wrote to standard output, and its exit code. */
async function run(
  ...args: readonly string[]
): Promise<{ readonly out: string; readonly code: number; readonly err: string }> {
  let [out, err] = ["", ""];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += text;
    return true;
  });
  const error = vi.spyOn(console, "error").mockImplementation((text) => {
    err += text;
  });
  const code = await runCli(args).finally(() => {
    write.mockRestore();
    error.mockRestore();
  });
  return { out, code, err };
}

/** The folder of a player that shows something now and has proved one of three items. */
function playing(
  pops: readonly string[] = ["https://pop.example/a", "https://pop.example/b", "https://pop.example/c"],
) {
  const folder = temporaryFolder();
  const clock = systemClock();
  const serviceClock = new ServiceClock(clock);
  serviceClock.hear(clock.wall());
  const store = proofStoreIn(folder);
  onTestFinished(() => store.close());
  const now = clock.now();
  pops.forEach((pop, index) => {
    store.owe(proofOf(`p${index}`, now, { pop, itemId: `item, "${index}"`, kind: "ad" }), serviceClock.moment());
  });
  const [proof] = store.due(serviceClock.moment(), "never", 1, []);
  if (proof === undefined) throw new Error("nothing is due");
  store.settle([{ proof, verdict: { kind: "delivered" }, answer: "accepted" }], serviceClock.moment());
  store.tally([{ quarter: Math.floor(clock.wall() / 900_000), what: "failed", label: "stalled", count: 2 }]);
  return { folder, store, moment: () => serviceClock.moment() };
}

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
    const { folder, store, moment } = playing();
    const attic = proofOf("p9", moment().now, { screenId: "attic", itemId: "item-9" });
    store.owe(attic, moment());
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
      err: expect.stringContaining("baseUrl"),
    });
    expect(await run("report", "--data-dir", folder, "--day", "2026-02-30")).toMatchObject({ code: 1 });
    expect(await run("report", "--data-dir", folder, "--time-zone", "Mars")).toMatchObject({ code: 1 });
  });
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
    const { folder, store, moment } = playing();
    const lock = new ExclusiveLock(join(folder, "sender.lock"));
    lock.take();
    const [waiting] = store.due(moment(), "never", 1, []);
    if (waiting === undefined) throw new Error("nothing is due");
    store.settle(
      [{ proof: waiting, verdict: { kind: "retry", at: moment().now + 60_000 }, answer: "timeout" }],
      moment(),
    );
    expect(store.due(moment(), "before", 9, [])).toEqual([]);
    const { out } = await run("proofs", "retry", "--data-dir", folder, "--json");
    expect(JSON.parse(out)).toMatchObject({ by: "player", owed: 2, delivered: null });
    expect(store.due(moment(), "before", 9, [])).toHaveLength(1);
    lock.release();
  });

  it("sends by itself where no player is running, each proof once", async () => {
    const server = await serve(inTurn(answer(200), answer(404), answer(503)));
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
  });
});
