import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { type Env, problem } from "../http/answers.ts";
import { onlyFromHere } from "../http/loopback.ts";
import type { Network } from "../network.ts";
import { dashboardView } from "./dashboard-view.ts";
import type { Snapshots } from "./snapshots.ts";

/** The page runs its own files and talks to its own origin, and that is all. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const TYPES: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript" };

/**
 * Adds the dashboard at `/`. To be added before the journal is: what the page reads for itself is no traffic, and would
 * be most of it. What its buttons do is, since they call the control API. `host`: where the listener is.
 */
export function addDashboard(app: Hono<Env>, network: Network, snapshots: Snapshots, host: string): void {
  const here = onlyFromHere(host);
  app.get("/", unjournalled, here, (c) => file(c, "page.html"));
  app.get("/dashboard/view", unjournalled, here, (c) =>
    c.json(dashboardView(network, snapshots), 200, { "cache-control": "no-store" }),
  );
  app.get("/dashboard/:name{[a-z-]+\\.(?:js|css)}", unjournalled, here, (c) => file(c, c.req.param("name")));
}

/** Handlers write to the call's note, which is thrown away here. */
const unjournalled: MiddlewareHandler<Env> = async (c, next) => {
  const nothing = { route: null, screenId: null, nearMiss: null, fault: null, status: null };
  c.set("note", { ...nothing, warnings: [], events: [] });
  await next();
};

/** A file of the page as it was built: browsers do not run the sources. The name has no way out of the folder. */
async function file(c: Context<Env>, name: string): Promise<Response> {
  const path = fileURLToPath(new URL(`../../../dist/emulator/dashboard/${name}`, import.meta.url));
  const type = TYPES[name.replace(/.*\./, "")] ?? "application/octet-stream";
  const headers = {
    "content-type": `${type}; charset=utf-8`,
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
  };
  try {
    return new Response(await readFile(path), { headers });
  } catch {
    return problem(c, 404, "not_found", "there is no such file of the dashboard, or it has not been built");
  }
}
