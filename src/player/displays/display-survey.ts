import { readdir, readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  type Connector,
  connectorOf,
  connectorReading,
  type DisplayTruth,
  isLit,
  type NamedOutput,
  type PowerMethod,
  type Reading,
  truthOf,
} from "../../core/displays/panel.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { Ran, Run } from "../run-program.ts";
import {
  askCec,
  askDdc,
  type CecAdapter,
  cecAdapterOf,
  findCecAdapters,
  readXset,
  switchCec,
  switchDdc,
} from "./display-programs.ts";

/** What a survey asks. The folders are given by tests alone. */
export interface SurveyParts {
  readonly run: Run;
  readonly clock: Clock;
  /** Whether the session is X11, whose server switches all its displays at once, or Wayland. */
  readonly session: "x11" | "wayland" | "none";
  /** The kernel's connectors; by default `/sys/class/drm`. */
  readonly drmFolder?: string;
  /** Where CEC adapters are; by default `/dev`. */
  readonly cecFolder?: string;
}

/** What a program said longer ago does not count any more: three times as long as the programs are asked at. */
export const FRESH_MS = 90_000;

/** What all sources last said of the displays of this machine, and the ways to switch them. */
export class DisplaySurvey {
  readonly #parts: SurveyParts;
  #connectors: readonly Connector[] = [];
  #adapters: readonly CecAdapter[] = [];
  /** Connectors that the kernel has told to be lit: of these it knows. */
  readonly #everLit = new Set<string>();
  /** By the program and, but for the X server's, the connector. */
  readonly #said = new Map<string, { readonly at: Instant; readonly reading: Reading }>();

  constructor(parts: SurveyParts) {
    this.#parts = parts;
  }

