import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type HouseEffect,
  type HouseEvent,
  type HouseForm,
  type HouseItem,
  type HouseState,
  houseWakeAt,
  IDLE_MS,
  newHouse,
  SHOWN_WITHIN_MS,
  stepHouse,
} from "../../src/core/house.ts";

const STAY_MS = 10_000;

/** House content turned by hand, over a folder that can be changed; what is shown is visible at once, or broken. */
class HouseDriver {
  now = 0;
  state: HouseState = newHouse(STAY_MS);
  folder: readonly HouseItem[];
  readonly broken = new Set<string>();
  readonly effects: { at: number; effect: HouseEffect }[] = [];
  /** Whether an item becomes visible, or fails, by itself. */
  answers = true;
  #unread = 0;

  constructor(folder: readonly HouseItem[]) {
    this.folder = folder;
  }

  tell(event: HouseEvent): void {
    const [state, effects] = stepHouse(this.state, event, this.now);
    this.state = state;
    for (const effect of effects) {
      this.effects.push({ at: this.now, effect });
      const answer = this.#answerTo(effect);
      if (answer !== null) this.tell(answer);
    }
  }

  pass(ms: number): void {
    const until = this.now + ms;
    for (let at = houseWakeAt(this.state); at !== null && at <= until; at = houseWakeAt(this.state)) {
      this.now = Math.max(this.now, at);
      this.tell({ kind: "woke" });
    }
    this.now = until;
  }

  /** What was shown, cleared, paused and resumed since the last call. */
  read(): string[] {
    const read = this.effects.slice(this.#unread).filter(({ effect }) => effect.kind !== "look");
    this.#unread = this.effects.length;
    return read.map(({ effect }) => (effect.kind === "show" ? effect.item.name : `(${effect.kind})`));
  }

  #answerTo(effect: HouseEffect): HouseEvent | null {
    if (effect.kind === "look") return { kind: "looked", items: this.folder };
    if (effect.kind !== "show" || !this.answers) return null;
    const { id, form } = effect.item;
    if (this.broken.has(id)) return { kind: "failed", id };
    return { kind: "shown", id, lengthMs: form === "video" ? 3_000 : null };
  }
}

function item(name: string, form: HouseForm = "image"): HouseItem {
  return { id: name, name, form };
}

function began(...folder: readonly HouseItem[]): HouseDriver {
  const house = new HouseDriver(folder);
  house.tell({ kind: "began" });
  return house;
}

