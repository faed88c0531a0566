import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import { ROOT } from "../../scripts/setup/paths.mjs";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import type { PlannedSpot } from "../../src/emulator/spot/planned.ts";

const readySchema = z.object({
  ...{ baseUrl: z.string(), mediaUrl: z.string(), controlUrl: z.string(), orgToken: z.string(), screenId: z.string() },
});

const itemSchema = z
  .object({ pops: z.array(z.object({ at: z.string(), status: z.number(), verdict: z.string() })) })
  .nullable();
const ledgerSchema = z.array(z.object({ requestId: z.string(), news: itemSchema, ad: itemSchema }));
export type Ledger = z.infer<typeof ledgerSchema>;

const auditSchema = z.array(z.object({ violation: z.string(), detail: z.string() }));

/** A screen network in a process of its own, which nobody kills. */
export interface ChaosNetwork extends z.infer<typeof readySchema> {
  plan(spots: readonly PlannedSpot[]): Promise<void>;
  misbehave(faults: readonly FaultFile[]): Promise<void>;
  ledger(): Promise<Ledger>;
  audit(): Promise<z.infer<typeof auditSchema>>;
  stop(): Promise<void>;
}

/** `more`: arguments of the emulator's command. */
export async function startNetwork(seed: number, more: readonly string[] = []): Promise<ChaosNetwork> {
  const ports = ["--port", "0", "--media-port", "0", "--control-port", "0"];
  const args = [`${ROOT}/src/cli/main.ts`, "emulator", ...ports, "--seed", String(seed), ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const ready = readySchema.parse(JSON.parse(line));
  const ended = once(child, "exit").finally(() => process.off("exit", kill));
  const call = async (path: string, method = "GET", body?: unknown): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const response = await fetch(`${ready.controlUrl}/control/${path}`, { method, ...sent });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return {
    ...ready,
    plan: async (spots) => void (await call(`screens/${ready.screenId}/next`, "POST", { spots })),
    misbehave: async (faults) => void (await call("faults", "PUT", faults)),
    ledger: async () => ledgerSchema.parse(await call("spots")),
    audit: async () => auditSchema.parse(await call("audit")),
    async stop() {
      child.kill();
      await ended;
    },
  };
}
