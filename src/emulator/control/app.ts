import type { OpenAPIHono } from "@hono/zod-openapi";
import { Hono } from "hono";
import { z } from "zod";
import { errorSchema } from "../../wire/errors.ts";
import { type Env, failed, journalled, methodNotAllowed, notFound } from "../http/answers.ts";
import { onlyFromHere } from "../http/listener.ts";
import { approveWhatIsDue } from "../inventory/reviews.ts";
import type { MediaFile } from "../media/files.ts";
import { type Network, reset } from "../network.ts";
import { type ControlCall, controlCalls } from "./calls.ts";
import { addDashboard } from "./dashboard.ts";
import { addDecisions, addLists, addOrganizations } from "./inventory.ts";
import { addJournal } from "./journal.ts";
import { addMetrics } from "./metrics.ts";
import { addBehaviour, addClock, addFaults } from "./settings.ts";
import { addForks, addSnapshots, type Forks, type ListenerUrls, type Snapshots } from "./snapshots-and-forks.ts";
import { addNext, addSpots } from "./spots.ts";

/** What the control listener is about: `service` is described at `/openapi.json`. */
interface Controlled {
  readonly network: Network;
  readonly service: OpenAPIHono<Env>;
  readonly files: ReadonlyMap<string, MediaFile>;
  readonly urls: ListenerUrls;
  /** `null` where the network is a fork itself: it has neither forks nor a dashboard. */
  readonly forks: Forks | null;
}

/** The control listener: what the contract lacks. `host`: where it listens. */
export function controlApp({ network, service, files, urls, forks }: Controlled, host: string): Hono<Env> {
  const app = new Hono<Env>();
  const snapshots: Snapshots = new Map();
  if (forks !== null) addDashboard(app, network, snapshots, host);
  app.use(async (c, next) => {
    const answer = journalled(network, "control", async () => {
      c.header("date", c.get("note").head.date);
      await next();
      return c.res;
    });
    return answer(c);
  });
  app.use(onlyFromHere(host));
  app.use(async (c, next) => {
    c.get("note").events.push(...approveWhatIsDue(network));
    return next();
  });
  addDescription(app, urls, forks === null);
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
  addSnapshots(app, network, snapshots);
  if (forks !== null) addForks(app, forks, urls);
  addMetrics(app, network);
  addJournal(app, network);
  const info = { title: "Screen network vendor interface", version: "3", license: LICENSE };
  // Without it the description would be of this listener, where generated clients would look for the service.
  const servers = [{ url: urls.baseUrl }];
  app.get("/openapi.json", (c) =>
    c.json(service.getOpenAPI31Document({ openapi: "3.1.0", info, servers, security: [] })),
  );
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

/** What a fork does not have itself. */
const OF_FORKS = / \/control\/forks\b/;
const TITLE = "Control API of the Spotloop emulator";
/** Of the descriptions, as of all that is packaged here. */
const LICENSE = { name: "MIT", identifier: "MIT" };

/** Adds the index of the control API and its description. */
function addDescription(app: Hono<Env>, urls: ListenerUrls, isFork: boolean): void {
  const calls = Object.entries(controlCalls).filter(([, { call }]) => !(isFork && OF_FORKS.test(call)));
  const index = {
    title: TITLE,
    ...(isFork ? {} : { dashboard: "/" }),
    description: "/control/openapi.json",
    vendor_interface: "/openapi.json",
    metrics: "/metrics",
    calls: calls.map(([, { call, does }]) => ({ call, does })),
  };
  app.get("/control", (c) => c.json(index));
  app.get("/control/openapi.json", (c) => c.json(controlDescription(calls, urls)));
}

/** The control API in OpenAPI 3.1, whose schemas are JSON Schema. */
function controlDescription(calls: readonly (readonly [string, ControlCall])[], { controlUrl }: ListenerUrls): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, described] of calls) {
    const [method = "", path = ""] = described.call.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId, ...operationOf(described, path) } };
  }
  const info = { title: TITLE, version: "1", license: LICENSE };
  const refused = { description: "refused", ...content({ $ref: "#/components/schemas/Error" }) };
  const components = { schemas: { Error: jsonSchema(errorSchema, "output") }, responses: { Refused: refused } };
  return { openapi: "3.1.0", info, servers: [{ url: controlUrl }], security: [], paths, components };
}

const REFUSED = { $ref: "#/components/responses/Refused" };

function operationOf(described: ControlCall, path: string): object {
  const { does, query, body, isBodyOptional = false, answer, statuses = [200] } = described;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: "path", required: true, schema: { type: "string" } };
  });
  const success = answer === undefined ? {} : content(jsonSchema(answer, "output"));
  return {
    tags: [path.split("/")[2] ?? "control"],
    summary: does,
    parameters: [...inPath, ...parametersOf(query)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: !isBodyOptional, ...content(jsonSchema(body, "input")) } }),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [status, { description: "done", ...success }])),
      "4XX": REFUSED,
      default: REFUSED,
    },
  };
}

function parametersOf(query: z.ZodType | undefined): readonly object[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(query, "input");
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: "query", required: required.includes(name), schema };
  });
}

function content(schema: object) {
  return { content: { "application/json": { schema } } };
}

/** `input`: what may be sent; `output`: what is answered. What JSON Schema cannot say, such as a rule of ours, is left out. */
function jsonSchema(schema: z.ZodType, io: "input" | "output"): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
