import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AGAIN_AFTER_MS, nowAndOnChange } from "../../../src/main/displays/now-and-on-change.ts";

const SETTLED_MS = 500;

let displays: EventEmitter;
let acts: number;
let isAnswered: boolean;
let end: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  displays = new EventEmitter();
  acts = 0;
  isAnswered = true;
});

afterEach(() => {
  end();
  vi.useRealTimers();
});

function begin(onPlugged?: () => void): void {
  const act = async () => {
    acts += 1;
    return isAnswered;
  };
  end = nowAndOnChange(displays, SETTLED_MS, act, onPlugged);
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("what is done about displays", () => {
  it("is done at once, and again when what changed has been quiet for a while", async () => {
    const onPlugged = vi.fn();
    begin(onPlugged);
    await pass(0);
    expect(acts).toBe(1);
    displays.emit("display-metrics-changed");
    await pass(SETTLED_MS - 1);
    displays.emit("display-added");
    await pass(SETTLED_MS - 1);
    expect([acts, onPlugged.mock.calls.length]).toEqual([1, 1]);
    await pass(1);
    expect(acts).toBe(2);
    await pass(10 * AGAIN_AFTER_MS);
    expect(acts).toBe(2);
  });

  it("is done again later for as long as it is not answered", async () => {
    isAnswered = false;
    begin();
    await pass(2 * AGAIN_AFTER_MS);
    expect(acts).toBe(3);
    isAnswered = true;
    await pass(10 * AGAIN_AFTER_MS);
    expect(acts).toBe(4);
  });

  it("is done sooner where displays change before that", async () => {
    isAnswered = false;
    begin();
    await pass(1);
    displays.emit("display-removed");
    await pass(SETTLED_MS);
    expect(acts).toBe(2);
    await pass(AGAIN_AFTER_MS - 1);
    expect(acts).toBe(2);
    await pass(1);
    expect(acts).toBe(3);
  });

  it("is not done any more once it was ended, though an answer is still awaited then", async () => {
    isAnswered = false;
    begin();
    end();
    await pass(10 * AGAIN_AFTER_MS);
    displays.emit("display-added");
    await pass(10 * AGAIN_AFTER_MS);
    expect(acts).toBe(1);
  });
});
