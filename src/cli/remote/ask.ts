import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { type Answer, answerSchema } from "../../player/remote/commands.ts";
import { socketPath } from "../../player/remote/local-socket.ts";
import { CommandFailure, exitCodes } from "../exit.ts";

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
