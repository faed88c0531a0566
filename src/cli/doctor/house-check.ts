import { surveyHouse } from "../../player/house/house-survey.ts";
import { count } from "../text.ts";
import { type Finding, fine, warning } from "./finding.ts";

/** So many skipped files are named; of more it is enough to know how many. */
const MOST_NAMED = 5;

/** Looks at what is shown when there is no spot: what the operator's folder holds, and what of it cannot be shown. */
export async function houseFinding(dir: string | null): Promise<Finding> {
  if (dir === null) return fine("house content", "the packaged slate");
  const { entries, skipped, problem } = await surveyHouse(dir);
  const names = skipped.slice(0, MOST_NAMED).map(({ name, why }) => `${name} ${why}`);
  const more = skipped.length > MOST_NAMED ? [`${skipped.length - MOST_NAMED} more`] : [];
  const passedOver = skipped.length === 0 ? "" : `; skipped: ${[...names, ...more].join(", ")}`;
  if (problem !== null) {
    const text = `${dir}: ${problem}, so the packaged slate is shown${passedOver}`;
    return warning(
      "house content",
      text,
      "Put images (jpg, png, webp, gif, svg), clips (mp4, webm) or pages (html) there.",
    );
  }
  const kinds = [
    count(entries.filter(({ form }) => form === "image").length, "image"),
    count(entries.filter(({ form }) => form === "video").length, "clip"),
    count(entries.filter(({ form }) => form === "page").length, "page"),
  ];
  const text = `${dir}: ${kinds.join(", ")}${passedOver}`;
  return skipped.length === 0 ? fine("house content", text) : warning("house content", text);
}
