import { byId, element, fillRows, type Row } from "./dom.ts";
import { timeOfDay } from "./words.ts";

/** A call as the journal's stream tells it, as far as it is shown. */
interface Call {
  readonly id: number;
  readonly at: string;
  readonly listener: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly fault: string | null;
  readonly near_miss: string | null;
}

/** The calls that are kept on the page. */
export const MOST_CALLS = 100;

const calls: Call[] = [];

/** Takes a call in; it is shown with the next `drawCalls`. */
export function addCall(text: string): void {
  const call = JSON.parse(text) as Call;
  // The numbers begin anew when the journal was cleared or the emulator restarted.
  if (call.id <= (calls[0]?.id ?? 0)) calls.length = 0;
  calls.unshift(call);
  calls.length = Math.min(calls.length, MOST_CALLS);
}

/** Draws the calls, newest first. */
export function drawCalls(): void {
  fillRows(byId("calls"), calls.map(rowOf), "no calls yet");
}

function rowOf({ id, at, listener, method, path, status, fault, near_miss }: Call): Row {
  const tone = status === 0 || status >= 400 ? "bad" : "good";
  const why = fault === null ? near_miss : `fault ${fault}`;
  return {
    key: `${id}`,
    says: at,
    make: () => {
      const where = element("span", "path", `${method} ${path}`);
      where.title = path;
      return [
        element("span", "quiet", timeOfDay(Date.parse(at))),
        element("span", tone, status === 0 ? "cut" : `${status}`),
        element("span", "quiet", listener),
        where,
        ...(why === null ? [] : [element("span", "bad why", why)]),
      ];
    },
  };
}
