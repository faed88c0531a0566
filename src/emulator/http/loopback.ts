import type { MiddlewareHandler } from "hono";
import { reachOf } from "../../core/address.ts";
import { type Env, problem } from "./answers.ts";

/**
 * Refuses calls that a web page elsewhere could make a browser on this machine send: under a name that only points
 * here (DNS rebinding), or from a page of another origin. `host`: where the listener is, if not on loopback.
 */
export function onlyFromHere(host: string): MiddlewareHandler<Env> {
  return async (c, next) => {
    const authority = c.req.header("host") ?? "";
    const name = authority.replace(/:\d*$/, "");
    if (reachOf(name) !== "loopback" && name.toLowerCase() !== host.toLowerCase()) {
      return problem(c, 403, "bad_host", "the control listener answers under a loopback name or address only");
    }
    const origin = c.req.header("origin");
    if (origin !== undefined && origin !== `http://${authority}`) {
      return problem(c, 403, "bad_origin", "the control listener answers its own pages only");
    }
    return next();
  };
}
