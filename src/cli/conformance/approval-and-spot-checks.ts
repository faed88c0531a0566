import { z } from "zod";
import { approvalSchema } from "../../wire/inventory.ts";
import {
  type Check,
  contractApproval,
  contractRejection,
  fits,
  has,
  hasStatus,
  succeeded,
  unchanged,
} from "./check.ts";
import { freshApproval, freshScreen, type Reply, type Subject, update } from "./subject.ts";

/** What is checked of CARs against an emulator, whose operator brings them in. */
export const approvalChecks: readonly Check[] = [
  {
    id: "Get a CAR",
    name: "has every field, and no reasons while it is pending",
    basis: "contract",
    run: async (subject) => {
      const reply = await read(subject, await freshApproval(subject));
      const pending = { status: "pending", rejection_reasons: null };
      return [...succeeded(reply), ...fits(reply.body, contractApproval), ...has(reply.body, pending)];
    },
  },
  {
    id: "A11",
    name: "a CAR is read with every key, and null for what is unknown",
    basis: "reading",
    run: async (subject) => fits((await read(subject, await freshApproval(subject))).body, approvalSchema),
  },
  {
    id: "Reject a CAR",
    name: "answers with the rejected one, which is read so from then on",
    basis: "contract",
    run: async (subject) => {
      const car_id = await freshApproval(subject);
      const body = { rejection_reasons: ["CUSTOM"], custom_message: "Too loud" };
      const reply = await reject(subject, car_id, body);
      const problems = [...succeeded(reply), ...fits(reply.body, contractRejection)];
      const told = has(reply.body, { id: car_id, ...body });
      return [...problems, ...told, ...has((await read(subject, car_id)).body, { status: "rejected", ...body })];
    },
  },
  {
    id: "Reject a CAR",
    name: "takes several reasons",
    basis: "contract",
    run: async (subject) => {
      const body = { rejection_reasons: ["FILTER", "ADVERTISER"] };
      return succeeded(await reject(subject, await freshApproval(subject), body));
    },
  },
  refusal("is 400 without reasons", {}, [400]),
  refusal("is 400 with no reason in the list", { rejection_reasons: [] }, [400]),
  refusal("is 400 with an unknown reason", { rejection_reasons: ["BORING"] }, [400]),
  refusal("is 422 with CUSTOM and no message", { rejection_reasons: ["CUSTOM"] }, [422]),
  refusal("is 422 with CUSTOM and an empty message", { rejection_reasons: ["CUSTOM"], custom_message: "" }, [422]),
  {
    id: "Reject a CAR",
    name: "is 400 for one that is approved or rejected already",
    basis: "contract",
    run: async (subject) => {
      const [approved, rejected] = [await freshApproval(subject), await freshApproval(subject)];
      await subject.control("POST", `/cars/${approved}/approve`);
      await reject(subject, rejected, FILTER);
      const replies = [await reject(subject, approved, FILTER), await reject(subject, rejected, FILTER)];
      return replies.flatMap((reply) => hasStatus(reply, 400));
    },
  },
  {
    id: "Reject a CAR",
    name: "is 401 for a token that nobody has, and for none",
    basis: "contract",
    run: async (subject) => {
      const asked = { method: "POST", body: FILTER };
      const car_id = await freshApproval(subject);
      const stranger = await subject.ask("rejectApproval", { org_token: "nobody_has_this_token", car_id }, asked);
      const nobody = await subject.ask("rejectApproval", { org_token: "", car_id }, asked);
      return [...hasStatus(stranger, 401), ...hasStatus(nobody, 401)];
    },
  },
  {
    id: "Reject a CAR",
    name: "is 404 for a CAR that is not there",
    basis: "contract",
    run: async (subject) => hasStatus(await reject(subject, subject.fresh("car"), FILTER), 404),
  },
  {
    id: "E1",
    name: "a token that nobody has is 401 before anything else is looked at",
    basis: "reading",
    run: async (subject) => {
      const parameters = { org_token: "nobody_has_this_token", car_id: subject.fresh("car") };
      return hasStatus(await subject.ask("rejectApproval", parameters, { method: "POST", body: {} }), 401);
    },
  },
];

const FILTER = { rejection_reasons: ["FILTER"] };

/** One that is pending is not rejected with this body, and stays as it is. */
function refusal(name: string, body: object, statuses: readonly number[]): Check {
  return {
    id: "Reject a CAR",
    name,
    basis: "contract",
    run: async (subject) => {
      const car_id = await freshApproval(subject);
      const before = await read(subject, car_id);
      const reply = await reject(subject, car_id, body);
      return [...hasStatus(reply, ...statuses), ...unchanged(before, await read(subject, car_id))];
    },
  };
}

function read(subject: Subject, car_id: string): Promise<Reply> {
  return subject.ask("approval", { car_id });
}

function reject(subject: Subject, car_id: string, body: object): Promise<Reply> {
  return subject.ask("rejectApproval", { car_id }, { method: "POST", body });
}

