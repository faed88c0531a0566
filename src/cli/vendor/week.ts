import { DAYS } from "../../core/opening-hours.ts";

/** A week of opening hours as a picture: a line for each day, a mark for each hour. */
export function weekPicture(hours: readonly boolean[]): string[] {
  return [
    "     0     6     12    18    24",
    ...DAYS.map((day, index) => {
      const open = hours.slice(index * 24, index * 24 + 24);
      return `${day}  ${open.map((hour) => (hour ? "#" : ".")).join("")}`;
    }),
  ];
}
