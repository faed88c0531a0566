import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { CommandFailure, exitCodes } from "../../command-line.ts";
import { count } from "../../text.ts";
import { canWriteBelow, naming, writePrivately, writtenConfig } from "../config-file.ts";

/** What every PC of a batch is told, whichever screen it is. */
export interface PcSettings {
  readonly folder: string;
  readonly baseUrl: string;
  /** On the PC; undefined where the player chooses. */
  readonly dataDir: string | undefined;
  /** `null`: no health pages. Undefined: as always. */
  readonly healthPort: number | null | undefined;
  /** A configuration file, or what cloud-init reads at a PC's first boot. */
  readonly form: "config" | "cloud-init";
  /** The organization token, where a file is to hold it; null else. */
  readonly token: string | null;
}

/** A file that is to be there for one PC. */
export interface PcFile {
  readonly screenId: string;
  readonly path: string;
  readonly text: string;
  readonly state: "new" | "changed" | "same";
}

/** Where the packages have the configuration, and the token beside it. */
const SERVICE_FOLDER = "/etc/spotloop";
const TOKEN_FILE = "org-token";
const PRIVATE_MODE = "0600";
const OTHERS = 0o077;

/** Ends the command with 78 where files could not be written into the folder, before anything is made. */
export function endIfUnwritableFolder(folder: string): void {
  if (canWriteBelow(folder)) return;
  throw new CommandFailure(`--out: ${folder} cannot be written by this user`, exitCodes.configuration);
}

/** Whether a file in the folder can be named after a screen. */
export function canNameFile(screenId: string): boolean {
  return !/[\\/]/.test(screenId);
}

/**
 * What is to be in the file of a PC that is a screen, which a file can be named after. Settings that somebody added to a
 * configuration stay in it.
 */
export function pcFile(screenId: string, settings: PcSettings): PcFile {
  const { folder, form } = settings;
  if (!canNameFile(screenId)) throw new Error(`no file can be named after ${screenId}`);
  const path = join(folder, `${screenId}${form === "config" ? ".json" : ".yaml"}`);
  const before = form === "config" ? writtenConfig(path) : {};
  const config = configOf(screenId, settings, before);
  const text = form === "config" ? config : userData(screenId, config, settings.token);
  return { screenId, path, text, state: stateOf(path, text) };
}

function configOf(screenId: string, settings: PcSettings, before: Readonly<Record<string, unknown>>): string {
  const { orgToken: _token, screens, health, ...others } = before;
  const { baseUrl, dataDir, healthPort } = settings;
  const section = {
    ...(typeof health === "object" ? health : {}),
    ...(healthPort === undefined ? {} : { port: healthPort }),
  };
  const config = {
    ...{ ...others, baseUrl, orgTokenFile: TOKEN_FILE, ...naming(screenId, screens) },
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(Object.keys(section).length === 0 ? {} : { health: section }),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/**
 * User data of cloud-init. Files are there before the packages are, whose installation hands them to the player's user; where
 * the image has the packages, the command does. JSON is YAML.
 */
function userData(screenId: string, config: string, token: string | null): string {
  const file = (name: string, content: string) => ({
    ...{ path: `${SERVICE_FOLDER}/${name}`, permissions: PRIVATE_MODE, content },
  });
  const data = {
    write_files: [file("config.json", config), ...(token === null ? [] : [file(TOKEN_FILE, `${token}\n`)])],
    packages: ["spotloop", "spotloop-kiosk"],
    runcmd: [
      ["chown", "-R", "spotloop:spotloop", SERVICE_FOLDER],
      ["systemctl", "enable", "--now", "--no-block", "spotloop.service"],
    ],
  };
  const about = [
    "#cloud-config",
    `# The player of screen ${screenId}. The packages come from an apt repository of yours (apt: sources:), or are in the image.`,
    token === null
      ? `# The organization token is not in here: bring it to ${SERVICE_FOLDER}/${TOKEN_FILE}, for the user spotloop only.`
      : "# This holds the organization token: nobody else may read it, and once the PC is set up it can be deleted.",
  ];
  return `${about.join("\n")}\n${JSON.stringify(data, null, 2)}\n`;
}

function stateOf(path: string, text: string): PcFile["state"] {
  if (!existsSync(path)) return "new";
  const isPrivate = process.platform === "win32" || (statSync(path).mode & OTHERS) === 0;
  return isPrivate && readFileSync(path, "utf8") === text ? "same" : "changed";
}

/** Which files are there and change, and the sums. */
export function filesText(files: readonly PcFile[], folder: string): string[] {
  const inState = (state: PcFile["state"]) => files.filter((file) => file.state === state);
  const of = (state: PcFile["state"]) => inState(state).length.toLocaleString("en-US");
  return [
    ...inState("changed").map(({ path }) => `~ ${path}`),
    `${count(files.length, "file")} in ${folder}: ${of("new")} to create, ${of("changed")} to update, ${of("same")} as they are`,
  ];
}

/** Writes what is not there as it should be, each file whole or not at all and for its owner only; says which. */
export function writeFiles(files: readonly PcFile[], folder: string): readonly PcFile[] {
  const open = files.filter(({ state }) => state !== "same");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { path, text } of open) writePrivately(path, text);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : String(error);
    throw new CommandFailure(`${folder} cannot be written (${code}). Run the same command again to go on.`);
  }
  return open;
}
