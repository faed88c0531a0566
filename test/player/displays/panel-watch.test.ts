import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { NamedOutput } from "../../../src/core/displays/panel.ts";
import { DisplaySurvey, FRESH_MS } from "../../../src/player/displays/display-survey.ts";
import { PanelWatch } from "../../../src/player/displays/panel-watch.ts";
import type { Ran } from "../../../src/player/run-program.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

const CEC_ON = "REPORT_POWER_STATUS (0x90):\n\tpwr-state: on (0x00)\n";
const ADAPTER = "\tDRM Connector Info         : card 0, connector 32\n\tLogical Address Mask       : 0x0010\n";

let clock: ManualClock;
let folder: string;
let asked: string[];
/** What each program says, by its name; one without is not installed. */
let says: Record<string, (args: readonly string[]) => Promise<Ran>>;
let output: NamedOutput | null;
let isBusy: () => boolean;
let looks: number;

beforeEach(() => {
  clock = new ManualClock();
  folder = temporaryFolder();
  [asked, says, output, isBusy, looks] = [[], {}, { name: "HDMI-1", edid: "" }, () => false, 0];
  mkdirSync(join(folder, "dev"));
  connector({ status: "connected", enabled: "enabled", dpms: "On", connector_id: "32" });
  mkdirSync(join(folder, "drm/card0-HDMI-A-1/i2c-4"));
});

function connector(files: Readonly<Record<string, string>>): void {
  const path = join(folder, "drm/card0-HDMI-A-1");
  mkdirSync(path, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), `${text}\n`);
}

function hasTelevision(said: () => string): void {
  writeFileSync(join(folder, "dev/cec0"), "");
  says["cec-ctl"] = async (args) => ({ kind: "ran", output: args.includes("--to") ? said() : ADAPTER });
}

function opened(session: "x11" | "wayland" | "none" = "none"): { watch: PanelWatch; survey: DisplaySurvey } {
  const survey = new DisplaySurvey({
    async run(program, args) {
      asked.push(program);
      return says[program]?.(args) ?? { kind: "failed", reason: `${program} is not installed` };
    },
    ...{ clock, session, drmFolder: join(folder, "drm"), cecFolder: join(folder, "dev") },
  });
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const watch = new PanelWatch({
    ...{ screenIds: ["lobby"], survey, clock, log: pino({ level: "silent" }), signal: ending.signal },
    outputOf: () => output,
    isBusy: () => isBusy(),
    onLook: () => void looks++,
  });
  return { watch, survey };
}

/** Files are read beside the clock: until they are, the watch is waited for. */
async function looked(watch: PanelWatch): Promise<string> {
  await watch.look();
  return watch.truthOf("lobby").state;
}

describe("what is known of a screen's display", () => {
  it("is nothing at first, nor where neither the kernel nor a program tells", async () => {
    const { watch } = opened();
    expect(watch.truthOf("lobby").state).toBe("unknown");
    expect(await looked(watch)).toBe("unknown");
    rmSync(join(folder, "drm"), { recursive: true });
    expect(await looked(watch)).toBe("unknown");
  });

  it("is that it is off once the kernel says so of a connector that it has said to be lit", async () => {
    const { watch } = opened();
    await looked(watch);
    connector({ dpms: "Off" });
    expect(await looked(watch)).toBe("off");
    connector({ dpms: "On" });
    expect(await looked(watch)).toBe("unknown");
    connector({ status: "disconnected", enabled: "disabled", dpms: "Off" });
    expect(await looked(watch)).toBe("off");
  });

  it("is nothing where the kernel has never said that it is lit: the driver may not tell", async () => {
    connector({ enabled: "disabled", dpms: "Off" });
    const { watch } = opened();
    expect(await looked(watch)).toBe("unknown");
  });

  it("is what the television says, until it says nothing any more", async () => {
    let said = CEC_ON;
    hasTelevision(() => said);
    const { watch } = opened();
    expect(await looked(watch)).toBe("on");
    said = CEC_ON.replace("on (0x00)", "standby (0x01)");
    expect(await looked(watch)).toBe("off");
    said = "Tx, Not Acknowledged (4), Max Retries";
    expect(await looked(watch)).toBe("unknown");
  });

  it("is what the monitor says on its bus", async () => {
    says.ddcutil = async (args) => ({ kind: "ran", output: args.includes("4") ? "VCP D6 SNC x04\n" : "" });
    const { watch } = opened();
    expect(await looked(watch)).toBe("off");
  });

  it("is what the X server says, of a display that it cannot name, too", async () => {
    says.xset = async () => ({ kind: "ran", output: "  DPMS is Enabled\n  Monitor is Off\n" });
    output = null;
    expect(await looked(opened("x11").watch)).toBe("off");
    expect(await looked(opened("wayland").watch)).toBe("unknown");
  });

  it("is forgotten when programs have not answered for long: what they said is no more than that", async () => {
    hasTelevision(() => CEC_ON);
    const { watch, survey } = opened();
    await looked(watch);
    await clock.advance(FRESH_MS);
    expect(survey.truthOf(output).state).toBe("on");
    await clock.advance(1);
    expect(survey.truthOf(output).state).toBe("unknown");
  });

  it("is told after each look", async () => {
    const { watch } = opened();
    await looked(watch);
    await looked(watch);
    expect(looks).toBe(2);
  });
});

