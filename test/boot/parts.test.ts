import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { wantedBy } from "../support/machine/debian.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { readOptions } from "./options.ts";
import { screenReader } from "./screen.ts";
import { answerIn, openShell } from "./shell.ts";
import { StepFailed, Steps } from "./steps.ts";
import { bootTable } from "./table.ts";

describe("what npm run boot-test is asked for", () => {
  it("is a hundred cuts and ten idle minutes, or three and one with --quick", () => {
    expect(readOptions([], 5, "/home")).toMatchObject({
      cuts: 100,
      idleMs: 600_000,
      isQuick: false,
      seed: 5,
      keep: false,
      packages: null,
    });
    expect(readOptions(["--quick"], 5, "/home")).toMatchObject({ cuts: 3, idleMs: 60_000, isQuick: true });
    expect(
      readOptions(["--quick", "--cuts", "0", "--seed", "9", "--keep", "--packages", "out"], 5, "/home"),
    ).toMatchObject({
      cuts: 0,
      seed: 9,
      keep: true,
      packages: "/home/out",
    });
  });

  it("is a Debian 12 unless 13 is said", () => {
    expect(readOptions([], 5, "/home").debian).toBe(12);
    expect(readOptions(["--debian", "13"], 5, "/home").debian).toBe(13);
    expect(() => readOptions(["--debian", "11"], 5, "/home")).toThrow(/"11" is no Debian that is tried: 12 or 13/);
  });

  it("adds to a file where that is named", () => {
    expect(readOptions(["--json", "f.json", "--append"], 5, "/home")).toMatchObject({
      json: "/home/f.json",
      append: true,
    });
    expect(() => readOptions(["--append"], 5, "/home")).toThrow("--append adds to the figures of --json FILE");
  });

  it.each([[["--cuts", "many"]], [["--cuts", "-1"]], [["--seed", "1.5"]], [["--cut", "3"]], [["3"]]])(
    "is refused with its usage: %j",
    (args) => {
      expect(() => readOptions(args, 5, "/home")).toThrow(/npm run boot-test -- \[--quick]/);
    },
  );
});

describe("the packages of a bare Debian", () => {
  it("are what is depended on and recommended, of alternatives whatever the suite has, and none of our own", () => {
    const fields =
      "Depends: libnss3, libgtk-3-0t64 | libgtk-3-0 (>= 3.24)\nRecommends: libva2\nspotloop (= 0.1.0), dbus, libva2";
    expect(wantedBy(fields)).toEqual([
      "?or(?exact-name(libgtk-3-0t64),?exact-name(libgtk-3-0))",
      ...["dbus", "libnss3", "libva2"],
    ]);
  });
});

describe("the reader of a screen", () => {
  const wide = join(ROOT, "assets/creatives/news-headlines.jpg");
  const portrait = (turn: string) => {
    const file = join(temporaryFolder(), "turned.png");
    const filter = ["scale=720:405,pad=720:1280:0:437", ...(turn === "" ? [] : [`transpose=${turn}`])].join(",");
    execFileSync("ffmpeg", ["-loglevel", "error", "-nostdin", "-i", wide, "-vf", filter, file]);
    return file;
  };

  it("finds a creative that fills the screen, and one on a screen that is turned clockwise, and no other way round", () => {
    const { creative } = screenReader();
    expect([creative(wide, 0), creative(wide, 90)]).toEqual(["news-headlines", null]);
    const clockwise = portrait("clock");
    expect([creative(clockwise, 0), creative(clockwise, 90)]).toEqual([null, "news-headlines"]);
    expect(creative(portrait("cclock"), 90)).toBeNull();
    expect(creative(portrait(""), 90)).toBeNull();
  });
});

describe("the shell in a virtual PC", () => {
  it("knows the end of a command by its marker only, and how it ended", () => {
    expect(answerIn("hello\nworld\nm1 0\n", "m1")).toEqual({ text: "hello\nworld", code: 0 });
    expect(answerIn("m1 127\n", "m1")).toEqual({ text: "", code: 127 });
    expect(answerIn("hello\nm1 1", "m1")).toBeNull();
    expect(answerIn("hello\n", "m1")).toBeNull();
  });

  it("answers with what a command wrote, throws where it fails, and ends the wait when the machine goes off", async () => {
    const { socket, machine } = await socketPair();
    const shell = openShell(socket);
    machine.on("data", (sent) => {
      const [, marker = ""] = /echo (\S+)" /.exec(String(sent)) ?? [];
      if (String(sent).includes("poweroff")) machine.destroy();
      else machine.write(`done\n${marker} ${String(sent).includes("false") ? 1 : 0}\n`);
    });
    expect(await shell.run("true", 10_000)).toBe("done");
    await expect(shell.run("false", 10_000)).rejects.toThrow("false ended with 1: done");
    await expect(shell.run("poweroff", 10_000)).rejects.toThrow("went off");
    await expect(shell.run("true", 10_000)).rejects.toThrow("is off");
  });
});

describe("the steps of a run", () => {
  const signal = () => new AbortController().signal;

  it("keep what was seen and the last photograph, and end the run where one fails", async () => {
    const folder = temporaryFolder();
    const steps = new Steps(folder, () => {}, signal());
    await steps.take("First boot: shows it", 10_000, async () => {
      writeFileSync(steps.photograph, "picture");
      return "a page";
    });
    await expect(steps.take("Reboot", 10_000, () => Promise.reject(new Error("black")))).rejects.toThrow(StepFailed);
    expect(steps.all).toMatchObject([
      { isDone: true, seen: "a page", picture: "01-first-boot-shows-it.png" },
      { isDone: false, seen: "black", picture: null },
    ]);
    expect(readdirSync(folder)).toEqual(["01-first-boot-shows-it.png"]);
    expect(bootTable(steps.all)).toMatch(/ok {2}First boot: shows it .* a page\n {2}NO {2}Reboot .* black\n/);
  });

  it("end what takes too long, and say so", async () => {
    const steps = new Steps(temporaryFolder(), () => {}, signal());
    const stuck = steps.take("Reboot", 20, async (_, note) => {
      note("it was up");
      return new Promise(() => {});
    });
    await expect(stuck).rejects.toThrow("Reboot: not within 0.02 s\nbefore: it was up");
    expect(existsSync(steps.photograph)).toBe(false);
    expect(steps.all).toMatchObject([{ isDone: false, picture: null }]);
  });

  it("are no failure where the run is stopped", async () => {
    const stopping = new AbortController();
    const steps = new Steps(temporaryFolder(), () => {}, stopping.signal);
    const step = steps.take("Reboot", 10_000, () => new Promise(() => {}));
    stopping.abort(new Error("stopped by SIGINT"));
    await expect(step).rejects.toThrow("stopped by SIGINT");
    expect(steps.all).toEqual([]);
  });
});

/** Both ends of a connection on loopback. */
async function socketPair() {
  const server: Server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const accepted = once(server, "connection");
  const socket = connect(typeof address === "object" ? (address?.port ?? 0) : 0, "127.0.0.1");
  const [machine] = (await accepted) as [typeof socket];
  onTestFinished(() => {
    socket.destroy();
    machine.destroy();
    server.close();
  });
  return { socket, machine };
}
