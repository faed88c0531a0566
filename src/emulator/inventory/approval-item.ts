import type { ApprovalItem } from "../../wire/approval.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import { located } from "../spot/issue.ts";
import type { Approval } from "../world/inventory.ts";

/** The creative of an approval; size and digest are known of those that the media listener serves (A11, E6). */
export async function itemOfApproval(
  { mediaUrl, state }: Network,
  files: ReadonlyMap<string, MediaFile>,
  { item, creative }: Approval,
): Promise<ApprovalItem> {
  if (item !== null) return { ...item, url: located(item.url, `${mediaUrl}/`) };
  const known = state.inventory.creatives.get(creative ?? "");
  if (known === undefined) throw new Error(`there is no creative ${creative}`);
  const { title, mimeType, width, height, duration } = known;
  const url = located(known.url, `${mediaUrl}/`);
  const path = url.startsWith(`${mediaUrl}/`) ? new URL(url).pathname : "";
  const facts = await files.get(path)?.facts();
  return { url, title, width, height, duration, mimeType, size: facts?.sizeBytes ?? null, md5: facts?.md5 ?? null };
}
