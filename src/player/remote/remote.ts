import { join } from "node:path";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { StoreUnusable } from "../database.ts";
import type { Metrics } from "../health/metrics.ts";
import { openBrokerLine } from "./broker-line.ts";
import type { BrokerSession, BrokerSessionParts } from "./broker-session.ts";
import { CommandBook } from "./command-book.ts";
import { listenLocally, socketPath } from "./local-socket.ts";
import { RemoteDesk, type RemoteDeskParts } from "./remote-desk.ts";

export interface RemoteParts extends Omit<RemoteDeskParts, "allow" | "book" | "clock" | "metrics"> {
  readonly metrics: Metrics;
  readonly config: Pick<Config, "dataDir" | "remote" | "screens" | "network">;
  readonly clock: Clock;
  /** Chance in [0, 1), for jitter only. */
  readonly random: () => number;
}

/** The ways in which commands come, while they are open. */
export interface Remote {
  /** Whether the broker is connected; null where there is none. */
  readonly broker: boolean | null;
  close(): Promise<void>;
}

/** Opens the ways in which commands come from afar; null where none can be taken. */
export async function openRemote({ config, ...parts }: RemoteParts): Promise<Remote | null> {
  const { dataDir, remote } = config;
  const { log } = parts;
  const book = openBook(join(dataDir, "remote.db"), parts);
  if (book === null) return null;
  const desk = new RemoteDesk({ ...parts, allow: remote.allow, book });
  const socket = process.platform === "win32" ? null : await listenLocally(socketPath(dataDir), desk);
  if (socket?.kind === "unavailable")
    log.error({ reason: socket.reason }, "remote commands of this machine cannot come");
  if (socket === null && remote.broker === null)
    log.error("remote commands cannot come: on Windows they do by remote.broker only, which names none");
  const broker = await openBroker(config, { ...parts, desk });
  log.info({ allow: remote.allow }, "remote commands are taken");
  return {
    get broker() {
      return broker === null ? null : broker.connected;
    },
    async close() {
      await broker?.close();
      if (socket?.kind === "listening") await socket.close();
      book.close();
    },
  };
}

/** What it takes to speak with a broker is loaded where there is one. */
async function openBroker(
  { remote, screens, network }: RemoteParts["config"],
  parts: Pick<BrokerSessionParts, "desk" | "clock" | "random" | "metrics" | "log">,
): Promise<BrokerSession | null> {
  const { broker: url, topicPrefix, clientId, ...files } = remote;
  if (url === null) return null;
  const { BrokerSession } = await import("./broker-session.ts");
  const session = new BrokerSession({
    ...parts,
    topicPrefix,
    clientId: clientId ?? screens[0]?.screenId ?? "",
    openLine: (signal) => openBrokerLine({ url, ...files }, network.uplink, signal),
  });
  session.start();
  return session;
}

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
