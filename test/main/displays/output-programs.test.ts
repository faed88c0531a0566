import { describe, expect, it } from "vitest";
import {
  changesFor,
  type Output,
  type OutputWish,
  WLR_RANDR,
  XRANDR,
} from "../../../src/main/displays/output-programs.ts";

const XRANDR_SAYS = `Screen 0: minimum 320 x 200, current 3840 x 1920, maximum 16384 x 16384
HDMI-1 connected primary 1080x1920+0+0 (0x47) right (normal left inverted right x axis y axis) 527mm x 296mm
	Identifier: 0x42
	Gamma:      1.0:1.0:1.0
	Transform:  1.000000 0.000000 0.000000
	            0.000000 1.000000 0.000000
	            0.000000 0.000000 1.000000
	           filter: 
	EDID: 
		00ffffffffffff00
		4c2d0102
  1920x1080 (0x47) 148.500MHz +HSync +VSync *current +preferred
        h: width  1920 start 2008 end 2052 total 2200 skew    0 clock  67.50KHz
        v: height 1080 start 1084 end 1089 total 1125           clock  60.00Hz
  1920x1080 (0x48) 148.352MHz +HSync +VSync
        h: width  1920 start 2008 end 2052 total 2200 skew    0 clock  67.43KHz
        v: height 1080 start 1084 end 1089 total 1125           clock  59.94Hz
  1280x720 (0x4c) 74.250MHz +HSync +VSync
        h: width  1280 start 1390 end 1430 total 1650 skew    0 clock  45.00KHz
        v: height  720 start  725 end  730 total  750           clock  60.00Hz
DP-1 connected 960x540+1080+0 (0x4a) normal X axis (normal left inverted right x axis y axis) 527mm x 296mm
	Transform:  0.500000 0.000000 0.000000
	            0.000000 0.500000 0.000000
	            0.000000 0.000000 1.000000
	           filter: bilinear
  1920x1080 (0x4a) 148.500MHz +HSync +VSync *current
        h: width  1920 start 2008 end 2052 total 2200 skew    0 clock  67.50KHz
        v: height 1080 start 1084 end 1089 total 1125           clock  60.00Hz
DP-2 connected (normal left inverted right x axis y axis)
  1024x768 (0x4e) 65.000MHz -HSync -VSync +preferred
        h: width  1024 start 1048 end 1184 total 1344 skew    0 clock  48.36KHz
        v: height  768 start  771 end  777 total  806           clock  60.00Hz
DP-3 disconnected (normal left inverted right x axis y axis)
`;

const WLR_RANDR_SAYS = `X11-1 "X11 output 1"
  Make: The X.Org Foundation
  Enabled: yes
  Modes:
    1024x768 px (current)
  Position: 0,0
  Transform: 270
  Scale: 2.000000
  Adaptive Sync: enabled
HDMI-A-1 "Samsung U28E590 (HDMI-A-1)"
  Physical size: 607x345 mm
  Enabled: yes
  Modes:
    3840x2160 px, 60.000000 Hz (preferred, current)
    1920x1080 px, 59.939999 Hz
  Position: 512,0
  Transform: flipped
  Scale: 1.000000
DP-1 "Off"
  Enabled: no
  Modes:
    0x0 px
`;

describe("what is told of displays that are on", () => {
  it("is read as xrandr writes it", () => {
    const [first, second, ...others] = XRANDR.read(XRANDR_SAYS);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ name: "HDMI-1", x: 0, y: 0, rotation: 90, scale: 1, mode: { hz: 60, width: 1920 } });
    expect(first?.modes.map(({ width, hz }) => [width, hz])).toEqual([
      [1920, 60],
      [1920, 59.94],
      [1280, 60],
    ]);
    // What it says of itself is all of the lines, and none where there are none.
    expect([first?.edid, second?.edid]).toEqual(["00ffffffffffff004c2d0102", ""]);
    // A picture that is mirrored is turned by no number of degrees.
    expect(second).toMatchObject({ name: "DP-1", x: 1080, rotation: null, scale: 2 });
  });

  it("is read as wlr-randr writes it", () => {
    const [first, second, ...others] = WLR_RANDR.read(WLR_RANDR_SAYS);
    expect(others).toEqual([]);
    expect(first).toEqual({
      ...{ name: "X11-1", x: 0, y: 0, rotation: 90, scale: 2, edid: "" },
      modes: [{ name: "1024x768", width: 1024, height: 768, hz: 0 }],
      mode: { name: "1024x768", width: 1024, height: 768, hz: 0 },
    });
    expect(second).toMatchObject({ name: "HDMI-A-1", x: 512, rotation: null, mode: { width: 3840 } });
    expect(second?.modes.at(-1)?.name).toBe("1920x1080@59.939999Hz");
  });
});

describe("what a display needs to become as it is wanted", () => {
  const [tv] = XRANDR.read(XRANDR_SAYS) as [Output];
  const wish = (changes: Partial<OutputWish>): OutputWish => ({ mode: null, rotate: null, scale: null, ...changes });
  const rates = (mode: string) =>
    changesFor(tv, wish({ mode })).changes.map((change) => change.kind === "mode" && change.mode.hz);

  it.each([
    {},
    { mode: "1920x1080" },
    { mode: "1920x1080@60" },
    { mode: "1920x1080@59.9", rotate: 90, scale: 1 },
  ] as const)("is nothing where it is so already: %j", (changes) => {
    expect(changesFor(tv, wish(changes))).toEqual({ changes: [], impossible: null });
  });

  it("is a mode of that size, the nearest to its rate", () => {
    expect(rates("1280x720")).toEqual([60]);
    expect(rates("1280x720@59.94")).toEqual([60]);
    const slow = { ...tv, mode: null };
    expect(changesFor(slow, wish({ mode: "1920x1080@59.94" })).changes).toMatchObject([{ mode: { hz: 59.94 } }]);
    expect(changesFor(slow, wish({ mode: "1920x1080@60" })).changes).toMatchObject([{ mode: { hz: 60 } }]);
  });

  it.each(["3840x2160", "1920x1080@50"])("cannot be a mode that it does not have: %s", (mode) => {
    expect(changesFor(tv, wish({ mode, rotate: 0 }))).toEqual({
      changes: [{ kind: "rotate", rotation: 0 }],
      impossible: `HDMI-1 has no mode ${mode}`,
    });
  });

  it("is said to each program in its own words: Wayland turns the other way, X11 scales what is drawn", () => {
    const [mode] = changesFor(tv, wish({ mode: "1280x720" })).changes;
    const [turn] = changesFor(tv, wish({ rotate: 270 })).changes;
    const [scale] = changesFor(tv, wish({ scale: 2 })).changes;
    if (!mode || !turn || !scale) throw new Error("nothing to change");
    const said = [XRANDR, WLR_RANDR].map(({ changing }) =>
      [turn, scale].map((one) => changing("A", one).slice(2).join(" ")),
    );
    expect(said).toEqual([
      ["--rotate left", "--scale 0.5x0.5"],
      ["--transform 90", "--scale 2"],
    ]);
    expect(XRANDR.changing("A", mode)).toEqual(["--output", "A", "--mode", "1280x720", "--rate", "60"]);
  });
});