describe("programs that tell of displays", () => {
  /** Turns the clock until the look is over; files are read beside it. */
  async function lookedWhile(busy: () => boolean): Promise<readonly string[]> {
    isBusy = () => {
      const isIt = busy();
      asked.push(isIt ? "busy" : "free");
      return isIt;
    };
    const { watch } = opened("x11");
    let isOver = false;
    void watch.look().then(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(100);
    return asked.slice(0, asked.indexOf("xset") + 1);
  }

  it("are not begun while an item is about to become visible", async () => {
    let left = 3;
    expect(await lookedWhile(() => left-- > 0)).toEqual(["busy", "busy", "busy", "free", "xset"]);
  });

  it("are not put off for ever", async () => {
    const before = await lookedWhile(() => true);
    expect([before.length > 20, before.at(-1)]).toEqual([true, "xset"]);
  });

  it("run one after the other, and one that hangs holds up no reading of the kernel", async () => {
    let answer = (_: Ran) => {};
    says.xset = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const { watch } = opened("x11");
    watch.start();
    await expect.poll(() => looks).toBe(1);
    connector({ dpms: "Off" });
    // The next reading of the kernel is two seconds later.
    await clock.advance(2_000);
    await expect.poll(() => watch.truthOf("lobby").state).toBe("off");
    void watch.look();
    await clock.settle();
    expect(asked).toEqual(["xset"]);
    answer({ kind: "failed", reason: "SIGKILL" });
  });
});

describe("looks that are asked for", () => {
  it("are one where they would follow upon another", async () => {
    const { watch } = opened("x11");
    await Promise.all([watch.look(), watch.look(), watch.look()]);
    expect(asked.filter((program) => program === "xset")).toHaveLength(1);
    await watch.look();
    expect(asked.filter((program) => program === "xset")).toHaveLength(2);
  });
});

describe("a display that is to be switched", () => {
  it("is switched by its own connector's bus or adapter, or not at all", async () => {
    const { watch, survey } = opened();
    await looked(watch);
    asked = [];
    says.ddcutil = async (args) => ({ kind: "ran", output: args.join(" ") });
    expect(await survey.switch("ddc", output, "off")).toEqual({
      ...{ kind: "ran", output: "setvcp d6 4 --bus 4 --noverify" },
    });
    expect(await survey.switch("cec", output, "off")).toMatchObject({
      ...{ kind: "failed", reason: "HDMI-A-1 has no CEC adapter that can be asked" },
    });
    expect(await survey.switch("ddc", { name: "DP-9", edid: "" }, "off")).toMatchObject({ kind: "failed" });
    expect(await survey.switch("dpms", null, "off")).toMatchObject({ kind: "failed" });
    expect(asked).toEqual(["ddcutil"]);
  });

  it("needs no look before: its adapter is found when it is ordered", async () => {
    hasTelevision(() => CEC_ON);
    const { survey } = opened();
    await survey.readKernel("all");
    expect(await survey.switch("cec", output, "off")).toMatchObject({ kind: "ran" });
  });
});
