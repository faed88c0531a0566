import type { Instant } from "../../src/core/spot.ts";
import { SERVICE_URL } from "./screen-network.ts";

/** A run of the player, as its network knows it. */
export interface Caller {
  readonly run: number;
  /** Raised when the run is over, however it ended. */
  readonly gone: AbortSignal;
  /** What breaks off each of its calls that are under way. */
  readonly calls: Set<AbortController>;
}

/** `inventory`: what the service says of the screen and its location. */
export type Route = "spot" | "inventory" | "media" | "pop";

/** One GET on its way. */
export interface Call extends Omit<Caller, "calls"> {
  readonly route: Route;
  readonly surface: "service" | "media";
  /** Path and query, byte for byte, without the hops before. */
  readonly target: string;
  /** Redirects still to come. */
  readonly hops: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly begunAt: Instant;
  /** Names the call among all. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Nothing of it is under way any more. */
  end(): void;
}

const VIA = /\/via\/(\d+)(\/.*)$/;

/** Whether a URL is one that a redirect led to. */
export function isHop(url: string): boolean {
  return VIA.test(url);
}

/** What a URL is about, whatever hops it has still to make. */
export function addressOf(url: string): Pick<Call, "surface" | "route" | "target" | "hops"> {
  const surface = url.startsWith(SERVICE_URL) ? "service" : "media";
  const path = url.slice(SERVICE_URL.length);
  const [, hops = "0", target = path] = VIA.exec(path) ?? [];
  return {
    surface,
    route: surface === "service" ? serviceRoute(target) : mediaRoute(target),
    target,
    hops: Number(hops),
  };
}

function serviceRoute(target: string): Route {
  return target.includes("/rt_ad/") ? "spot" : "inventory";
}

function mediaRoute(target: string): Route {
  return target.startsWith("/pop/") ? "pop" : "media";
}

/** A call that begins now; `turn` counts those for its target. */
export function callOf(
  { run, gone, calls }: Caller,
  url: string,
  init: RequestInit,
  begunAt: Instant,
  turn: number,
): Call {
  const address = addressOf(url);
  const headers = (init.headers ?? {}) as Record<string, string>;
  const name = `${address.target} ${turn} ${address.hops}`;
  return { run, gone, ...address, headers, begunAt, name, ...breakable(init.signal ?? gone, calls) };
}

/** A signal of the call's own: whatever hangs on one that lives as long as the player would be kept for as long. */
function breakable(callers: AbortSignal, calls: Set<AbortController>): { signal: AbortSignal; end(): void } {
  const control = new AbortController();
  const breakOff = () => control.abort(callers.reason);
  const end = () => {
    callers.removeEventListener("abort", breakOff);
    calls.delete(control);
  };
  callers.addEventListener("abort", breakOff, { once: true });
  calls.add(control);
  return { signal: control.signal, end };
}
