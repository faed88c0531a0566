import { describe, expect, it } from "vitest";
import { LoopDriver } from "../../support/player/loop-driver.ts";
import { aSpot } from "../../support/player/spots.ts";

describe("a screen at closing time", () => {
  it("shows the item on air to its end and owes its proof, drops what waits, and is blanked before the deck is gone", () => {
    const loop = LoopDriver.onAir();
    loop.pass(1_000);
    loop.tell({ kind: "suspend", because: "closed" });
    expect(loop.read()).toEqual(["clear 1-ad", "settle 1-ad closed"]);
    loop.pass(60_000);
    expect(loop.read()).toEqual(["blank", "clear 1-news", "settle 1-news shown"]);
  });

  it("is blanked at once when nothing is on air", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "suspend", because: "closed" });
    expect(loop.read()).toEqual(["blank"]);
  });

  it("asks for nothing until it opens, and then at once", () => {
    const loop = LoopDriver.onAir();
    loop.tell({ kind: "suspend", because: "closed" });
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
    loop.pass(12 * 3_600_000);
    loop.read();
    loop.tell({ kind: "resume", because: "closed" });
    expect(loop.read()).toEqual(["unblank", "request-spot"]);
  });

  it("drops a spot that was asked for before and comes after, without a download", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.tell({ kind: "suspend", because: "closed" });
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
    expect(loop.read()).toEqual(["request-spot", "blank", "settle 1-news closed", "settle 1-ad closed"]);
  });

  it("drops a spot whose media is still on its way at once, as one that is there", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
    loop.read();
    loop.tell({ kind: "suspend", because: "closed" });
    expect(loop.read()).toEqual(["settle 1-news closed", "settle 1-ad closed", "blank"]);
    loop.prepare("1-news", "1-ad");
    expect(loop.read()).toEqual([]);
  });

  it("counts no request as unfilled: the service did nothing wrong", () => {
    const loop = LoopDriver.onAir();
    loop.tell({ kind: "suspend", because: "closed" });
    loop.pass(10_000);
    expect(loop.state.unfilled).toBe(0);
  });
});

describe("a screen that nobody can see", () => {
  it("ends the item on air at once, unproved, and stays ready for house content", () => {
    const loop = LoopDriver.onAir();
    loop.tell({ kind: "suspend", because: "hidden" });
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news hidden", "clear 1-ad", "settle 1-ad hidden"]);
    loop.pass(60_000);
    expect(loop.read()).toEqual([]);
  });

  it("that was closed besides plays again only when both are over", () => {
    const loop = LoopDriver.onAir();
    loop.tell({ kind: "suspend", because: "hidden" });
    loop.tell({ kind: "suspend", because: "closed" });
    loop.tell({ kind: "suspend", because: "closed" });
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
    loop.pass(60_000);
    loop.read();
    loop.tell({ kind: "resume", because: "closed" });
    expect(loop.read()).toEqual(["unblank"]);
    loop.tell({ kind: "resume", because: "hidden" });
    expect(loop.read()).toEqual(["request-spot"]);
  });
});

describe("a screen on which the operator shows something else", () => {
  it("ends the item on air at once, unproved, and asks for nothing until that is taken back", () => {
    const loop = LoopDriver.onAir();
    loop.tell({ kind: "suspend", because: "overridden" });
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news overridden", "clear 1-ad", "settle 1-ad overridden"]);
    loop.pass(3_600_000);
    expect(loop.read()).toEqual([]);
  });

  it("is lit at any hour, and blanked again afterwards", () => {
    const loop = new LoopDriver();
    loop.tell({ kind: "suspend", because: "closed" });
    loop.tell({ kind: "suspend", because: "switched-off" });
    loop.tell({ kind: "suspend", because: "overridden" });
    loop.tell({ kind: "resume", because: "overridden" });
    expect(loop.read()).toEqual(["blank", "unblank", "blank"]);
  });
});

describe("a screen whose display the operator has switched off", () => {
  it("ends the item on air at once as hidden, and is blanked", () => {
    const loop = LoopDriver.onAir();
    loop.tell({ kind: "suspend", because: "switched-off" });
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news hidden", "clear 1-ad", "settle 1-ad hidden", "blank"]);
  });
});

describe("a screen whose player is about to begin anew", () => {
  it("shows the item on air to its end and owes its proof, drops what waits, and is lit", () => {
    const loop = LoopDriver.onAir();
    loop.tell({ kind: "suspend", because: "ending" });
    expect(loop.read()).toEqual(["clear 1-ad", "settle 1-ad stopped"]);
    loop.pass(60_000);
    expect(loop.read()).toEqual(["clear 1-news", "settle 1-news shown"]);
  });
});
