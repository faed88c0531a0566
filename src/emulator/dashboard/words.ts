/** "42 s", "3 min 05 s" or "2 h 10 min". */
export function lengthInWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** "08:00:15" of an instant, in UTC as everything on the page. */
export function timeOfDay(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** "98.5 %", or a dash when there is nothing to speak of. */
export function share(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (100 * part) / whole;
  return `${percent === 100 ? 100 : Math.min(99.9, percent).toFixed(1)} %`;
}
