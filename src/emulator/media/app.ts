import { Hono } from "hono";
import { faulty } from "../faults/middleware.ts";
import { type Env, failed, journalled, methodNotAllowed, notFound } from "../http/answers.ts";
import { leaveUnanswered } from "../http/unanswered.ts";
import type { Network } from "../network.ts";
import { CREATIVES_PATH } from "../world/catalogue.ts";
import type { MediaFile } from "./files.ts";
import { answerMedia } from "./media.ts";
import { answerPop } from "./pop.ts";

/** What the page that never loads asks for. */
const NEVER_PATH = `${CREATIVES_PATH}bad/never.png`;

/** The media listener: the files that spots point at, and the proof-of-play URLs. */
export function mediaApp(network: Network, files: ReadonlyMap<string, MediaFile>): Hono<Env> {
  const app = new Hono<Env>();
  app.use(journalled(network, "media"));
  app.use(faulty(network, "media", files));
  // `all`, because a HEAD that was taken for a GET would count a proof.
  app.all("/pop/:token", (c) => (c.req.raw.method === "GET" ? answerPop(c, network) : methodNotAllowed(c, ["GET"])));
  app.all(NEVER_PATH, async (c) => {
    c.get("note").route = "media";
    leaveUnanswered(c);
    return c.res;
  });
  app.all(`${CREATIVES_PATH}*`, async (c) => {
    c.get("note").route = "media";
    const readable = c.req.raw.method === "GET" || c.req.raw.method === "HEAD";
    return readable ? answerMedia(c, network, files) : methodNotAllowed(c, ["GET", "HEAD"]);
  });
  app.notFound(notFound);
  app.onError(failed);
  return app;
}
