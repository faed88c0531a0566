import type { Context, Hono } from "hono";
import type { Instant } from "../../core/spot.ts";
import { identifierSchema } from "../../wire/inventory.ts";
import { type Env, problem } from "../http/answers.ts";
import { newJournal } from "../http/journal.ts";
import { type Network, stateOf } from "../network.ts";
import type { KeptRows } from "../store/file.ts";
import { bringBack, restored, rowsOf } from "../store/persistence.ts";

/** The most snapshots kept at a time. */
export const MOST_SNAPSHOTS = 20;
/** The most that all of them take together: a few of a full ledger, or as many as there may be of a demo. */
const MOST_SNAPSHOT_BYTES = 256 * 1024 * 1024;

/** Kept and brought back at one instant of the machine's clock, whatever that says: no time passes in a snapshot. */
const SNAPSHOT_WALL = 0;

/** Those that are kept, by name. */
export type Snapshots = Map<string, Snapshot>;

interface Snapshot {
  readonly rows: KeptRows;
  readonly sizeBytes: number;
  /** When it was taken, on the network's clock, in ISO 8601. */
  readonly at: string;
}

/** Adds keeping the whole state under a name, and bringing it back. Snapshots outlive a reset, and are in memory only. */
export function addSnapshots(app: Hono<Env>, network: Network, snapshots: Snapshots): void {
  app.get("/control/snapshots", (c) => c.json([...snapshots].map(([name, snapshot]) => snapshotJson(name, snapshot))));
  app.put("/control/snapshots/:name", (c) => keep(c, network, snapshots));
  app.post("/control/snapshots/:name/restore", (c) => {
    const name = c.req.param("name");
    const snapshot = snapshots.get(name);
    if (snapshot === undefined) return unknownSnapshot(c, name);
    // The clock goes on from where it was, however long ago that is.
    bringBack(network, restored(snapshot.rows, stateOf(network, network.clock.now()), SNAPSHOT_WALL));
    return c.json(snapshotJson(name, snapshot));
  });
  app.delete("/control/snapshots/:name", (c) => {
    const name = c.req.param("name");
    const snapshot = snapshots.get(name);
    if (snapshot === undefined) return unknownSnapshot(c, name);
    snapshots.delete(name);
    return c.json(snapshotJson(name, snapshot));
  });
}

function keep(c: Context<Env>, network: Network, snapshots: Snapshots) {
  const name = c.req.param("name") ?? "";
  if (!identifierSchema.safeParse(name).success) {
    return problem(c, 400, "invalid", "a snapshot's name is 1 to 64 of A-Z a-z 0-9 _ . -");
  }
  const others = [...snapshots].filter(([other]) => other !== name).map(([, snapshot]) => snapshot);
  if (others.length >= MOST_SNAPSHOTS) return problem(c, 409, "too_many", `at most ${MOST_SNAPSHOTS} snapshots`);
  const rows = rowsOf(network, SNAPSHOT_WALL);
  const snapshot = { rows, sizeBytes: sizeOf(rows), at: new Date(network.clock.now()).toISOString() };
  const allBytes = [...others, snapshot].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (allBytes > MOST_SNAPSHOT_BYTES) {
    return problem(c, 409, "too_large", `all snapshots together may have ${MOST_SNAPSHOT_BYTES} bytes`);
  }
  const status = snapshots.has(name) ? 200 : 201;
  snapshots.set(name, snapshot);
  return c.json(snapshotJson(name, snapshot), status);
}

function unknownSnapshot(c: Context<Env>, name: string) {
  return problem(c, 404, "unknown_snapshot", `there is no snapshot ${name}`);
}

function snapshotJson(name: string, { sizeBytes, at }: Snapshot) {
  return { name, at, bytes: sizeBytes };
}

function sizeOf({ parts, spots, calls }: KeptRows): number {
  return [...parts.values(), ...spots, ...calls].reduce((sum, row) => sum + Buffer.byteLength(row), 0);
}

