import type { ApprovalAnswer } from "../../wire/inventory-answers.ts";
import { plain, styled, table } from "../text.ts";

/** A creative approval request for people. */
export function carText(car: ApprovalAnswer): string[] {
  const { item } = car;
  const rows: [string, string][] = [
    ["Status", car.status],
    ["Advertiser", car.advertiser_name ?? "-"],
    ["Cities", car.cities.join(", ") || "-"],
    ["Countries", car.countries.join(", ") || "-"],
    ["Created", car.created_on ?? "-"],
    ["Creative", item?.title ?? "-"],
    ["Type", [item?.mimeType, sizeText(item?.size ?? null)].filter(Boolean).join(", ") || "-"],
    ["Size", item?.width == null || item.height === null ? "-" : `${item.width}x${item.height}`],
    ["Duration", durationText(item?.duration ?? null)],
    ["Address", item?.url ?? "-"],
    ...(car.status === "rejected" ? decision(car) : []),
  ];
  return [
    styled("bold", `CAR ${plain(car.car_id)}`),
    ...table(
      rows.map(([name, value]) => [name, plain(value)]),
      "  ",
    ),
  ];
}

/** A duration from either kind of service: below 1000 it is taken for seconds, else for milliseconds (E6). */
function durationText(duration: number | null): string {
  if (duration === null || duration <= 0) return "-";
  return `${duration < 1000 ? duration : duration / 1000} s`;
}

function decision({ rejection_reasons, custom_message }: ApprovalAnswer): [string, string][] {
  return [
    ["Reasons", rejection_reasons?.join(", ") || "-"],
    ["Message", custom_message ?? "-"],
  ];
}

function sizeText(sizeBytes: number | null): string | null {
  if (sizeBytes === null) return null;
  return sizeBytes < 1e6 ? `${Math.ceil(sizeBytes / 1e3)} kB` : `${(sizeBytes / 1e6).toFixed(1)} MB`;
}
