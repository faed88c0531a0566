import { z } from "zod";
import { BAD_PORTS } from "../core/network/address.ts";
import { baseType, formOf, type Item, type ItemKind, LONGEST_ITEM_MS, type Spot } from "../core/spot.ts";

/** A content item as the service writes it (contract, "Spot"); `size` and `md5` are optional extras (F16). */
export const contentItemSchema = z.object({
  id: z.string(),
  title: z.string(),
  mimeType: z.string(),
  height: z.int().positive(),
  width: z.int().positive(),
  duration: z.number().positive(),
  url: z.string(),
  pop: z.string(),
  size: z.int().nonnegative().optional(),
  md5: z.string().optional(),
});
export type ContentItem = z.infer<typeof contentItemSchema>;

export const newsItemSchema = contentItemSchema.extend({ newsType: z.string() });
export type NewsItem = z.infer<typeof newsItemSchema>;

/** The answer to a spot request as the service writes it: every key present, `null` for no ad or no news (F1). */
export const spotAnswerSchema = z.object({
  data: z.object({
    requestId: z.string(),
    billable: z.boolean(),
    newsFirst: z.boolean(),
    news: newsItemSchema.nullable(),
    ad: contentItemSchema.nullable(),
  }),
});
export type SpotAnswer = z.infer<typeof spotAnswerSchema>;

/** An item that cannot be played: left out of its spot, never reported as played (F18). */
export interface MalformedItem {
  readonly kind: ItemKind;
  /** One line for each problem, beginning with the field. */
  readonly problems: readonly string[];
}

/** What a player makes of the body of a 2xx answer to a spot request. */
export type SpotReading =
  | { readonly kind: "spot"; readonly spot: Spot; readonly malformed: readonly MalformedItem[] }
  | { readonly kind: "empty"; readonly malformed: readonly MalformedItem[] }
  | { readonly kind: "unreadable"; readonly problem: string };

const webUrl = z.url({ protocol: /^https?$/i });

/** What every HTTP client refuses to call could never be had, and a pop would be played and never proved (F18). */
const callableUrl = webUrl.pipe(
  z
    .string()
    .refine((url) => !authorityOf(url).includes("@"), "has user information, which no client sends")
    .refine((url) => !BAD_PORTS.has(portOf(url)), "has a port that no client connects to"),
);

/** What only people and records go by: never a reason not to play. */
const name = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null);

/** What an item must have to be played, read from whatever the service sent; null stands for absent (A11, F16, F18). */
const playableItemSchema = z.object({
  id: name,
  title: z.string().nullish().catch(null),
  mimeType: z.string().refine((type) => formOf(type) !== null, "is not a type that can be shown"),
  height: z.int().positive().nullish().catch(null),
  width: z.int().positive().nullish().catch(null),
  duration: z.number().positive().max(LONGEST_ITEM_MS),
  url: callableUrl,
  pop: callableUrl,
  newsType: z.string().nullish().catch(null),
  // Some write 0 for a size that they do not know.
  size: z.int().positive().nullish().catch(null),
  md5: z
    .string()
    .regex(/^[0-9a-f]{32}$/i)
    .nullish()
    .catch(null),
});

const envelopeSchema = z.object({
  data: z
    .object({
      requestId: name,
      billable: z.boolean().nullish().catch(null),
      newsFirst: z.boolean().nullish().catch(null),
      news: z.unknown().optional(),
      ad: z.unknown().optional(),
    })
    .nullish(),
});

/**
 * Reads the parsed JSON body of a spot answer. Unknown members are ignored (A10); a malformed item is left out and
 * named (F18); a spot with nothing to show is `empty` (F1); a body that is no spot at all is `unreadable`.
 */
export function readSpot(body: unknown): SpotReading {
  const envelope = envelopeSchema.safeParse(body);
  if (!envelope.success) return { kind: "unreadable", problem: problemsOf(envelope.error).join("; ") };
  const data = envelope.data.data;
  if (data === null || data === undefined) return { kind: "empty", malformed: [] };

  const malformed: MalformedItem[] = [];
  const news = readItem("news", data.news, malformed);
  const ad = readItem("ad", data.ad, malformed);
  if (news === null && ad === null) return { kind: "empty", malformed };
  const spot: Spot = {
    requestId: data.requestId ?? "",
    billable: data.billable ?? false,
    newsFirst: data.newsFirst ?? true,
    news,
    ad,
  };
  return { kind: "spot", spot, malformed };
}

function readItem(kind: ItemKind, value: unknown, malformed: MalformedItem[]): Item | null {
  if (value === null || value === undefined) return null;
  const read = playableItemSchema.safeParse(value);
  if (!read.success) {
    malformed.push({ kind, problems: problemsOf(read.error) });
    return null;
  }
  const { id, title, mimeType, width, height, duration, url, pop, newsType, size, md5 } = read.data;
  const form = formOf(mimeType);
  if (form === null) throw new Error(`a type that passed the schema has no form: ${mimeType}`);
  return {
    kind,
    id: id ?? "",
    title: title ?? "",
    form,
    mimeType: baseType(mimeType),
    widthPx: width ?? null,
    heightPx: height ?? null,
    durationMs: duration,
    url,
    pop,
    newsType: newsType ?? null,
    sizeBytes: size ?? null,
    md5: md5?.toLowerCase() ?? null,
  };
}

/** What stands between the slashes of a valid web URL, read as the URL Standard does: tabs and line ends do not count. */
function authorityOf(url: string): string {
  return /^https?:[/\\]+([^/\\?#]*)/i.exec(url.replace(/[\t\n\r]/g, ""))?.[1] ?? "";
}

/** A URL may leave its scheme's own port out; which of the two it is makes no difference here. */
function portOf(url: string): number {
  return Number(/:(\d+)$/.exec(authorityOf(url))?.[1] ?? 443);
}

function problemsOf(error: z.ZodError): string[] {
  return error.issues.map((issue) => `${issue.path.join(".") || "answer"}: ${issue.message}`);
}
