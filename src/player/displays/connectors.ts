import { readdir, readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Connector } from "../../core/displays/panel.ts";

/** Where the kernel tells of its connectors. */
export const DRM_FOLDER = "/sys/class/drm";

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
