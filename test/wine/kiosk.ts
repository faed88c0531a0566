import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { type Step, StepFailed, Steps, until } from "../boot/steps.ts";
import type { Windows } from "./windows.ts";

const ASSETS = join(ROOT, "assets/windows");
/** As wine starts and ends programs, and with the pauses of the supervisor's own. */
const STEP_MS = 180_000;
const LOOK_MS = 200;
/** Where it is all tried, in the copy of the checkout; and where the installer installs it. */
const [FOLDER, INSTALLED] = ["kiosk", "Spotloop & Söhne"];
const COMMANDS = ["icacls.exe", "net.exe", "schtasks.exe"];

/**
 * Compiles one of the programs in `kiosk.nsi`, with warnings taken for errors as electron-builder takes them. Gives what the
 * compiler had to say: nothing where all is well.
 */
export function compile(program: "setup" | "recorder" | "player" | "holder", output: string): string {
  const defined = [`-DPROGRAM=${program}`, `-DOUTPUT=${output}`, `-DASSETS=${ASSETS}`];
  const args = ["-V2", "-WX", "-INPUTCHARSET", "UTF8", ...defined, join(ROOT, "test/wine/kiosk.nsi")];
  const { stdout, stderr, status, error } = spawnSync("makensis", args, { encoding: "utf8" });
  if (error !== undefined) throw error;
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/**
 * Tries what makes a kiosk of a Windows: the installer's own part, and the supervisor that it installs. Ends at the first
 * step that fails. Needs makensis.
 */
export async function tryKiosk(
  windows: Windows,
  progress: (text: string) => void,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  const folder = join(windows.folder, FOLDER);
  const kiosk = { windows, folder, installed: join(folder, INSTALLED), path: `${windows.path}\\${FOLDER}` };
  make(folder);
  const steps = new Steps(folder, progress, signal);
  const take = (name: string, act: (kiosk: Kiosk, ending: AbortSignal) => Promise<string>) =>
    steps.take(name, STEP_MS, (ending) => act(kiosk, ending));
  try {
    await take("the installer: group, rights and task, in this order", installs);
    await take("the task that it registers, given to wine's schtasks", registers);
    await take("an update, and a kiosk with Shell Launcher", leavesTheTask);
    await take("a Windows that refuses the task", isRefused);
    await take("the supervisor: 75, 76, 78, a crash, 75, 0", supervises);
    await take("the supervisor: a crash after a long run", beginsAnew);
    await take("a second supervisor", waitsForTheLock);
    await take("the supervisor's clock", readsTheTime);
    await take("the uninstaller", uninstalls);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
  }
  return steps.all;
}

interface Kiosk {
  readonly windows: Windows;
  readonly folder: string;
  readonly installed: string;
  /** The folder as Windows names it. */
  readonly path: string;
}

function make(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "commands"), { recursive: true });
  for (const program of ["setup", "recorder", "player", "holder"] as const) {
    const said = compile(program, join(folder, `${program}-test.exe`));
    if (said !== "") throw new Error(said);
  }
  for (const name of COMMANDS) cpSync(join(folder, "recorder-test.exe"), join(folder, "commands", name));
}

async function installs(kiosk: Kiosk): Promise<string> {
  const [data, admins] = ["C:\\ProgramData\\Spotloop", "*S-1-5-32-544"];
  const called = await installCalls(kiosk);
  return equal(called, [
    'schtasks.exe /End /TN "Spotloop"',
    'net.exe localgroup "Spotloop Kiosk" /add /comment:"Whoever logs on as a member plays Spotloop"',
    `icacls.exe "${data}" /setowner ${admins}`,
    `icacls.exe "${data}" /inheritance:r /grant:r *S-1-5-18:(OI)(CI)F ${admins}:(OI)(CI)F "Spotloop Kiosk:(OI)(CI)RX"`,
    creates(kiosk),
  ]);
}

function creates({ path }: Kiosk): string {
  return `schtasks.exe /Create /TN "Spotloop" /XML "${path}\\${INSTALLED}\\kiosk\\registered.xml" /F`;
}

