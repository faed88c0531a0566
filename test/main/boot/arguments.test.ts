import { describe, expect, it } from "vitest";
import { forbiddenSwitches, readArguments, switchIn } from "../../../src/main/boot/arguments.ts";

describe("the player's arguments", () => {
  it("name the configuration, from a clone and packaged", () => {
    expect(readArguments(["electron", "--no-sandbox", "/app", "--config", "/etc/c.json"], false)).toEqual({
      command: null,
      config: "/etc/c.json",
      checkConfig: false,
    });
    expect(readArguments(["spotloop", "play", "--config=/etc/c.json", "--check-config"], true)).toEqual({
      command: null,
      config: "/etc/c.json",
      checkConfig: true,
    });
  });

  it("can be a command of the command line, with all that follows", () => {
    const { command } = readArguments(["spotloop", "emulator", "--port", "0"], true);
    expect(command).toEqual(["emulator", "--port", "0"]);
  });

  it.each([
    ["locations", "get", "gym-1", "--json", "--base-url", "https://network.example"],
    ["screens", "update", "door-1", "--title", "The door", "--config", "/etc/c.json"],
    ["doctor", "--bundle", "b.json"],
    ["machine"],
  ])("can be %s, from a clone and packaged", (...words) => {
    expect(readArguments(["spotloop", ...words], true).command).toEqual(words);
    expect(readArguments(["electron", "--no-sandbox", "/app", ...words], false).command).toEqual(words);
  });
});

describe("the player's help", () => {
  it.each([
    [["spotloop", "--help"], ["--help"]],
    [
      ["spotloop", "play", "-h"],
      ["play", "-h"],
    ],
    [
      ["spotloop", "locations", "--help"],
      ["locations", "--help"],
    ],
  ])("is asked for by %j", (argv, command) => {
    expect(readArguments(argv, true).command).toEqual(command);
  });
});

describe("a packaged player", () => {
  it.each([
    "--remote-debugging-port=9222",
    "--inspect",
    "--inspect-brk=0",
    "--no-sandbox",
    "--NO-SANDBOX",
    "-no-sandbox",
    "--disable-web-security",
    "--ignore-certificate-errors",
    "--load-extension=/tmp/x",
    "--js-flags=--expose-gc",
  ])("does not run with %s", (argument) => {
    expect(forbiddenSwitches(["spotloop", argument])).toHaveLength(1);
  });

  it("does not run with them where Windows has a slash for a dash", () => {
    expect(forbiddenSwitches(["spotloop", "/remote-debugging-port=9222"], "win32")).toEqual(["remote-debugging-port"]);
    expect(forbiddenSwitches(["spotloop", "/no-sandbox/config.json"], "linux")).toEqual([]);
  });

  it("lets the command that `emulator exec` runs have switches of its own", () => {
    expect(forbiddenSwitches(["spotloop", "emulator", "exec", "--", "chromium", "--no-sandbox"])).toEqual([]);
    expect(forbiddenSwitches(["spotloop", "--no-sandbox", "--", "chromium"])).toEqual(["no-sandbox"]);
  });

  it("runs with what is harmless", () => {
    expect(forbiddenSwitches(["spotloop", "--config", "/etc/no-sandbox.json", "--check-config"])).toEqual([]);
  });
});

describe("a switch of the configuration", () => {
  it.each([
    ["disable-gpu-rasterization", ["disable-gpu-rasterization"]],
    ["enable-features=VaapiVideoDecoder", ["enable-features", "VaapiVideoDecoder"]],
    [
      "blink-settings=primaryHoverType=2,availableHoverTypes=2",
      ["blink-settings", "primaryHoverType=2,availableHoverTypes=2"],
    ],
    ["lang=", ["lang", ""]],
  ])("is given to Chromium whole: %s", (given, parts) => {
    expect(switchIn(given)).toEqual(parts);
  });
});