  /** Reads what the kernel knows; asks no display. Of one that is as it was, `state` reads no EDID, which can be waited for. */
  async readKernel(what: "all" | "state"): Promise<void> {
    this.#connectors = await readConnectors(this.#parts.drmFolder, what === "all" ? [] : this.#connectors);
    for (const connector of this.#connectors) if (isLit(connector)) this.#everLit.add(keyOf("drm", connector));
  }

  /** Asks the programs about these displays, one after the other, each once `ready` says yes; no more once it says no. */
  async ask(outputs: readonly NamedOutput[], ready: () => Promise<boolean> = async () => true): Promise<void> {
    const { run, session, cecFolder } = this.#parts;
    if (!(await ready())) return;
    if (session === "x11") {
      const ran = await run("xset", ["q"]);
      this.#keep("xset", ran.kind === "ran" ? readXset(ran.output) : null);
    }
    this.#adapters = await findCecAdapters(run, cecFolder);
    for (const output of outputs) {
      const connector = this.#connectorOf(output);
      if (connector === null) continue;
      const { bus } = connector;
      const adapter = this.#adapterOf(connector);
      if (adapter !== null && !(await ready())) return;
      this.#keep(keyOf("cec", connector), adapter === null ? null : await askCec(run, adapter));
      if (bus !== null && !(await ready())) return;
      this.#keep(keyOf("ddc", connector), bus === null ? null : await askDdc(run, bus));
    }
  }

  /** What is known of a display; of one that the session does not name only what the X server says of all. */
  truthOf(output: NamedOutput | null): DisplayTruth {
    const connector = output === null ? null : this.#connectorOf(output);
    const readings = [
      ...(connector === null || !this.#everLit.has(keyOf("drm", connector)) ? [] : [connectorReading(connector)]),
      this.#fresh("xset"),
      ...(connector === null ? [] : [this.#fresh(keyOf("cec", connector)), this.#fresh(keyOf("ddc", connector))]),
    ];
    return truthOf(readings.filter((one) => one !== null));
  }

  /** Switches a display by a program that may not be there; all displays of the session at once where that is `dpms`. */
  async switch(method: Exclude<PowerMethod, "leave">, output: NamedOutput | null, power: "on" | "off"): Promise<Ran> {
    const { run, session } = this.#parts;
    if (method === "dpms") {
      if (session === "none") return { kind: "failed", reason: "this system has no DPMS that can be used" };
      return session === "x11" ? run("xset", ["dpms", "force", power]) : run("wlopm", [`--${power}`, "*"]);
    }
    const connector = output === null ? null : this.#connectorOf(output);
    if (connector === null) return { kind: "failed", reason: "which connector the display hangs on is not known" };
    if (method === "ddc") {
      const { bus } = connector;
      return bus === null ? { kind: "failed", reason: `${connector.name} has no I2C bus` } : switchDdc(run, bus, power);
    }
    if (this.#adapters.length === 0) this.#adapters = await findCecAdapters(run, this.#parts.cecFolder);
    const adapter = this.#adapterOf(connector);
    if (adapter === null) return { kind: "failed", reason: `${connector.name} has no CEC adapter that can be asked` };
    return switchCec(run, adapter, power);
  }

  #connectorOf(output: NamedOutput): Connector | null {
    return connectorOf(output, this.#connectors);
  }

  #adapterOf(connector: Connector): CecAdapter | null {
    return cecAdapterOf(connector, this.#connectors, this.#adapters);
  }

  /** What does not answer takes back what it said before. */
  #keep(key: string, reading: Reading | null): void {
    if (reading === null) this.#said.delete(key);
    else this.#said.set(key, { at: this.#parts.clock.now(), reading });
  }

  #fresh(key: string): Reading | null {
    const said = this.#said.get(key);
    return said === undefined || this.#parts.clock.now() - said.at > FRESH_MS ? null : said.reading;
  }
}

function keyOf(program: string, { card, name }: Connector): string {
  return `${program} ${card} ${name}`;
}

/** Where the kernel tells of its connectors. */
const DRM_FOLDER = "/sys/class/drm";

/** More than any PC has. */
const MOST_CONNECTORS = 32;

/**
 * The connectors of all graphics cards, but for those that lead nowhere (writeback). What the kernel last found out is read:
 * nothing is asked of a display for it. None where the folder is not there. Of connectors that are `known`, and whose status
 * is as it was, only what changes with the picture is read.
 */
export async function readConnectors(
  folder = DRM_FOLDER,
  known: readonly Connector[] = [],
): Promise<readonly Connector[]> {
  const entries = await readdir(folder).catch(() => []);
  const found = entries.flatMap((entry) => {
    const [, card = "", name = ""] = /^card(\d+)-(.+)$/.exec(entry) ?? [];
    if (name === "" || name.startsWith("Writeback")) return [];
    const before = known.find((one) => one.name === name && one.card === Number(card));
    return [{ path: join(folder, entry), card: Number(card), name, before }];
  });
  return Promise.all(found.slice(0, MOST_CONNECTORS).map(readConnector));
}

interface Place extends Pick<Connector, "name" | "card"> {
  readonly path: string;
  readonly before: Connector | undefined;
}

async function readConnector({ path, card, name, before }: Place): Promise<Connector> {
  const [status, enabled, dpms] = await Promise.all(["status", "enabled", "dpms"].map((file) => attribute(path, file)));
  const state = { status: status ?? null, enabled: enabled ?? null, dpms: dpms ?? null };
  if (before !== undefined && before.status === state.status) return { ...before, ...state };
  const [id, edid, bus] = await Promise.all([
    attribute(path, "connector_id"),
    readFile(join(path, "edid"), "hex").catch(() => ""),
    busOf(path),
  ]);
  return { name, card, id: id === null ? null : Number(id), ...state, edid, bus };
}

async function attribute(path: string, name: string): Promise<string | null> {
  const text = await readFile(join(path, name), "utf8").catch(() => "");
  return text.trim() || null;
}

/** HDMI and DVI have a link to their bus (`ddc`), DisplayPort has a bus of its own below it. */
async function busOf(path: string): Promise<number | null> {
  const linked = await readlink(join(path, "ddc")).catch(() => null);
  const names = linked === null ? await readdir(path).catch(() => []) : [basename(linked)];
  const [bus] = names.flatMap((name) => /^i2c-(\d+)$/.exec(name)?.[1] ?? []);
  return bus === undefined ? null : Number(bus);
}
