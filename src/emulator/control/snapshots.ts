import type { Context, Hono } from "hono";
import { identifierSchema } from "../../wire/inventory.ts";
import { type Env, problem } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { bringBack, keptMoment } from "../snapshots/moment.ts";

/** The most snapshots kept at a time. */
export const MOST_SNAPSHOTS = 20;
/** The most that all of them take together: a few of a full ledger, or as many as there may be of a demo. */
export const MOST_SNAPSHOT_BYTES = 256 * 1024 * 1024;

/** Those that are kept, by name. */
export type Snapshots = Map<string, Snapshot>;

export interface Snapshot {
  readonly bytes: Buffer;
  /** When it was taken, on the network's clock, in ISO 8601. */
  readonly at: string;
}

/** Adds keeping the whole state under a name, and bringing it back. Snapshots outlive a reset, and are in memory only. */
export function addSnapshots(app: Hono<Env>, network: Network, snapshots: Snapshots): void {
  app.get("/control/snapshots", (c) => c.json([...snapshots].map(([name, snapshot]) => account(name, snapshot))));
  app.put("/control/snapshots/:name", (c) => keep(c, network, snapshots));
  app.post("/control/snapshots/:name/restore", (c) => {
    const name = c.req.param("name");
    const snapshot = snapshots.get(name);
    if (snapshot === undefined) return unknownSnapshot(c, name);
    bringBack(network, snapshot.bytes);
    return c.json(account(name, snapshot));
  });
  app.delete("/control/snapshots/:name", (c) => {
    const name = c.req.param("name");
    const snapshot = snapshots.get(name);
    if (snapshot === undefined) return unknownSnapshot(c, name);
    snapshots.delete(name);
    return c.json(account(name, snapshot));
  });
}

function keep(c: Context<Env>, network: Network, snapshots: Snapshots) {
  const name = c.req.param("name") ?? "";
  if (!identifierSchema.safeParse(name).success) {
    return problem(c, 400, "invalid", "a snapshot's name is 1 to 64 of A-Z a-z 0-9 _ . -");
  }
  const others = [...snapshots].filter(([other]) => other !== name).map(([, snapshot]) => snapshot);
  if (others.length >= MOST_SNAPSHOTS) return problem(c, 409, "too_many", `at most ${MOST_SNAPSHOTS} snapshots`);
  const snapshot = { bytes: keptMoment(network), at: new Date(network.clock.now()).toISOString() };
  const sizeBytes = [...others, snapshot].reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (sizeBytes > MOST_SNAPSHOT_BYTES) {
    return problem(c, 409, "too_large", `all snapshots together may have ${MOST_SNAPSHOT_BYTES} bytes`);
  }
  const status = snapshots.has(name) ? 200 : 201;
  snapshots.set(name, snapshot);
  return c.json(account(name, snapshot), status);
}

function unknownSnapshot(c: Context<Env>, name: string) {
  return problem(c, 404, "unknown_snapshot", `there is no snapshot ${name}`);
}

function account(name: string, { bytes, at }: Snapshot) {
  return { name, at, bytes: bytes.length };
}
