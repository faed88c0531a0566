import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { Argument, Command, Option } from "commander";
import {
  type Answer,
  answerSchema,
  LONGEST_MESSAGE_SECONDS,
  LONGEST_TEST_CARD_SECONDS,
} from "../../player/remote/commands.ts";
import { socketPath } from "../../player/remote/remote.ts";
import { CommandFailure, exitCodes, wholeNumber } from "../command-line.ts";
import { dataDirOf, type FolderFlags, folderOptions } from "../proofs/flags.ts";
import { plain, print, printJson, writePrivateFile } from "../text.ts";

interface RemoteFlags extends FolderFlags {
  readonly json?: true;
}

interface FileFlags extends RemoteFlags {
  readonly out?: string;
}

/** `spotloop remote`: what an operator can have the player of this machine do, over ssh as a rule. */
export function remoteCommand(): Command {
  const command = new Command("remote")
    .description("have the player that runs on this machine do something; it does what its remote.allow lists")
    .addHelpText("after", HELP);
  const subs = [
    withFile("screenshot", "a picture of the display, as JPEG").option("--screen <id>", "of several screens"),
    withFile("doctor", "what `spotloop doctor --bundle` writes, as JSON"),
    plainly("restart", "end the player in good order, to be started again by its service"),
    plainly("reboot", "restart the machine"),
    plainly("reload", "check the configuration, and restart the player with it where it has changed"),
    displayCommand(),
    testCardCommand(),
    messageCommand(),
  ];
  for (const sub of subs) command.addCommand(sub.exitOverride());
  return command;
}

const HELP = `
The same commands come over MQTT where remote.broker names a broker: docs/remote.md.

Examples:
  ssh root@kiosk-7 spotloop remote screenshot > kiosk-7.jpg
  ssh root@kiosk-7 "spotloop remote message 'Please leave the building'"
  ssh root@kiosk-7 spotloop remote message --clear`;

function begun<Flags extends RemoteFlags>(name: string, description: string): Command {
  const command = new Command(name).description(description);
  for (const option of folderOptions()) command.addOption(option);
  command.option("--json", "print the answer as JSON");
  return command as Command & { opts(): Flags };
}

function plainly(name: string, description: string): Command {
  return begun(name, description).action((flags: RemoteFlags) => ask(name, {}, flags));
}

function withFile(name: string, description: string): Command {
  return begun(name, description)
    .option("--out <file>", "where to (default: standard output)")
    .action((flags: FileFlags & { readonly screen?: string }) => {
      if (flags.out === undefined && process.stdout.isTTY && !flags.json) {
        throw new CommandFailure("this is no text for a terminal: name a file with --out", exitCodes.usage);
      }
      return ask(name, flags.screen === undefined ? {} : { screen: flags.screen }, flags);
    });
}

function displayCommand(): Command {
  return begun("display", "switch the displays on or off; while they are off no spots are asked for")
    .addArgument(new Argument("<power>").choices(["on", "off"]))
    .action((power: string, flags: RemoteFlags) => ask("display", { power }, flags));
}

function testCardCommand(): Command {
  const seconds = new Option("--seconds <number>", "for how long")
    .default(LONGEST_TEST_CARD_SECONDS)
    .argParser(wholeNumber(1, LONGEST_TEST_CARD_SECONDS));
  return begun("test-card", "show a test card in place of spots")
    .addOption(seconds)
    .action((flags: RemoteFlags & { readonly seconds: number }) => ask("test-card", { seconds: flags.seconds }, flags));
}

function messageCommand(): Command {
  const longest = LONGEST_MESSAGE_SECONDS / 60;
  return begun("message", "show a message over everything, until it is taken back")
    .argument("[text]", "plain text")
    .addOption(new Option("--minutes <number>", "for how long at most").argParser(wholeNumber(1, longest)))
    .option("--clear", "take it back")
    .action((text: string | undefined, flags: RemoteFlags & { readonly minutes?: number; readonly clear?: true }) => {
      if ((text === undefined) !== (flags.clear === true)) {
        throw new CommandFailure("give a text to show, or --clear to take it back", exitCodes.usage);
      }
      const seconds = flags.minutes === undefined ? null : flags.minutes * 60;
      return ask("message", { text: text ?? null, seconds }, flags);
    });
}

async function ask(command: string, more: object, flags: FileFlags): Promise<void> {
  const answer = await askPlayer(dataDirOf(flags), { command, ...more });
  if (flags.json) printJson(answer);
  else if (answer.outcome === "done") await printOut(answer, flags.out);
  if (answer.outcome === "done") return;
  const said = flags.json
    ? ""
    : `${answer.outcome}${answer.reason === null ? "" : ` (${answer.reason})`}: ${plain(answer.text)}`;
  throw new CommandFailure(said, answer.reason === "not-allowed" ? exitCodes.permission : exitCodes.failed);
}

async function printOut({ text, attachment }: Answer, out: string | undefined): Promise<void> {
  if (attachment === null) return print(plain(text));
  const bytes = Buffer.from(attachment.base64, "base64");
  if (out === undefined || out === "-")
    return void (await new Promise((resolve) => process.stdout.write(bytes, resolve)));
  writePrivateFile(out, bytes);
}

/** Longer than the player gives any command. */
const ANSWERED_WITHIN_MS = 150_000;
/** Larger than any picture of a display. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

/** Sends one command to the player of a data folder, and resolves with its answer. Throws `CommandFailure`. */
export async function askPlayer(dataDir: string, command: object, platform = process.platform): Promise<Answer> {
  if (platform === "win32") throw unavailable("on Windows commands reach a player by remote.broker only");
  const path = socketPath(dataDir);
  const sent = JSON.stringify({ id: randomUUID(), at: new Date().toISOString(), ...command });
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const socket = connect({ path, allowHalfOpen: true }, () => socket.end(`${sent}\n`));
    const fail = (failure: CommandFailure) => {
      socket.destroy();
      reject(failure);
    };
    socket.setTimeout(ANSWERED_WITHIN_MS, () => fail(unavailable("the player does not answer")));
    socket.on("error", (error: NodeJS.ErrnoException) => fail(failureOf(path, error.code)));
    socket.on("data", (chunk) => {
      sizeBytes += chunk.length;
      if (sizeBytes > MOST_ANSWER_BYTES) fail(unavailable("the player's answer does not end"));
      else chunks.push(chunk);
    });
    socket.on("end", () => {
      const answer = answerIn(Buffer.concat(chunks).toString());
      if (answer === null) fail(unavailable("the player ended before it answered"));
      else resolve(answer);
    });
  });
}

function answerIn(text: string): Answer | null {
  try {
    return answerSchema.parse(JSON.parse(text)) as Answer;
  } catch {
    return null;
  }
}

function failureOf(path: string, code: string | undefined): CommandFailure {
  if (code === "EACCES" || code === "EPERM") {
    return new CommandFailure(`${path} is for the player's own user: ask as root`, exitCodes.permission);
  }
  return unavailable(`no player takes commands at ${path} (${code}): none runs, or its remote.allow lists none`);
}

function unavailable(message: string): CommandFailure {
  return new CommandFailure(message, exitCodes.unavailable);
}
