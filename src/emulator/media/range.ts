/** Which bytes of a file a request wants. `first` and `last` are offsets, both included. */
export type RangeWish =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly first: number; readonly last: number }
  | { readonly kind: "unsatisfiable" };

/** What a request says about ranges; absent headers are `undefined`. */
export interface RangeHeaders {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/**
 * Reads a `Range` header against a file (RFC 9110, 14.2). One range is honoured; several, another unit or anything
 * unreadable give the whole file, as does an `If-Range` that does not name exactly this version (13.1.5).
 */
export function wishedRange({ range, ifRange }: RangeHeaders, sizeBytes: number, etag: string): RangeWish {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return { kind: "whole" };
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/i.exec(range.replace(/[ \t]/g, "")) ?? [];
  if (from === "" && to === "") return { kind: "whole" };
  if (from === "") return suffix(Number(to), sizeBytes);

  const first = Number(from);
  const last = to === "" ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== "" && Number(to) < first) return { kind: "whole" };
  return first < sizeBytes ? { kind: "part", first, last } : { kind: "unsatisfiable" };
}

function suffix(count: number, sizeBytes: number): RangeWish {
  if (count === 0 || sizeBytes === 0) return { kind: "unsatisfiable" };
  return { kind: "part", first: Math.max(0, sizeBytes - count), last: sizeBytes - 1 };
}
