import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { LOG_FILES, type LogOptions, openLog } from "../../../src/player/log/log.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const MIB = 1024 * 1024;
const SECRET = 'org token/"quoted"';

function options(dir: string, more: Partial<LogOptions> = {}): LogOptions {
  return { dir, level: "info", maxBytes: MIB, secrets: [SECRET], ...more };
}

const filesIn = (dir: string) => readdirSync(dir).map((name) => join(dir, name));
const textIn = (dir: string) =>
  filesIn(dir)
    .map((file) => readFileSync(file, "utf8"))
    .join("");
const linesIn = (dir: string) =>
  textIn(dir)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("the log", () => {
  it("writes JSON lines with time and level, and nothing below its level", async () => {
    const dir = join(temporaryFolder(), "deep", "logs");
    const { logger, close } = openLog(options(dir));
    logger.debug("too fine");
    logger.warn({ reason: "stalled" }, "item failed");
    await close();
    expect(linesIn(dir)).toEqual([
      { level: "warn", time: expect.stringMatching(/^\d{4}-.*Z$/), reason: "stalled", msg: "item failed" },
    ]);
  });

  it("keeps to its size, the newest lines last", async () => {
    const dir = temporaryFolder();
    const { logger, close } = openLog(options(dir));
    for (let count = 0; count < 3_000; count++) {
      logger.info({ count, padding: "x".repeat(1_000) });
      if (count % 20 === 0) await new Promise(setImmediate);
    }
    await close();
    const sizes = filesIn(dir).map((file) => statSync(file).size);
    expect(sizes.length).toBeLessThanOrEqual(LOG_FILES + 1);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(1.25 * MIB);
    expect(linesIn(dir).some(({ count }) => count === 2_999)).toBe(true);
  });

  it("goes on in the folder of an earlier run, and clears away what that left over its size", async () => {
    const dir = temporaryFolder();
    for (let number = 1; number <= 12; number++) writeFileSync(join(dir, `spotloop.${number}.log`), "old\n");
    const { logger, close } = openLog(options(dir));
    logger.info("new");
    await vi.waitFor(() => expect(textIn(dir)).toContain("new"));
    for (let count = 0; count < 400; count++) {
      logger.info({ padding: "x".repeat(1_000) });
      if (count % 20 === 0) await new Promise(setImmediate);
    }
    await close();
    expect(readdirSync(dir).length).toBeLessThanOrEqual(LOG_FILES + 1);
    expect(readdirSync(dir)).not.toContain("spotloop.1.log");
  });

  it("never holds a secret, wherever it stands and however it is written", async () => {
    const dir = temporaryFolder();
    const echoed: string[] = [];
    const { logger, close } = openLog(options(dir, { echo: { write: (text) => echoed.push(text) } }));
    const url = `https://service.example/v3/vendor/${encodeURIComponent(SECRET)}/1/rt_ad/s`;
    logger.info({ orgToken: "whatever", nested: { deep: SECRET }, [SECRET]: 1 }, `the token is ${SECRET}`);
    logger.error(new Error(`cannot fetch ${url} or ${url.replaceAll("%2F", "%2f")}`));
    logger.info({ url: encodeURI(SECRET), body: JSON.stringify({ token: SECRET }), pop: "https://pop.example/x" });
    await close();
    for (const text of [textIn(dir), echoed.join("")]) {
      expect(text).not.toMatch(/org(%20| )token|quoted|whatever|pop\.example/);
      expect(text.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(7);
    }
    expect(linesIn(dir)).toHaveLength(3);
  });

  it("echoes each line for people", async () => {
    const echoed: string[] = [];
    const { logger, close } = openLog(options(temporaryFolder(), { echo: { write: (text) => echoed.push(text) } }));
    logger.warn({ item: "ad-1", tries: 3 }, "item failed");
    logger.error(new Error("broken"));
    await close();
    expect(echoed[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}item failed item=ad-1 tries=3\n$/);
    expect(echoed[1]).toMatch(/ERROR broken\n {2}Error: broken\n {2} +at /);
  });

  it("echoes a line as one, whatever a file or an item is called", async () => {
    const echoed: string[] = [];
    const { logger, close } = openLog(options(temporaryFolder(), { echo: { write: (text) => echoed.push(text) } }));
    logger.warn({ file: "a\n04:05:06.789 ERROR b\u001b[2J\u0085.jpg" }, "skipped");
    await close();
    expect(echoed[0]).toMatch(/WARN {2}skipped file=a\\n04:05:06\.789 ERROR b\\u001b\[2J\\u0085\.jpg\n$/);
  });

  it("goes to stderr where its folder cannot be", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    const echoed: string[] = [];
    const echo = { write: (text: string) => echoed.push(text) };
    const { logger, close } = openLog(options(join(folder, "file", "logs"), { echo }));
    logger.info("still here");
    await close();
    expect(echoed.join("")).toMatch(/still here\n.*the log folder cannot be written.* reason=.*ENOTDIR/);
  });

  it.runIf(existsSync("/dev/full"))("costs lines and nothing else when the disk is full", async () => {
    const dir = temporaryFolder();
    symlinkSync("/dev/full", join(dir, "spotloop.1.log"));
    const echoed: string[] = [];
    const { logger, close } = openLog(options(dir, { echo: { write: (text) => echoed.push(text) } }));
    for (let count = 0; count < 6; count++) logger.info({ padding: "x".repeat(MIB) }, `line ${count}`);
    await close();
    expect(echoed).toHaveLength(6);
  });

  it.skipIf(process.platform === "win32")("goes on where somebody cleared it away", async () => {
    const dir = join(temporaryFolder(), "logs");
    const { logger, close } = openLog(options(dir));
    logger.info("before");
    await vi.waitFor(() => expect(textIn(dir)).toContain("before"));
    for (const cleared of [dir, join(dir, "spotloop.1.log")]) {
      rmSync(cleared, { recursive: true });
      logger.info(`after ${cleared}`);
      expect(textIn(dir)).toContain(`after ${cleared}`);
    }
    await close();
  });

  it.skipIf(process.platform === "win32")("goes on where another file was put in its place", async () => {
    const dir = temporaryFolder();
    const file = join(dir, "spotloop.1.log");
    const { logger, close } = openLog(options(dir));
    logger.info("before");
    await vi.waitFor(() => expect(textIn(dir)).toContain("before"));
    renameSync(file, `${file}.1`);
    writeFileSync(file, "");
    logger.info("after");
    await close();
    expect(readFileSync(file, "utf8")).toContain("after");
    expect(readFileSync(`${file}.1`, "utf8")).not.toContain("after");
  });

  it("can be closed twice, and takes lines after that without harm", async () => {
    const dir = temporaryFolder();
    const { logger, close } = openLog(options(dir));
    logger.info("last");
    await Promise.all([close(), close()]);
    logger.info("too late");
    expect(linesIn(dir)).toHaveLength(1);
  });
});