async function registers({ windows, installed, path }: Kiosk): Promise<string> {
  const bytes = readFileSync(join(installed, "kiosk/registered.xml"));
  const [mark, task] = [bytes.readUInt16LE(0), bytes.subarray(2).toString("utf16le")];
  if (mark !== 0xfeff) throw new Error("it is not in UTF-16");
  const place = `${path}\\${INSTALLED}\\kiosk`.replaceAll("&", "&amp;");
  const template = readFileSync(join(ASSETS, "task.xml"), "utf8");
  const meant = template.replace('"1.0"?>', '"1.0" encoding="UTF-16"?>').replace("@FOLDER@", place);
  if (task.replaceAll("\r\n", "\n") !== meant) throw new Error(`it is ${task}`);
  const xml = `${FOLDER}\\${INSTALLED}\\kiosk\\registered.xml`;
  await ends(0, windows, "schtasks", "/Create", "/TN", "Spotloop", "/XML", xml, "/F");
  await ends(0, windows, "schtasks", "/Delete", "/TN", "Spotloop", "/F");
  return "taken; what wine's takes, Windows' own may refuse";
}

async function leavesTheTask(kiosk: Kiosk): Promise<string> {
  equal(await uninstallCalls(kiosk, "--updated"), ['schtasks.exe /End /TN "Spotloop"']);
  const flag = ["HKLM\\Software\\Spotloop", "/v", "ShellLauncher"];
  await ends(0, kiosk.windows, "reg", "add", ...flag, "/t", "REG_DWORD", "/d", "1", "/f");
  try {
    const called = await installCalls(kiosk);
    if (called.includes(creates(kiosk))) throw new Error("the task is registered beside Shell Launcher");
  } finally {
    await ends(0, kiosk.windows, "reg", "delete", ...flag, "/f");
  }
  return "the task is neither deleted nor brought back";
}

async function isRefused(kiosk: Kiosk): Promise<string> {
  const refuse = join(kiosk.folder, "commands/refuse");
  writeFileSync(refuse, "");
  try {
    await ends(1, kiosk.windows, `${FOLDER}\\setup-test.exe`, "/S");
  } finally {
    rmSync(refuse);
  }
  return "1: whoever installs by a script hears of it";
}

async function uninstalls(kiosk: Kiosk): Promise<string> {
  const called = await uninstallCalls(kiosk, "");
  return equal(called, ['schtasks.exe /End /TN "Spotloop"', 'schtasks.exe /Delete /TN "Spotloop" /F']);
}

async function supervises(kiosk: Kiosk): Promise<string> {
  const [log, starts] = await supervised(kiosk, [75, 76, 78, -1073741819, 75, 0]);
  const lines = [
    "begins",
    "the player asks for a restart by 75",
    "the player asks for a restart by 76",
    "the player ended with 78: waits 5 s",
    "the player ended with -1073741819: waits 10 s",
    "the player asks for a restart by 75",
    "the player ended with 0: ends",
  ];
  return `${starts} starts: ${equal(log, lines)}`;
}

/** Every run counts as a long one here. */
async function beginsAnew(kiosk: Kiosk): Promise<string> {
  const script = join(kiosk.installed, "kiosk/supervise.cmd");
  const shipped = readFileSync(script, "latin1");
  writeFileSync(script, shipped.replace("set LONG_RUN=600\r\n", "set LONG_RUN=0\r\n"), "latin1");
  try {
    const [log] = await supervised(kiosk, [1, 78, 0]);
    const lines = ["the player ended with 1: waits 5 s", "the player ended with 78: waits 5 s"];
    return equal(log, ["begins", ...lines, "the player ended with 0: ends"]);
  } finally {
    writeFileSync(script, shipped, "latin1");
  }
}

/** In wine's cmd two may write one file, and so have the lock: another program holds it, as Windows does. */
async function waitsForTheLock(kiosk: Kiosk, signal: AbortSignal): Promise<string> {
  const { folder, windows } = kiosk;
  const holder = windows.program([`${FOLDER}\\holder-test.exe`], { stdio: "ignore" });
  const ended = once(holder, "close");
  try {
    await until(signal, async () => existsSync(join(folder, "held")) || null, LOOK_MS);
    const second = supervised(kiosk, [0]);
    await until(signal, async () => said(kiosk).length > 0 || null, LOOK_MS);
    const early = starts(kiosk);
    writeFileSync(join(folder, "release"), "");
    await ended;
    const [log, late] = await second;
    equal(log, [
      "waits: another supervisor of this user, or its player, is running",
      "begins",
      "the player ended with 0: ends",
    ]);
    return equal([early, late].map(String), ["0", "1"]);
  } finally {
    writeFileSync(join(folder, "release"), "");
  }
}

