import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import type { ChaosNetwork } from "../chaos/network.ts";
import { lookAt } from "./aftermath.ts";
import { type Evidence, judge, type Verdicts } from "./judge.ts";
import type { Health, Machine } from "./machine.ts";
import { type Steps, until } from "./steps.ts";
import { TOLD } from "./virtual-pc.ts";

const DELIVERED_WITHIN_MS = 15 * 60_000;
const LOOKED_AT_WITHIN_MS = 10 * 60_000;
const NO_SPOTS: readonly FaultFile[] = [{ match: { route: "spot" }, do: { empty: true } }];

/** Has a machine that plays come to rest: it gets no more spots, and delivers what it owes. */
export async function deliver(steps: Steps, machine: Machine, network: ChaosNetwork): Promise<void> {
  await steps.take("delivers what it owes", DELIVERED_WITHIN_MS, async (signal) => {
    await network.misbehave(NO_SPOTS);
    const delivered = await until(signal, async () => deliveredBy(await machine.health()));
    await machine.photograph();
    return `${delivered} proofs delivered`;
  });
}

/** How many were delivered, once nothing is owed and nothing more is shown that would be; null until then. */
function deliveredBy(health: Health | null): number | null {
  if (health === null || health.onAir !== "house" || health.next !== null || health.proofs.owed > 0) return null;
  return health.proofs.delivered;
}

/** Switches the machine off, and holds what is on its disk and what it said against the network's ledger. */
export function compare(
  steps: Steps,
  machine: Machine,
  network: ChaosNetwork,
  { folder, endedAt, flaws }: Pick<Evidence, "endedAt" | "flaws"> & { readonly folder: string },
): Promise<Verdicts> {
  return steps.find(
    "each proof is held against the ledger",
    LOOKED_AT_WITHIN_MS,
    async (signal) => {
      await machine.switchOff();
      const { proofs, flaws: last } = await lookAt(join(folder, "data.img"), join(folder, "look"), signal);
      const path = join(folder, TOLD);
      const told = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
      const evidence = { told, proofs, ledger: await network.ledger(), audit: await network.audit(), endedAt };
      const verdicts = judge({ ...evidence, flaws: [...flaws, ...last.map((flaw) => `in the end: ${flaw}`)] });
      if (verdicts.shown === 0 || verdicts.counted === 0) throw new Error("nothing was shown and proved");
      return verdicts;
    },
    ({ shown, counted, duplicates, violations }) =>
      // What a journal says last does not get out of a machine whose power goes.
      [
        `${shown} items shown by journals that got out, ${counted} counted, ${duplicates} sent once more`,
        ...violations,
      ].join("\n"),
  );
}
