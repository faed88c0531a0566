import { Hono } from "hono";
import { type Env, failed, journalled, methodNotAllowed, notFound } from "../http/answers.ts";
import { type DescribedCall, describeApi } from "../http/description.ts";
import { onlyFromHere } from "../http/listener.ts";
import { approveWhatIsDue } from "../inventory/reviews.ts";
import type { MediaFile } from "../media/files.ts";
import { type Network, reset } from "../network.ts";
import { describeService } from "../service/resources.ts";
import { type ControlCall, controlCalls, controlSchemas } from "./calls.ts";
import { addDashboard } from "./dashboard.ts";
import { addDecisions, addLists, addOrganizations } from "./inventory.ts";
import { addJournal } from "./journal.ts";
import { addMetrics } from "./metrics.ts";
import { addBehaviour, addClock, addFaults } from "./settings.ts";
import { addForks, addSnapshots, type Forks, type ListenerUrls, type Snapshots } from "./snapshots-and-forks.ts";
import { addNext, addSpots } from "./spots.ts";

/** What the control listener is about. */
interface Controlled {
  readonly network: Network;
  readonly files: ReadonlyMap<string, MediaFile>;
  readonly urls: ListenerUrls;
  /** `null` where the network is a fork itself: it has neither forks nor a dashboard. */
  readonly forks: Forks | null;
}

/** The control listener: what the contract lacks. `host`: where it listens. */
export function controlApp({ network, files, urls, forks }: Controlled, host: string): Hono<Env> {
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
  addDescriptions(app, urls, forks === null);
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

/** Adds the index of the control API, its description, and that of the service. */
function addDescriptions(app: Hono<Env>, { baseUrl, controlUrl }: ListenerUrls, isFork: boolean): void {
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
  app.get("/openapi.json", (c) => c.json(describeService(baseUrl)));
  app.get("/control/openapi.json", (c) =>
    c.json(
      describeApi({
        title: TITLE,
        version: "1",
        url: controlUrl,
        calls: calls.map(described),
        schemas: controlSchemas,
      }),
    ),
  );
}

function described([id, { call, does, statuses, ...schemas }]: readonly [string, ControlCall]): DescribedCall {
  const [method = "", path = ""] = call.split(" ");
  const tag = path.split("/")[2] ?? "control";
  return {
    ...schemas,
    id,
    method: method.toLowerCase(),
    path,
    tag,
    summary: does,
    statuses: statuses ?? [200],
    errors: null,
  };
}
