import type { OpenAPIHono } from "@hono/zod-openapi";
import { Hono } from "hono";
import { type Env, failed, journalled, methodNotAllowed, notFound } from "../http/answers.ts";
import { onlyFromHere } from "../http/loopback.ts";
import { type Network, reset } from "../network.ts";
import { addClock } from "./clock.ts";
import { addJournal } from "./journal.ts";
import { addNext } from "./next.ts";
import { addSpots } from "./spots.ts";

/** The control listener: what the contract lacks. `service` is described at `/openapi.json`. */
export function controlApp(network: Network, service: OpenAPIHono<Env>, host: string): Hono<Env> {
  const app = new Hono<Env>();
  app.use(journalled(network, "control"));
  app.use(onlyFromHere(host));
  app.get("/control/health", (c) => c.json({ status: "ok" }));
  app.post("/control/reset", (c) => {
    reset(network);
    return c.json({ status: "ok" });
  });
  addNext(app, network);
  addSpots(app, network);
  addClock(app, network);
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
