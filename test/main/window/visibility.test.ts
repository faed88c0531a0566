import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Visibility, watchDesktop } from "../../../src/main/window/visibility.ts";
import type { Ran } from "../../../src/player/run-program.ts";

function heard(): { visibility: Visibility; told: boolean[] } {
  const visibility = new Visibility();
  const told: boolean[] = [];
  visibility.listen((isVisible) => told.push(isVisible));
  return { visibility, told };
}

describe("the visibility of a window", () => {
  it("is lost with the first reason and regained with the last", () => {
    const { visibility, told } = heard();
    visibility.note("unmapped", true);
    visibility.note("covered", true);
    visibility.note("unmapped", false);
    expect([told, visibility.isVisible, visibility.hiddenReasons]).toEqual([[false], false, ["covered"]]);
    visibility.note("covered", false);
    expect([told, visibility.isVisible]).toEqual([[false, true], true]);
  });

  it("is lost to a program by its name, where it is known", () => {
    const { visibility } = heard();
    visibility.note("covered", true, "XMessage");
    visibility.note("minimized", true);
    expect(visibility.hiddenReasons).toEqual(["covered by XMessage", "minimized"]);
    visibility.note("covered", false);
    expect([visibility.has("covered"), visibility.hiddenReasons]).toEqual([false, ["minimized"]]);
  });

  it("says nothing twice", () => {
    const { visibility, told } = heard();
    visibility.note("covered", false);
    visibility.note("minimized", true);
    visibility.note("minimized", true);
    expect(told).toEqual([false]);
  });

  it("is lost for a moment when the window goes to another display, where there was any", () => {
    const visibility = new Visibility();
    const told: unknown[] = [];
    visibility.listen(() => told.push([...visibility.hiddenReasons]));
    visibility.interrupt();
    visibility.note("no display", true);
    visibility.interrupt();
    expect(told).toEqual([["display changed"], [], ["no display"]]);
  });
});

describe("GNOME Shell", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const UBUNTU = { XDG_CURRENT_DESKTOP: "ubuntu:GNOME" };
  const answer = (mode: string, overview: boolean): Ran => {
    return {
      kind: "ran",
      output: `({'Mode': <'${mode}'>, 'OverviewActive': <${overview}>, 'ShellVersion': <'43.9'>},)\n`,
    };
  };

  /** A session in which the shell answers so from now on, and what it was asked for besides. */
  function session(first: Ran) {
    const { visibility } = heard();
    const asked: string[] = [];
    let says = first;
    const watch = watchDesktop(visibility, UBUNTU, async (program, args) => {
      if (!args.some((arg) => arg.endsWith(".GetAll"))) asked.push([program, ...args.slice(-3)].join(" "));
      return says;
    });
    const say = async (next: Ran, withinMs = 1_000) => {
      says = next;
      await vi.advanceTimersByTimeAsync(withinMs);
    };
    return { visibility, asked, watch, say };
  }

  it("hides a window by its overview and its lock screen, within a second, for as long as they are there", async () => {
    const { visibility, say } = session(answer("user", true));
    await vi.advanceTimersByTimeAsync(0);
    expect(visibility.hiddenReasons).toEqual(["desktop overview"]);
    await say(answer("unlock-dialog", false));
    expect(visibility.hiddenReasons).toEqual(["locked"]);
    await say(answer("ubuntu", false));
    expect(visibility.isVisible).toBe(true);
  });

  it("that does not answer shows what it showed", async () => {
    const { visibility, say } = session(answer("user", true));
    await say({ kind: "failed", reason: "Error: Timeout was reached" });
    expect(visibility.hiddenReasons).toEqual(["desktop overview"]);
    await say(answer("user", false), 10_000);
    await say({ kind: "failed", reason: "gdbus is not installed" });
    expect(visibility.isVisible).toBe(true);
  });

  it("is told to close its overview", () => {
    const { asked, watch } = session(answer("user", true));
    watch?.leaveOverview();
    expect(asked).toEqual(["gdbus org.gnome.Shell OverviewActive <false>"]);
  });

  it("is not asked once the window is closed, nor where the desktop is another", async () => {
    const { visibility, watch, say } = session(answer("user", false));
    watch?.close();
    await say(answer("user", true));
    expect(visibility.isVisible).toBe(true);
    expect(watchDesktop(visibility, { XDG_CURRENT_DESKTOP: "KDE" }, async () => answer("user", true))).toBeNull();
  });
});
