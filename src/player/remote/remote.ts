import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { Metrics } from "../health/metrics.ts";
import { codeOf, StoreUnusable } from "../stores/database.ts";
import { openBrokerLine } from "./broker-line.ts";
import type { BrokerPlace, BrokerSession, BrokerSessionParts } from "./broker-session.ts";
import { MOST_COMMAND_BYTES } from "./commands.ts";
import { CommandBook, RemoteDesk, type RemoteDeskParts } from "./remote-desk.ts";

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
      await Promise.all([broker?.close(), socket?.kind === "listening" ? socket.close() : null]);
      desk.close();
      book.close();
    },
  };
}

/** What it takes to speak with a broker is loaded where there is one. */
async function openBroker(
  config: RemoteParts["config"],
  parts: Pick<BrokerSessionParts, "desk" | "clock" | "random" | "metrics" | "log">,
): Promise<BrokerSession | null> {
  const place = brokerPlaceOf(config);
  if (place === null) return null;
  const { BrokerSession } = await import("./broker-session.ts");
  const session = new BrokerSession({ ...parts, ...place });
  session.start();
  return session;
}

/** Where the broker of a configuration is, and as whom the player comes there; null where it names none. */
export function brokerPlaceOf({
  remote,
  screens,
  network,
}: Pick<Config, "remote" | "screens" | "network">): BrokerPlace | null {
  const { broker: url, topicPrefix, clientId, ...files } = remote;
  if (url === null) return null;
  return {
    topicPrefix,
    clientId: clientId ?? screens[0]?.screenId ?? "",
    openLine: (signal) => openBrokerLine({ url, ...files }, network.uplink, signal),
  };
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

/** Where the commands of this machine come in. */
export function socketPath(dataDir: string): string {
  return join(dataDir, "remote.sock");
}

export type SocketStart =
  /** `close` takes no new command, and waits for those under way as long as there is time for. */
  | { readonly kind: "listening"; close(): Promise<void> }
  /** By the system's code, or in words. The player plays on without. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** What the system takes as the name of a socket, in bytes (`sun_path`, without its end). */
const LONGEST_PATH_BYTES = 107;
const MOST_CONNECTIONS = 8;
/** How long somebody who is connected is waited for. */
const WAITS = {
  /** Who connects has the command ready. */
  sentWithinMs: 5_000,
  /** Who has the answer leaves; others would hold a place for good. */
  goneWithinMs: 5_000,
  /** Of the 10 s that the player has to stop: a doctor takes longer than that. */
  closedWithinMs: 2_000,
};
const OWNER_ONLY = 0o600;
const ALL_BUT_OWNER = 0o177;

/**
 * Takes commands from those who may act as the player's own user: a Unix socket that nobody else can open, and no network
 * port. Each connection is one command, one line of JSON, and its answer, one line of JSON. The data folder must be this
 * player's alone: a socket that a crash left there is removed.
 */
export async function listenLocally(path: string, desk: Pick<RemoteDesk, "take">, waits = WAITS): Promise<SocketStart> {
  if (Buffer.byteLength(path) > LONGEST_PATH_BYTES) {
    return { kind: "unavailable", reason: `the path ${path} is longer than ${LONGEST_PATH_BYTES} bytes` };
  }
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serve(socket, desk, waits);
  });
  server.maxConnections = MOST_CONNECTIONS;
  rmSync(path, { force: true });
  const failure = await listening(server, path);
  if (failure !== null) return { kind: "unavailable", reason: failure };
  return {
    kind: "listening",
    async close() {
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, waits.closedWithinMs);
      await new Promise<void>((resolve) => void server.close(() => resolve()));
      clearTimeout(timer);
    },
  };
}

/** Null, or what kept it from listening. From its first moment on it is the owner's alone. */
function listening(server: Server, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    // Stays for later errors too: they cost a connection, not the player.
    server.on("error", (error) => resolve(codeOf(error) ?? error.name));
    const before = process.umask(ALL_BUT_OWNER);
    server.listen(path, () => {
      chmodSync(path, OWNER_ONLY);
      resolve(null);
    });
    process.umask(before);
  });
}

function serve(socket: Socket, desk: Pick<RemoteDesk, "take">, waits: typeof WAITS): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let isTaken = false;
  // Whoever goes away gets no answer; that costs nobody else anything.
  socket.on("error", () => socket.destroy());
  let timer = setTimeout(() => socket.destroy(), waits.sentWithinMs);
  socket.on("close", () => clearTimeout(timer));
  const take = async () => {
    if (isTaken) return;
    isTaken = true;
    clearTimeout(timer);
    const { answer, afterwards } = await desk.take(Buffer.concat(chunks), "socket");
    // What ends the player waits until the answer is out, or cannot be delivered.
    let isOver = false;
    const over = () => {
      if (!isOver) afterwards();
      isOver = true;
    };
    socket.once("close", over);
    socket.end(`${JSON.stringify(answer)}\n`, over);
    if (!socket.destroyed) timer = setTimeout(() => socket.destroy(), waits.goneWithinMs);
  };
  socket.on("data", (chunk) => {
    if (isTaken) return;
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > MOST_COMMAND_BYTES + 1 || chunk.includes("\n")) void take();
  });
  socket.on("end", () => void take());
}
