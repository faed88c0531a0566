import { describe, expect, it, vi } from "vitest";
import { runCli } from "../../src/cli/main.ts";
import type { Emulator } from "../../src/emulator/main.ts";
import { ask, call, nextSpot, running, smallWorld } from "../emulator/running.ts";
import { lines, spotloopWith } from "./vendor/spotloop.ts";

/** What a command line for a running emulator prints, and ends with. */
async function told({ controlUrl }: Pick<Emulator, "controlUrl">, ...args: string[]) {
  const said = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  const error = vi.spyOn(console, "error").mockImplementation((text) => {
    said.stderr += `${text}\n`;
  });
  vi.stubEnv("SPOTLOOP_CONTROL_URL", controlUrl);
  try {
    const code = await runCli(["emulator", ...args]);
    return { code, ...said };
  } finally {
    for (const spy of [...spies, error]) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}

async function printed(emulator: Emulator, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await told(emulator, ...args);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

const SPOT = "/v3/vendor/org_demo/1/rt_ad/screen_demo";

describe("spotloop emulator fault", () => {
  it("puts a fault in force for a while, lists and clears it", async () => {
    const emulator = await running();
    const spotloop = spotloopWith({ SPOTLOOP_CONTROL_URL: emulator.controlUrl });
    const words = "emulator fault add spot --status 503 --for 1m --screen screen_demo".split(" ");
    const added = await spotloop(words);
    const during = await ask(emulator.baseUrl, SPOT);

    expect([added.code, added.stderr]).toEqual([0, ""]);
    expect(added.stdout).toBe(
      lines(
        "1 fault in force:",
        "NAME                          CALLS                              DOES            SHARE  UNTIL                     STRUCK",
        'spot screen_demo: status 503  route spot, screen_id screen_demo  {"status":503}  all    2026-03-02T08:01:00.000Z  0 of 0',
      ),
    );
    expect(during.status).toBe(503);
    expect(await printed(emulator, "fault", "list")).toContain("1 of 1");
    expect(await printed(emulator, "faults")).toContain("1 of 1");
    expect(await printed(emulator, "fault", "clear", "spot screen_demo: status 503")).toBe(
      "1 fault ended, 0 in force.\n",
    );
    expect(await printed(emulator, "fault", "list")).toBe("No faults are in force.\n");
    expect((await ask(emulator.baseUrl, SPOT)).status).toBe(200);
  });

  it("strikes a share, by kind and type of file, and knows every action", async () => {
    const emulator = await running();
    const flags = "media --kind ad --type video/* --share 0.5 --times 3 --skip 1 --latency 100ms-2s --corrupt 4";
    await printed(emulator, "fault", "add", ...flags.split(" "), "--name", "bad line");
    const all = `--status 200 --body {"a":1} --retry-after 5 --empty --hang --break-off --redirect loop --bytes-per-second 1
      --truncate-at 2 --wrong-length -1 --malformed-json --content-type a/b --headers {"x":"y"} --patch {"a":null}
      --date-skew -1h`;
    await printed(emulator, "fault", "add", ...all.split(/\s+/));

    const faults = JSON.parse(await printed(emulator, "fault", "list", "--json"));
    expect(faults[0]).toMatchObject({
      ...{ name: "bad line", match: { route: "media", kind: "ad", mimeType: "video/*" }, probability: 0.5 },
      ...{ times: 3, skip: 1, do: { latencyMs: { min: 100, max: 2000 }, corrupt: 4 } },
    });
    expect(faults[1].do).toEqual({
      ...{ status: 200, body: { a: 1 }, retryAfter: 5, empty: true, hang: true, reset: true, redirect: "loop" },
      ...{ bytesPerSecond: 1, truncateAt: 2, wrongLength: -1, malformedJson: true, contentType: "a/b" },
      ...{ headers: { x: "y" }, patch: { a: null }, dateSkewMs: -3_600_000 },
    });
  });

  it.each([[["maintenance"]], [["--preset", "maintenance"]]])("has the bad days by name: %j", async (named) => {
    const emulator = await running();
    await printed(emulator, "fault", "add", ...named, "--for", "90s");

    expect((await ask(emulator.baseUrl, SPOT)).status).toBe(503);
    emulator.clock.advance(90_000);
    expect((await ask(emulator.baseUrl, SPOT)).status).toBe(200);
  });

  it.each([
    [["fault", "add", "pop"], 64, ", offline, or a rule with --status, "],
    [["fault", "add", "--preset", "offline", "--status", "500"], 64, "A preset goes with --for only"],
    [["fault", "add", "offline", "--status", "500"], 64, "A preset goes with --for only"],
    [["fault", "add", "off-line", "--status", "500"], 65, "match.route: must be one of spot, "],
    [["fault", "add", "pop", "--status", "500", "--for", "soon"], 64, "such as 500ms, 90s, 1m"],
    [["fault", "add", "pop", "--status", "500", "--share", "2"], 64, "It must be from 0 to 1"],
    [["fault", "add", "pops", "--status", "500"], 65, 'media, pop; did you mean "pop"?'],
    [["fault", "clear", "none"], 1, "There is no fault none."],
    [["fault", "ad"], 64, "ad"],
  ])("refuses %j", async (args, code, message) => {
    const emulator = await running();
    const ended = await told(emulator, ...args);

    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toContain(message);
  });
});

describe("the operator's commands", () => {
  it("say what a screen gets next", async () => {
    const emulator = await running();
    const args = "next screen_demo --news none --ad ad-cycling --no-billable --times 2".split(" ");

    expect(await printed(emulator, ...args)).toBe("2 spots wait for screen_demo.\n");
    expect(await nextSpot(emulator)).toMatchObject({ billable: false, news: null, ad: { id: "ad-cycling" } });
    expect(await printed(emulator, "next", "screen_demo", "--ad", "none")).toBe("2 spots wait for screen_demo.\n");
    const wrong = await told(emulator, "next", "screen_demo", "--ad", "ad-cofee");
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      'The emulator refuses: spots[0].ad: there is no creative ad-cofee; did you mean "ad-coffee"?\n',
    ]);
  });

  it("say so for as many spots as may wait for a screen, and for no more", async () => {
    const emulator = await running();
    const args = "next screen_demo --news news-weather --ad ad-cycling --ad-first --no-billable --times".split(" ");

    expect(await printed(emulator, ...args, "25000")).toBe("25,000 spots wait for screen_demo.\n");
    expect((await told(emulator, ...args, "25001")).stderr).toContain("It must be a whole number from 1 to 25000.");
    expect((await told(emulator, ...args, "1")).stderr).toContain("at most 25000 spots can wait for a screen");
  });

  it("approve a location, a CAR, or all that wait", async () => {
    const emulator = await running();

    expect(await printed(emulator, "approve", "loc_museum", "--no-ads")).toBe("Location loc_museum is APPROVED now.\n");
    expect(await printed(emulator, "approve", "--all")).toBe("CAR car_cinema is approved now.\n");
    expect(await printed(emulator, "approve", "--all")).toBe("Nothing waits for approval.\n");
    const [again, unknown] = [await told(emulator, "approve", "car_cinema"), await told(emulator, "approve", "x")];
    expect([again.code, unknown.code, unknown.stderr]).toEqual([1, 1, "There is no location and no CAR x.\n"]);
  });

  it("approve whose it is, where several organizations have one of that id", async () => {
    const [one] = smallWorld().organizations;
    const waiting = {
      ...one,
      org_token: "org_a",
      locations: [{ location_id: "l", title: "L", status: "REVIEW" as const }],
    };
    const organizations = [waiting, { ...waiting, org_token: "org_b" }].map((owner) => ({ ...owner, screens: [] }));
    const screens = { ...one, org_token: "org_c" };
    const emulator = await running({ world: { ...smallWorld(), organizations: [...organizations, screens] } });

    expect((await told(emulator, "approve", "l")).stderr).toBe("Several wait as l; say whose with --org-token.\n");
    expect(await printed(emulator, "approve", "l", "--org-token", "org_b")).toBe("Location l is APPROVED now.\n");
    expect(await printed(emulator, "approve", "l")).toBe("Location l is APPROVED now.\n");
  });

  it("show and set the clock", async () => {
    const emulator = await running();

    expect(await printed(emulator, "clock")).toBe("2026-03-02T08:00:00.000Z, frozen\n");
    expect(await printed(emulator, "clock", "--advance", "1.5h")).toBe("2026-03-02T09:30:00.000Z, frozen\n");
    const set = await printed(emulator, ..."clock --run --speed 60 --now 2026-03-03T08:00:00Z".split(" "));
    expect(set).toMatch(/^2026-03-03T08:0\d:\d\d\.\d{3}Z, runs 60 times as fast\n$/);
    expect((await told(emulator, "clock", "--now", "tomorrow")).code).toBe(65);
    expect((await told(emulator, "clock", "--run", "--freeze")).code).toBe(64);
    for (const speed of ["abc", "", "0", "-1", "Infinity"]) {
      const { code, stderr } = await told(emulator, "clock", `--speed=${speed}`);
      expect([code, stderr]).toEqual([64, expect.stringContaining("It must be a number above 0.")]);
    }
  });

  it("tell what the auditor found, and end with 1 then", async () => {
    const emulator = await running();
    expect(await printed(emulator, "audit")).toBe("Nothing: every proof was an honest one.\n");
    await call(emulator, (await nextSpot(emulator)).news.pop);

    const { code, stdout, stderr } = await told(emulator, "audit");
    expect([code, stderr]).toEqual([1, "1 violation.\n"]);
    expect(stdout).toMatch(/early-pop +screen_demo of org_demo +news +\d+ ms before/);
    expect(JSON.parse((await told(emulator, "audit", "--json")).stdout)).toHaveLength(1);
  });

  it("bring everything back", async () => {
    const emulator = await running();
    await nextSpot(emulator);

    expect(await printed(emulator, "reset")).toBe("Everything is as it was at the start.\n");
    expect(emulator.spots()).toEqual([]);
  });

  it("say where they looked when no emulator answers", async () => {
    const emulator = await running();
    await emulator.close();
    const [gone, other] = [await told(emulator, "audit"), await told({ ...emulator, controlUrl: "nonsense" }, "audit")];

    expect([gone.code, other.code]).toEqual([69, 69]);
    expect(gone.stderr).toMatch(/^No emulator answers at http:\/\/127\.0\.0\.1:\d+: /);
  });

  it("know another listener from a control listener", async () => {
    const emulator = await running();
    const { code, stderr } = await told({ ...emulator, controlUrl: emulator.mediaUrl }, "fault", "list");

    expect([code, stderr]).toEqual([1, "The emulator refuses: there is nothing at this path\n"]);
  });
});
