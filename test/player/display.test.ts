import { describe, expect, it } from "vitest";
import { type DisplayFacts, displayTrouble, isGnome, isWayland } from "../../src/player/display.ts";

const NONE = "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set";

/** A Linux machine on which an X server has the number 0 and no other. */
const trouble = (facts: Partial<DisplayFacts>) =>
  displayTrouble({
    platform: "linux",
    x11: undefined,
    wayland: undefined,
    isServed: (number) => number === 0,
    ...facts,
  });

describe("what keeps a player from opening a window", () => {
  it.each([
    [undefined, NONE],
    ["", NONE],
    [":0", null],
    [":0.0", null],
    ["unix:0", null],
    [":551", "there is no display :551"],
    [":551.1", "there is no display :551.1"],
    ["unix:551", "there is no display unix:551"],
    ["551", "there is no display 551"],
    ["screen", "there is no display screen"],
    // Whoever forwards a display, or has a socket of its own, is taken at its word.
    ["localhost:10.0", null],
    ["attic:551", null],
    ["/run/x/display:551", null],
    ["/run/x/display", null],
  ])("is with DISPLAY=%s: %s", (x11, said) => {
    expect(trouble({ x11 })).toBe(said);
  });

  it.each<[string, Partial<DisplayFacts>]>([
    ["under Wayland", { wayland: "wayland-0", x11: ":551" }],
    ["on Windows", { platform: "win32" }],
  ])("cannot be told %s", (_, facts) => {
    expect(trouble(facts)).toBeNull();
  });
});

describe("where windows are opened", () => {
  const session = { XDG_SESSION_TYPE: "wayland", WAYLAND_DISPLAY: "wayland-0" };

  it.each([
    ["as the switch says it", true, {}, ["--ozone-platform=wayland"]],
    ["as the last one does", true, {}, ["--ozone-platform=x11", "--ozone-platform=wayland"]],
    ["against the session", false, session, ["--ozone-platform=x11"]],
    ["as the session says it without a switch", true, session, []],
    ["as X11 where there is no other word", false, { WAYLAND_DISPLAY: "wayland-0" }, ["--log-level=3"]],
  ] as const)("is told %s: Wayland %s", (_, wayland, env, argv) => {
    expect(isWayland(env, argv, "linux")).toBe(wayland);
    expect(isWayland(env, argv, "win32")).toBe(false);
  });
});

it.each([
  ["GNOME", true],
  ["ubuntu:GNOME", true],
  ["GNOME-Flashback", false],
  ["KDE", false],
  ["", false],
  [undefined, false],
])("a session whose desktop is %j is one of GNOME: %j", (names, is) => {
  expect(isGnome(names === undefined ? {} : { XDG_CURRENT_DESKTOP: names })).toBe(is);
});
