import { describe, expect, it, onTestFinished } from "vitest";
import { startDisplay } from "../../../scripts/setup/display.ts";
import { displayAnswers } from "../../../src/main/window/x11-connection.ts";

/** An X server that takes connections and answers none until it goes on. */
async function standingStill() {
  const display = await startDisplay({ width: 320, height: 200 });
  const { pid } = display;
  if (pid === undefined) throw new Error("the display has no process");
  process.kill(pid, "SIGSTOP");
  const goOn = () => process.kill(pid, "SIGCONT");
  onTestFinished(async () => {
    goOn();
    await display.stop();
  });
  return { name: display.name, goOn };
}

describe("the wait for an X server's answer", () => {
  it("is over when the server lets clients in, however late that is", async () => {
    const { name, goOn } = await standingStill();
    let hasAnswered = false;
    const answer = displayAnswers({ DISPLAY: name }).then((does) => {
      hasAnswered = true;
      return does;
    });

    expect(await displayAnswers({ DISPLAY: name }, 300)).toBe(false);
    const before = hasAnswered;
    goOn();

    expect(await answer).toBe(true);
    expect(before).toBe(false);
  });

  it("is in vain where there is none", async () => {
    expect(await displayAnswers({ DISPLAY: ":4711" }, 100)).toBe(false);
  });

  it.each([{}, { DISPLAY: "elsewhere:0" }, { DISPLAY: ":4711", WAYLAND_DISPLAY: "wayland-0" }])(
    "is not for %j",
    async (env) => {
      expect(await displayAnswers(env, 100)).toBe(true);
    },
  );
});
