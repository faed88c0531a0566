import type { WebContents } from "electron";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { brokenIn, newestFrame } from "../../../src/main/house/page-frames.ts";

const FRAME = 7;
const TURN_MS = 2_000;

/** The slate's page with one page of the operator's in it, as Electron has them. */
function slateWithPage() {
  const page = {
    asked: 0,
    isAnswering: true,
    frameTreeNodeId: FRAME,
    isDestroyed: () => false,
    executeJavaScript() {
      page.asked++;
      return page.isAnswering ? Promise.resolve() : new Promise(() => {});
    },
  };
  const slate = {
    page,
    isCrashed: false,
    isDestroyed: () => false,
    mainFrame: {
      get frames() {
        if (slate.isCrashed) throw new Error("Render frame was disposed before WebFrameMain could be accessed");
        return [page];
      },
    },
  };
  return slate;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the operator's page in the slate", () => {
  const watch = (slate: ReturnType<typeof slateWithPage>) => {
    const heard: string[] = [];
    const broken = brokenIn(slate as unknown as WebContents, FRAME, new Promise(() => {}));
    void broken.then((how) => heard.push(how));
    return heard;
  };

  it("is broken when it has not answered three times", async () => {
    const slate = slateWithPage();
    const heard = watch(slate);
    await vi.advanceTimersByTimeAsync(10 * TURN_MS);
    expect(heard).toEqual([]);
    slate.page.isAnswering = false;
    await vi.advanceTimersByTimeAsync(4 * TURN_MS);
    expect(heard).toEqual(["broken"]);
  });

  it("is as good as silent while the process of the slate is gone, and is asked again after that", async () => {
    const slate = slateWithPage();
    const heard = watch(slate);
    slate.isCrashed = true;
    await vi.advanceTimersByTimeAsync(TURN_MS);
    slate.isCrashed = false;
    await vi.advanceTimersByTimeAsync(10 * TURN_MS);
    expect(heard).toEqual([]);
    expect(slate.page.asked).toBe(10);
  });

  it("is not there while the process of the slate is gone", () => {
    const slate = slateWithPage();
    expect(newestFrame(slate as unknown as WebContents)).toBe(FRAME);
    slate.isCrashed = true;
    expect(newestFrame(slate as unknown as WebContents)).toBeNull();
  });
});
