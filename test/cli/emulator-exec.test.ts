import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** `spotloop emulator exec` with a script for Node as its command. */
function exec(script: string, ...flags: string[]) {
  return spotloop({}, ...wordsFor(script, ...flags));
}

function wordsFor(script: string, ...flags: string[]): readonly string[] {
  return ["emulator", ...flags, "exec", "--", process.execPath, "-e", script];
}

function spotloop(env: NodeJS.ProcessEnv, ...words: readonly string[]) {
  const all = { ...process.env, ...env };
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "pipe", "pipe"], env: all });
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.stderr += text;
  });
  return { child, printed };
}

describe("spotloop emulator exec", () => {
  it("gives the command a network, its whole standard output, and ends with its exit code", async () => {
    const { child, printed } = exec(`
      const { SPOTLOOP_BASE_URL: base, SPOTLOOP_ORG_TOKEN: token, SPOTLOOP_SCREEN_ID: screen } = process.env;
      Promise.all([
        fetch(base + "/v3/vendor/" + token + "/1/rt_ad/" + screen),
        fetch(process.env.SPOTLOOP_CONTROL_URL + "/control/health"),
      ]).then((replies) => {
        console.log(token, screen, ...replies.map(({ status }) => status));
        process.exitCode = 7;
      });
    `);

    expect((await once(child, "close"))[0]).toBe(7);
    expect(printed).toEqual({ stdout: "org_demo screen_demo 200 200\n", stderr: "" });
  });

  it("does not let the command find the token file of a real service", async () => {
    const script = "console.log(process.env.SPOTLOOP_ORG_TOKEN_FILE ?? 'none')";
    const { child, printed } = spotloop({ SPOTLOOP_ORG_TOKEN_FILE: "token" }, ...wordsFor(script));
    await once(child, "close");
    expect(printed.stdout).toBe("none\n");
  });

  it("ends with 0 when the command does", async () => {
    expect((await once(exec("").child, "close"))[0]).toBe(0);
  });

  it("takes the emulator's options before and after its name", async () => {
    const script = "console.log(new URL(process.env.SPOTLOOP_BASE_URL).hostname)";
    const after = spotloop({}, "emulator", "exec", "--host", "localhost", "--", process.execPath, "-e", script);
    const before = exec(script, "--host", "localhost");
    await Promise.all([once(after.child, "close"), once(before.child, "close")]);

    expect([before.printed.stdout, after.printed.stdout]).toEqual(["localhost\n", "localhost\n"]);
  });

  it.skipIf(process.platform === "win32").each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "passes %s on, and waits for the command",
    async (signal) => {
      const { child, printed } = exec(`
      process.on("${signal}", () => {
        console.log("got it");
        process.exit(5);
      });
      setInterval(() => {}, 1000);
      console.log("up");
    `);
      while (!printed.stdout.includes("up")) await once(child.stdout, "data");
      child.kill(signal);

      expect((await once(child, "close"))[0]).toBe(5);
      expect(printed.stdout).toBe("up\ngot it\n");
    },
  );

  it.skipIf(process.platform === "win32")("ends as a shell would with a command that a signal ended", async () => {
    const { child } = exec('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);');

    expect((await once(child, "close"))[0]).toBe(143);
  });

  it("ends with 127 when there is no such command", async () => {
    const { child, printed } = spotloop({}, "emulator", "exec", "--", "no-such-command-here");

    expect((await once(child, "close"))[0]).toBe(127);
    expect(printed.stderr).toContain("no-such-command-here cannot be run");
  });

  it("refuses to run nothing", async () => {
    const { child, printed } = spotloop({}, "emulator", "exec", "--");

    expect((await once(child, "close"))[0]).toBe(64);
    expect(printed.stderr).toContain("missing required argument 'command'");
  });
});
