import { rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { startDisplay } from "../../../scripts/setup/display.ts";
import { connectX11, displayAnswers, type X11Connection } from "../../../src/main/window/x11-connection.ts";
import { frameIn, frameRequest } from "../../../src/main/window/x11-protocol.ts";
import { socketOf } from "../../../src/player/display.ts";

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

describe("a connection to an X server", () => {
  it("is made where its socket is nowhere but in the kernel, as from within a /tmp of one's own", async () => {
    const display = await startDisplay({ width: 320, height: 200 });
    onTestFinished(() => display.stop());
    rmSync(socketOf(Number(display.name.slice(1))));

    const connection = await new Promise<X11Connection>((resolve) => {
      const close = connectX11({ DISPLAY: display.name }, resolve, () => {});
      onTestFinished(() => close?.());
    });

    const answer = await connection.ask(frameRequest(connection.root));
    expect(answer && frameIn(answer)).toMatchObject({ width: 320, height: 200 });
  });
});
