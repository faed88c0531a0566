import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { StoreUnusable } from "../database.ts";
import { CommandBook } from "./command-book.ts";
import { listenLocally, socketPath } from "./local-socket.ts";
import { RemoteDesk, type RemoteDeskParts } from "./remote-desk.ts";

export interface RemoteParts extends Omit<RemoteDeskParts, "allow" | "book"> {
  readonly config: Pick<Config, "dataDir" | "remote">;
}

/** The ways in which commands come, while they are open. */
export interface Remote {
  /** Whether the broker is connected; null where there is none. */
  readonly broker: boolean | null;
  close(): Promise<void>;
}

/** Opens the ways in which commands come from afar; where nothing is allowed there are none. */
export async function openRemote({ config, ...parts }: RemoteParts): Promise<Remote> {
  const { dataDir, remote } = config;
  if (remote.allow.length === 0) return CLOSED;
  const { log } = parts;
  const book = openBook(join(dataDir, "remote.db"), parts);
  if (book === null) return CLOSED;
  const desk = new RemoteDesk({ ...parts, allow: remote.allow, book });
  const socket = process.platform === "win32" ? null : await listenLocally(socketPath(dataDir), desk);
  if (socket?.kind === "unavailable")
    log.error({ reason: socket.reason }, "remote commands of this machine cannot come");
  log.info({ allow: remote.allow }, "remote commands are taken");
  return {
    broker: null,
    async close() {
      if (socket?.kind === "listening") await socket.close();
      book.close();
    },
  };
}

const CLOSED: Remote = { broker: null, close: async () => {} };

/** Without it a command could come again: then none is taken. */
function openBook(path: string, { log }: Pick<RemoteDeskParts, "log">): CommandBook | null {
  try {
    return new CommandBook(path, log);
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    log.error(`no remote commands are taken: ${error.message}`);
    return null;
  }
}