/** The network once more, below a path of its own on each listener, for tests that leave no trace. */
export interface Fork {
  readonly id: string;
  /** As in `/forks/f1`: what its URLs have before the paths of the network's. */
  readonly basePath: string;
  /** Of the machine's time. */
  readonly openedAt: Instant;
  readonly network: Network;
}

/** The forks that are open, the oldest first. */
export interface Forks {
  /** `null` when there are `MOST_FORKS`, all of them in use. */
  open(): Fork | null;
  list(): readonly Fork[];
  /** Forgets one and all that was done in it; whether there was one. */
  close(id: string): boolean;
}

/** Where the listeners are; without a trailing slash. */
export interface ListenerUrls {
  readonly baseUrl: string;
  readonly mediaUrl: string;
  readonly controlUrl: string;
}

/** The most that are open at a time; each has an inventory and a ledger of its own. */
export const MOST_FORKS = 8;
/** One that nobody has called for this long may give way to another: who opened it is gone. */
const LONGEST_IDLE_MS = 10 * 60_000;

/** `serve` answers a fork's calls from now on, until what it returns is called. */
export function newForks(network: Network, serve: (fork: Fork) => () => void, wall = Date.now): Forks {
  const open = new Map<string, { readonly fork: Fork; readonly end: () => void }>();
  let count = 0;
  const close = (id: string) => {
    open.get(id)?.end();
    return open.delete(id);
  };
  return {
    open() {
      for (const { fork } of [...open.values()]) if (wall() - lastUsedAt(fork) > LONGEST_IDLE_MS) close(fork.id);
      if (open.size >= MOST_FORKS) return null;
      count += 1;
      const id = `f${count}`;
      const basePath = `/forks/${id}`;
      const fork = { id, basePath, openedAt: wall(), network: forked(network, basePath) };
      open.set(id, { fork, end: serve(fork) });
      return fork;
    },
    list: () => [...open.values()].map(({ fork }) => fork),
    close,
  };
}

/** Adds opening a fork of the network, listing those that are open and closing one. */
export function addForks(app: Hono<Env>, forks: Forks, urls: ListenerUrls): void {
  app.get("/control/forks", (c) => c.json(forks.list().map((fork) => forkJson(fork, urls))));
  app.post("/control/forks", (c) => {
    const fork = forks.open();
    if (fork === null) return problem(c, 409, "too_many", `at most ${MOST_FORKS} forks can be open`);
    return c.json(forkJson(fork, urls), 201);
  });
  app.delete("/control/forks/:id", (c) => {
    const id = c.req.param("id");
    const closed = forks.list().find((fork) => fork.id === id);
    if (closed === undefined) return problem(c, 404, "unknown_fork", `there is no fork ${id}`);
    forks.close(id);
    return c.json(forkJson(closed, urls));
  });
}

/**
 * What it owns, its switches and its faults are as they are in the network now, and so is its time; ledger, journal and
 * snapshots begin empty. From then on neither knows of the other.
 */
function forked(network: Network, basePath: string): Network {
  const clock = network.clock.fork();
  const { began, inventory, switches, faults, turns } = network.state;
  const state = { ...stateOf(network, clock.now()), began, ...structuredClone({ inventory, switches, faults, turns }) };
  const mediaUrl = network.mediaUrl + basePath;
  return { ...network, clock, journal: newJournal(), mediaUrl, basePath, state };
}

function lastUsedAt({ network, openedAt }: Fork): Instant {
  return network.journal.calls({ limit: 1 })[0]?.realAt ?? openedAt;
}

function forkJson({ id, basePath, openedAt }: Fork, urls: ListenerUrls) {
  return { id, path: basePath, ...urlsBelow(urls, basePath), opened_at: new Date(openedAt).toISOString() };
}

/** Where a fork is on each listener. */
export function urlsBelow({ baseUrl, mediaUrl, controlUrl }: ListenerUrls, basePath: string): ListenerUrls {
  return { baseUrl: baseUrl + basePath, mediaUrl: mediaUrl + basePath, controlUrl: controlUrl + basePath };
}
