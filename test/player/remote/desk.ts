import { join } from "node:path";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import type { RemoteEntry } from "../../../src/core/proofs/record.ts";
import { createMetrics } from "../../../src/player/health/metrics.ts";
import { COMMAND_NAMES, type CommandName } from "../../../src/player/remote/commands.ts";
import { CommandBook, type Hands, type Performance, RemoteDesk } from "../../../src/player/remote/remote-desk.ts";
import { samplesIn } from "../../support/monitoring.ts";

/** When the player thinks it is. */
export const NOW = Date.parse("2026-01-31T18:00:00Z");

interface DeskChanges {
  readonly allow?: readonly CommandName[];
  readonly hands?: Partial<Hands>;
  /** By the machine's clock, and by the service's. */
  readonly wall?: () => number;
  readonly time?: () => number;
  readonly mostIds?: number;
  /** In place of the real one. */
  readonly book?: Pick<CommandBook, "note" | "settle">;
}

/** A desk over a real book in a folder; what is done is noted by its text. */
export function openDesk(folder: string, changes: DeskChanges = {}) {
  const done: string[] = [];
  const recorded: RemoteEntry[] = [];
  const metrics = createMetrics();
  const log = pino({ level: "silent" });
  const book = new CommandBook(join(folder, "remote.db"), log, changes.mostIds);
  const act = async (command: { readonly id: string; readonly command: string }): Promise<Performance> => {
    done.push(command.id);
    return { kind: "done", text: `${command.command} is done` };
  };
  const hands = { ...Object.fromEntries(COMMAND_NAMES.map((name) => [name, act])), ...changes.hands } as Hands;
  const wall = changes.wall ?? (() => NOW);
  const desk = new RemoteDesk({
    ...{ allow: changes.allow ?? COMMAND_NAMES, hands, book: changes.book ?? book, metrics, log },
    ...{ clock: { wall }, time: changes.time ?? wall },
    record: (entry) => void recorded.push(entry),
  });
  let isOpen = true;
  const close = () => {
    if (isOpen) book.close();
    isOpen = false;
  };
  onTestFinished(close);
  return {
    ...{ desk, done, recorded, metrics, close },
    /** What connections to the broker came to, each once. */
    async connections() {
      const samples = samplesIn(await metrics.registry.metrics());
      return samples
        .filter(({ name }) => name === "spotloop_remote_connections_total")
        .map(({ labels }) => labels.outcome);
    },
    async counted() {
      const samples = samplesIn(await metrics.registry.metrics());
      const commands = samples.filter(({ name }) => name === "spotloop_remote_commands_total");
      return Object.fromEntries(commands.map(({ labels, value }) => [`${labels.command} ${labels.outcome}`, value]));
    },
  };
}

let sent = 0;

/** A command as it is sent: a restart with an id of its own, now, unless it is to be otherwise. */
export function command(changes: object = {}): Buffer {
  sent++;
  const plain = { id: `id-${sent}`, at: new Date(NOW).toISOString(), command: "restart" };
  return Buffer.from(JSON.stringify({ ...plain, ...changes }));
}
