import type { OpenAPIHono } from "@hono/zod-openapi";
import { Hono } from "hono";
import { type Env, failed, journalled, methodNotAllowed, notFound } from "../http/answers.ts";
import { onlyFromHere } from "../http/loopback.ts";
import { approveWhatIsDue } from "../inventory/due.ts";
import type { MediaFile } from "../media/files.ts";
import { type Network, reset } from "../network.ts";
import { addAudit } from "./audit.ts";
import { addBehaviour } from "./behaviour.ts";
import { addClock } from "./clock.ts";
import { addDashboard } from "./dashboard.ts";
import { addDecisions } from "./decisions.ts";
import { addFaults } from "./faults.ts";
import { addJournal } from "./journal.ts";
import { addLists } from "./lists.ts";
import { addMetrics } from "./metrics.ts";
import { addNext } from "./next.ts";
import { addOrganizations } from "./organizations.ts";
import { addSnapshots, type Snapshots } from "./snapshots.ts";
import { addSpots } from "./spots.ts";

/** What the control listener is about: `service` is described at `/openapi.json`. */
export interface Controlled {
  readonly network: Network;
  readonly service: OpenAPIHono<Env>;
  readonly files: ReadonlyMap<string, MediaFile>;
}

/** The control listener: what the contract lacks. `host`: where it listens. */
export function controlApp({ network, service, files }: Controlled, host: string): Hono<Env> {
  const app = new Hono<Env>();
  const snapshots: Snapshots = new Map();
  addDashboard(app, network, snapshots, host);
  app.use(journalled(network, "control"));
  app.use(onlyFromHere(host));
  app.use(async (c, next) => {
    c.get("note").events.push(...approveWhatIsDue(network));
    return next();
  });
  app.get("/control/health", (c) => c.json({ status: "ok" }));
  app.post("/control/reset", (c) => {
    reset(network);
    return c.json({ status: "ok" });
  });
  addBehaviour(app, network);
  addOrganizations(app, network);
  addLists(app, network, files);
  addDecisions(app, network, files);
  addNext(app, network);
  addSpots(app, network);
  addClock(app, network);
  addFaults(app, network);
  addAudit(app, network);
  addSnapshots(app, network, snapshots);
  addMetrics(app, network);
  addJournal(app, network);
  const info = { title: "Screen network vendor interface", version: "3" };
  app.get("/openapi.json", (c) => c.json(service.getOpenAPI31Document({ openapi: "3.1.0", info })));
  app.notFound((c) => {
    const allowed = methodsAt(app, c.req.path);
    return allowed.length === 0 ? notFound(c) : methodNotAllowed(c, allowed);
  });
  app.onError(failed);
  return app;
}

/** The methods under which there is something at a path. */
function methodsAt(app: Hono<Env>, path: string): string[] {
  const methods = new Set(app.routes.map(({ method }) => method).filter((method) => method !== "ALL"));
  return [...methods].filter((method) => {
    const [handlers] = app.router.match(method, path);
    return handlers.some(([[, route]]) => route.method === method);
  });
}