const HOUR_MS = 3_600_000;

/** What is checked of spots and their proofs against an emulator; its clock is moved on by some hours. */
export const spotChecks: readonly Check[] = [
  {
    id: "F3",
    name: "a screen whose location is not APPROVED gets neither news nor ad",
    basis: "reading",
    run: async (subject) => {
      const { screen_id, location_id } = await freshScreen(subject, "APPROVED");
      await update(subject, location_id, { lat: 48.85 });
      return has(await dataOf(subject, screen_id), { billable: false, news: null, ad: null });
    },
  },
  {
    id: "F4",
    name: "a location that is not available for ads gets none",
    basis: "reading",
    run: async (subject) => {
      const { screen_id, location_id } = await freshScreen(subject, "APPROVED");
      await update(subject, location_id, { available_for_ads: false });
      return has(await dataOf(subject, screen_id), { billable: false, ad: null });
    },
  },
  {
    id: "F5",
    name: "a location that is closed gets no ads",
    basis: "reading",
    run: async (subject) => {
      const { screen_id, location_id } = await freshScreen(subject, "APPROVED");
      await update(subject, location_id, { opening_168: Array<boolean>(168).fill(false) });
      return has(await dataOf(subject, screen_id), { billable: false, ad: null });
    },
  },
  {
    id: "Proof of play",
    name: "is taken within the hour",
    basis: "contract",
    run: async (subject) => {
      const pop = await popOf(subject);
      await advance(subject, HOUR_MS / 2);
      return succeeded(await subject.get(pop));
    },
  },
  {
    id: "F9",
    name: "a second proof of the same item is 200 too",
    basis: "reading",
    run: async (subject) => {
      const pop = await popOf(subject);
      await advance(subject, HOUR_MS / 2);
      return [...hasStatus(await subject.get(pop), 200), ...hasStatus(await subject.get(pop), 200)];
    },
  },
  {
    id: "F8",
    name: "is 410 after the hour",
    basis: "reading",
    run: async (subject) => {
      const pop = await popOf(subject);
      await advance(subject, HOUR_MS + 60_000);
      return hasStatus(await subject.get(pop), 410);
    },
  },
  {
    id: "F10",
    name: "is 404 when its URL is altered",
    basis: "reading",
    run: async (subject) => hasStatus(await subject.get(`${await popOf(subject)}x`), 404),
  },
  {
    id: "F12",
    name: "is taken, and flagged, before its item can have been shown",
    basis: "reading",
    run: async (subject) => hasStatus(await subject.get(await popOf(subject)), 200),
  },
  {
    id: "E9",
    name: "no ad is served before its CAR is approved",
    basis: "reading",
    run: async (subject) => {
      const { screen_id } = await freshScreen(subject, "APPROVED");
      const item = { ...CREATIVE, url: `https://media.example/${subject.fresh("creative")}.mp4` };
      const { body } = await subject.control("POST", "/cars", { org_token: subject.orgToken, item });
      const before = await isServed(subject, screen_id, item.url);
      await subject.control("POST", `/cars/${carSchema.parse(body).car_id}/approve`);
      const after = await isServed(subject, screen_id, item.url);
      return [...(before ? ["it is served while pending"] : []), ...(after ? [] : ["it is not served once approved"])];
    },
  },
  {
    id: "B14",
    name: "a screen whose location is archived gets neither news nor ad",
    basis: "reading",
    run: async (subject) => {
      const { screen_id, location_id } = await freshScreen(subject, "APPROVED");
      await update(subject, location_id, { archived: true });
      return has(await dataOf(subject, screen_id), { news: null, ad: null });
    },
  },
];

const CREATIVE = { title: "Examined", width: 1280, height: 720, duration: 5000, mimeType: "video/mp4" };
/** Enough spots for every campaign of an examined emulator to have had its turn. */
const SPOTS_OF_A_ROUND = 100;

const carSchema = z.object({ car_id: z.string() });
const itemSchema = z.object({ url: z.string(), pop: z.string() });
const dataSchema = z.object({ news: itemSchema.nullish(), ad: itemSchema.nullish() });

async function dataOf(subject: Subject, screen_id: string): Promise<unknown> {
  const { body } = await subject.ask("spot", { screen_id });
  return (body as { readonly data?: unknown } | undefined)?.data;
}

async function isServed(subject: Subject, screen_id: string, url: string): Promise<boolean> {
  for (let turn = 0; turn < SPOTS_OF_A_ROUND; turn += 1) {
    const { ad } = dataSchema.parse(await dataOf(subject, screen_id));
    if (ad?.url === url) return true;
  }
  return false;
}

async function popOf(subject: Subject): Promise<string> {
  const { news, ad } = dataSchema.parse(await dataOf(subject, subject.screenId));
  const pop = (ad ?? news)?.pop;
  if (pop === undefined) throw new Error("the screen's spot has neither news nor ad");
  return pop;
}

function advance(subject: Subject, ms: number) {
  return subject.control("POST", "/clock/advance", { ms });
}
