import { baseType } from "../../core/spot.ts";
import { routeAt } from "../../wire/routes.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import { CREATIVES_PATH } from "../world/catalogue.ts";
import type { FaultSubject } from "./choose.ts";

/** What a call is about, before anything has been done for it. `target`: path and query as they were sent. */
export function subjectOf(
  network: Network,
  files: ReadonlyMap<string, MediaFile>,
  surface: FaultSubject["surface"],
  target: string,
): FaultSubject {
  const path = target.split("?", 1)[0] ?? "";
  if (surface === "service") {
    const match = routeAt(path);
    const screenId = match?.parameters.screen_id ?? null;
    return { surface, route: match?.route ?? null, screenId, kind: null, mimeType: null };
  }
  if (path.startsWith("/pop/")) return itemSubject(network, files, "pop", target, null);
  if (!path.startsWith(CREATIVES_PATH)) return { surface, route: null, screenId: null, kind: null, mimeType: null };
  // Media is put down to the item that was served last with its URL, as in the ledger.
  const popPath = network.state.ledger.latest.get(network.mediaUrl + target)?.popPath ?? "";
  return itemSubject(network, files, "media", popPath, path);
}

function itemSubject(
  { state, mediaUrl }: Network,
  files: ReadonlyMap<string, MediaFile>,
  route: "pop" | "media",
  popPath: string,
  asked: string | null,
): FaultSubject {
  const { spot = null, kind = null } = state.ledger.pops.get(popPath) ?? {};
  const url = spot === null || kind === null ? "" : (spot[kind]?.url ?? "");
  const path = asked ?? (url.startsWith(`${mediaUrl}/`) ? (url.slice(mediaUrl.length).split("?", 1)[0] ?? "") : "");
  const contentType = files.get(path)?.contentType;
  const mimeType = contentType === undefined ? null : baseType(contentType);
  return { surface: "media", route, screenId: spot?.screenId ?? null, kind, mimeType };
}
