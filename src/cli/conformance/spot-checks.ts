import { z } from "zod";
import { type Check, has, hasStatus, succeeded } from "./check.ts";
import { freshScreen, type Subject, update } from "./subject.ts";

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