/** Wine's own %TIME% is not as that of Windows: its lines are given times as Windows writes them. */
async function readsTheTime({ windows, folder }: Kiosk): Promise<string> {
  const script = readFileSync(join(ASSETS, "supervise.cmd"), "latin1");
  const clock = /^:clock\r\n[\s\S]*?^exit \/b 0\r\n/m.exec(script)?.[0] ?? "";
  const times = [" 9:05:07,12", "23:59:59.99", "08:09:09.01", "0.00.00,00", "1:12 PM"];
  const asked = times.map((time, at) => `set "time=${time}"\r\ncall :clock t${at}\r\n`).join("");
  const told = `>"%~dp0clock.txt" echo ${times.map((_, at) => `%t${at}%`).join(" ")}\r\nexit /b 0\r\n`;
  writeFileSync(join(folder, "clock.cmd"), `@echo off\r\n${asked}${told}${clock}`);
  await runs(windows, folder, "clock.cmd");
  const read = readFileSync(join(folder, "clock.txt"), "utf8").trim().split(" ");
  return equal(read, ["32707", "86399", "29349", "0", "0"]);
}

/** Runs the installed supervisor to its end beside a player that ends with these codes in turn: its log, and the starts. */
async function supervised(kiosk: Kiosk, codes: readonly number[]): Promise<[readonly string[], number]> {
  const { windows, folder, installed } = kiosk;
  cpSync(join(folder, "player-test.exe"), join(installed, "spotloop.exe"));
  const lines = codes.map((code, at) => `${at + 1}=${code}\r\n`).join("");
  writeFileSync(join(installed, "player.ini"), `[starts]\r\ncount=0\r\n[codes]\r\n${lines}`);
  rmSync(join(folder, "local/Spotloop/supervisor.log"), { force: true });
  // In wine this variable cannot be set from outside.
  const here = join(installed, "kiosk");
  writeFileSync(join(here, "run.cmd"), '@set "LOCALAPPDATA=%~dp0..\\..\\local"\r\n@call .\\supervise.cmd\r\n');
  await runs(windows, here, "run.cmd");
  return [said(kiosk), starts(kiosk)];
}

function starts({ installed }: Kiosk): number {
  return Number(/^count=(\d+)/m.exec(readFileSync(join(installed, "player.ini"), "latin1"))?.[1]);
}

/** What the supervisor's log says, without days, times and durations. */
function said({ folder }: Kiosk): readonly string[] {
  const log = join(folder, "local/Spotloop/supervisor.log");
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, "latin1").trim().split(/\r?\n/);
  return lines.map((line) => line.replace(/^.*? (?=begins|waits:|the player)/, "").replace(/ after \d+ s/, ""));
}

/** Runs the installer to its end: how it called Windows' own commands meanwhile. */
async function installCalls({ windows, folder }: Kiosk): Promise<readonly string[]> {
  return called(folder, () => ends(0, windows, `${FOLDER}\\setup-test.exe`, "/S"));
}

/** The same of the uninstaller, which waits for its own end where its folder is named last, in no quotes. */
async function uninstallCalls({ windows, folder, installed }: Kiosk, option: string): Promise<readonly string[]> {
  const lines = ["@setlocal EnableDelayedExpansion", '@set "here=%~dp0"', `@uninstall.exe /S ${option} _?=!here!`, ""];
  writeFileSync(join(installed, "uninstall.cmd"), lines.join("\r\n"));
  return called(folder, () => runs(windows, installed, "uninstall.cmd"));
}

async function called(folder: string, act: () => Promise<void>): Promise<readonly string[]> {
  const file = join(folder, "commands/called.txt");
  rmSync(file, { force: true });
  await act();
  const lines = existsSync(file) ? readFileSync(file, "utf16le").trim().split("\n") : [];
  return lines.map((line) => line.replace(/^(\S+) "[^"]*"/, "$1"));
}

/** Runs a script of cmd's in its folder, as the task does. */
async function runs(windows: Windows, cwd: string, script: string): Promise<void> {
  const [found] = await once(windows.program(["cmd", "/d", "/c", `.\\${script}`], { stdio: "ignore", cwd }), "close");
  if (found !== 0) throw new Error(`${script} ended with ${found}`);
}

async function ends(code: number, windows: Windows, ...words: readonly string[]): Promise<void> {
  const [found] = await once(windows.program(words, { stdio: "ignore" }), "close");
  if (found !== code) throw new Error(`${words.join(" ")} ended with ${found}, not ${code}`);
}

function equal(found: readonly string[], meant: readonly string[]): string {
  const told = found.join("\n");
  if (told !== meant.join("\n")) throw new Error(`${told}\nin place of\n${meant.join("\n")}`);
  return told;
}