describe("house content", () => {
  it("takes turns in the order of names, as people count, again and again", () => {
    const house = began(item("10.jpg"), item("2.jpg"), item("b.html", "page"));
    house.pass(4 * STAY_MS - 1);
    expect(house.read()).toEqual(["2.jpg", "10.jpg", "b.html", "2.jpg"]);
  });

  it("leaves a clip its whole length, and goes on when that has ended", () => {
    const house = began(item("a.mp4", "video"), item("b.jpg"));
    house.pass(2_999);
    expect(house.read()).toEqual(["a.mp4"]);
    house.tell({ kind: "ended", id: "a.mp4" });
    expect(house.read()).toEqual(["b.jpg"]);
  });

  it("goes on after a clip that never says that it ended", () => {
    const house = began(item("a.mp4", "video"), item("b.jpg"));
    house.pass(10_000);
    expect(house.read()).toEqual(["a.mp4", "b.jpg"]);
  });

  it("begins a clip that is alone again at its end, and leaves an image or a page that is alone as it is", () => {
    const clip = began(item("a.mp4", "video"));
    clip.tell({ kind: "ended", id: "a.mp4" });
    expect(clip.read()).toEqual(["a.mp4", "a.mp4"]);
    const page = began(item("a.html", "page"));
    page.pass(10 * STAY_MS);
    expect(page.read()).toEqual(["a.html"]);
  });

  it("skips what is broken, and tries it again after a minute", () => {
    const house = began(item("a.jpg"), item("b.jpg"), item("c.jpg"));
    house.broken.add("b.jpg");
    house.pass(3 * STAY_MS - 1);
    expect(house.read()).toEqual(["a.jpg", "b.jpg", "c.jpg", "a.jpg"]);
    house.broken.clear();
    house.pass(60_000);
    expect(house.read()).toContain("b.jpg");
  });

  it("shows the slate where all is broken, and does not spin", () => {
    const house = new HouseDriver([item("a.jpg"), item("b.jpg")]);
    house.broken.add("a.jpg").add("b.jpg");
    house.tell({ kind: "began" });
    house.pass(3_600_000);
    const tries = house.effects.filter(({ effect }) => effect.kind === "show").length;
    expect([house.state.showing, tries < 20]).toEqual([null, true]);
    expect(house.effects.filter(({ effect }) => effect.kind === "look").length).toBeLessThanOrEqual(
      3_600_000 / IDLE_MS + 1,
    );
  });

  it("gives up what never becomes visible, and keeps what is there meanwhile", () => {
    const house = began(item("a.jpg"), item("b.html", "page"), item("c.jpg"));
    house.answers = false;
    house.pass(STAY_MS);
    expect(house.state.showing?.item.name).toBe("a.jpg");
    house.answers = true;
    house.pass(SHOWN_WITHIN_MS);
    expect(house.read()).toEqual(["a.jpg", "b.html", "c.jpg"]);
  });

  it("shows what was added, and no more what was taken away; the slate where nothing is left", () => {
    const house = began();
    house.pass(IDLE_MS - 1);
    expect(house.read()).toEqual([]);
    house.folder = [item("a.jpg")];
    house.pass(1);
    expect(house.read()).toEqual(["a.jpg"]);
    house.folder = [item("b.jpg")];
    house.pass(STAY_MS);
    expect(house.read()).toEqual(["b.jpg"]);
    house.folder = [];
    house.pass(STAY_MS);
    expect(house.read()).toEqual(["(clear)"]);
  });

  it("goes on with the next when the visible item breaks, and shows the slate where there is none", () => {
    const house = began(item("a.html", "page"), item("b.jpg"));
    house.tell({ kind: "failed", id: "a.html" });
    expect(house.read()).toEqual(["a.html", "b.jpg"]);
    house.tell({ kind: "failed", id: "b.jpg" });
    expect(house.read()).toEqual(["(clear)"]);
  });

  it("stands still under a deck, and goes on with the rest of its turn after it", () => {
    const house = began(item("a.jpg"), item("b.jpg"));
    house.pass(7_000);
    house.tell({ kind: "covered" });
    house.tell({ kind: "covered" });
    house.pass(3_600_000);
    house.tell({ kind: "uncovered" });
    house.pass(2_999);
    expect(house.read()).toEqual(["a.jpg", "(pause)", "(resume)"]);
    house.pass(1);
    expect(house.read()).toEqual(["b.jpg"]);
  });

  it("leaves what is alone in the folder for a whole turn again, however its last turn ended", () => {
    const house = began(item("a.jpg"));
    house.tell({ kind: "ended", id: "a.jpg" });
    house.pass(STAY_MS);
    expect(house.read()).toEqual(["a.jpg"]);
  });

  it("begins anew what broke under a deck, once it may be tried again", () => {
    const house = began(item("a.html", "page"));
    house.tell({ kind: "covered" });
    house.tell({ kind: "failed", id: "a.html" });
    house.pass(3_600_000);
    house.tell({ kind: "uncovered" });
    expect(house.read()).toEqual(["a.html", "(pause)", "(resume)", "a.html"]);
    house.tell({ kind: "ended", id: "a.html" });
    expect(house.read()).toEqual([]);
  });

  it("lays the next anew when its page was loaded again", () => {
    const house = began(item("a.jpg"), item("b.jpg"));
    house.tell({ kind: "emptied" });
    expect(house.read()).toEqual(["a.jpg", "b.jpg"]);
  });

  it("whatever happens, lays one at a time, only what the folder holds, and nothing while it is covered", () => {
    const names = ["a.jpg", "b.mp4", "c.html"];
    const anEvent = fc.oneof(
      fc.constantFrom<HouseEvent[]>({ kind: "covered" }, { kind: "uncovered" }, { kind: "emptied" }, { kind: "woke" }),
      fc
        .constantFrom(...names)
        .chain((id) =>
          fc.constantFrom<HouseEvent[]>(
            { kind: "failed", id },
            { kind: "ended", id },
            { kind: "shown", id, lengthMs: null },
          ),
        ),
    );
    const aTurn = fc.record({ event: anEvent, afterMs: fc.integer({ min: 0, max: 30_000 }), held: fc.subarray(names) });
    const forms: Record<string, HouseForm> = { "a.jpg": "image", "b.mp4": "video", "c.html": "page" };
    fc.assert(
      fc.property(fc.array(aTurn, { maxLength: 60 }), (turns) => {
        const house = began();
        house.answers = false;
        for (const { event, afterMs, held } of turns) {
          house.folder = held.map((name) => item(name, forms[name]));
          house.pass(afterMs);
          const from = house.effects.length;
          const { visible } = house.state;
          house.tell(event);
          const shown = house.effects.slice(from).filter(({ effect }) => effect.kind === "show");
          expect(shown.length).toBeLessThanOrEqual(1);
          if (!visible && event.kind !== "uncovered") expect(shown).toEqual([]);
          expect(houseWakeAt(house.state) === null).toBe(!house.state.visible);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
