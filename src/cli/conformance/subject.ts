import { within } from "../../client/http.ts";
import { reasonOf } from "../../client/reply.ts";
import type { LocationStatus } from "../../core/inventory/rules.ts";
import { type routes, urlOf } from "../../wire/routes.ts";

/** What a service answered; `body` is `undefined` where it is no JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Asked {
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of a `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where a service is, and on whose behalf it is asked. URLs with or without a trailing slash. */
export interface Target {
  readonly baseUrl: string;
  readonly orgToken: string;
  readonly screenId: string;
  /** Of an emulator; without it only what changes nothing is checked. */
  readonly controlUrl: string | null;
  /** How requests are sent; by the runtime's own means by default. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A service under examination. */
export interface Subject {
  readonly orgToken: string;
  readonly screenId: string;
  /** Asks at an exact path below the base URL. */
  at(path: string, asked?: Asked): Promise<Reply>;
  /** Asks for one of the contract's routes, with our token unless the parameters bring another. */
  ask(route: keyof typeof routes, parameters?: Readonly<Record<string, string>>, asked?: Asked): Promise<Reply>;
  /** Asks the emulator's control API. */
  control(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Asks for any absolute URL, such as a proof of play's. */
  get(url: string): Promise<Reply>;
  /** An identifier that nothing has yet. */
  fresh(what: string): string;
  /** Whether the service has answered anything so far. */
  wasAnswered(): boolean;
}

/** What is thrown where a request got no answer. It names the host alone: the path holds the organization token. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";

  constructor(url: string, reason: string) {
    super(`${URL.canParse(url) ? new URL(url).origin : "what is no URL"} does not answer: ${reason}`);
  }
}

/** A service that says nothing for this long does not conform. */
const LONGEST_ANSWER_MS = 10_000;

/** A subject that is asked over HTTP, until `stop`. `run` makes the identifiers of this examination its own. */
export function subjectAt(
  { baseUrl, orgToken, screenId, controlUrl, fetch }: Target,
  run: string,
  stop: AbortSignal = new AbortController().signal,
): Subject {
  const base = baseUrl.replace(/\/+$/, "");
  const send = sendingBy(fetch ?? globalThis.fetch, stop);
  const control = (method: string, path: string, body?: unknown) => {
    if (controlUrl === null) throw new Error("a check that needs the control API was run without one");
    const asked = body === undefined ? { method } : { method, body };
    return send(`${controlUrl.replace(/\/+$/, "")}/control${path}`, asked);
  };
  let wasAnswered = false;
  const at = async (path: string, asked?: Asked) => {
    const reply = await send(base + path, asked);
    wasAnswered = true;
    const waitMs = Number(reply.headers.get("retry-after")) * 1000;
    if (reply.status !== 429 || controlUrl === null || !(waitMs > 0)) return reply;
    // An emulator's clock is moved rather than waited for: that a world has limits is no fault of its answers.
    await control("POST", "/clock/advance", { ms: waitMs });
    return send(base + path, asked);
  };
  let count = 0;
  return {
    orgToken,
    screenId,
    at,
    ask: (route, parameters = {}, asked) => at(urlOf("", route, { org_token: orgToken, ...parameters }), asked),
    control,
    get: (url) => send(url),
    fresh(what) {
      count += 1;
      return `${what}_${run}_${count}`;
    },
    wasAnswered: () => wasAnswered,
  };
}

function sendingBy(fetch: typeof globalThis.fetch, stop: AbortSignal) {
  return async (url: string, { method = "GET", body, text, headers = {} }: Asked = {}): Promise<Reply> => {
    const content = text ?? (body === undefined ? null : JSON.stringify(body));
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const asked = { method, redirect: "manual", headers: { ...type, ...headers }, body: content } as const;
    try {
      return await within(LONGEST_ANSWER_MS, stop, async (signal) => {
        const response = await fetch(url, { ...asked, signal });
        return { status: response.status, headers: response.headers, body: parsed(await response.text()) };
      });
    } catch (error) {
      throw new NoAnswer(url, reasonOf(error));
    }
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Everything that a location needs for its review. */
export const COMPLETE = {
  venue_type_id: "807",
  lat: 53.5453,
  long: 9.9687,
  opening_168: Array<boolean>(168).fill(true),
  visitors_7: [10, 20, 30, 40, 50, 60, 70],
};

/** Creates a location of a new id with these fields beside its title. */
export function create(subject: Subject, fields: object): Promise<Reply> {
  const body = { location_id: subject.fresh("loc"), title: "Examined", ...fields };
  return subject.ask("locations", {}, { method: "POST", body });
}

/** Creates a location and brings it into a status; returns its id. */
export async function freshLocation(subject: Subject, status: LocationStatus): Promise<string> {
  const location_id = subject.fresh("loc");
  await create(subject, status === "DRAFT" ? { location_id } : { location_id, ...COMPLETE });
  if (status === "APPROVED") await subject.control("POST", `/locations/${location_id}/approve`);
  return location_id;
}

export function readLocation(subject: Subject, location_id: string): Promise<Reply> {
  return subject.ask("location", { location_id });
}

export function update(subject: Subject, location_id: string, body: object): Promise<Reply> {
  return subject.ask("location", { location_id }, { method: "POST", body });
}

/** Creates a screen at a location with these fields changed. */
export function createScreen(subject: Subject, location_id: string, fields: object = {}): Promise<Reply> {
  const sizes = { width: 1920, height: 1080, loop_duration: 60 };
  const body = { screen_id: subject.fresh("screen"), title: "Examined", venue_type_id: "807", location_id, ...sizes };
  return subject.ask("screens", {}, { method: "POST", body: { ...body, ...fields } });
}

/** Creates a screen at a new location in a status; returns both ids. */
export async function freshScreen(
  subject: Subject,
  status: LocationStatus,
): Promise<{ screen_id: string; location_id: string }> {
  const location_id = await freshLocation(subject, status);
  const screen_id = subject.fresh("screen");
  await createScreen(subject, location_id, { screen_id });
  return { screen_id, location_id };
}

/** Has the operator bring in a new CAR; returns its id. */
export async function freshApproval(subject: Subject): Promise<string> {
  const { body } = await subject.control("POST", "/cars", { org_token: subject.orgToken });
  return String((body as { readonly car_id?: unknown } | undefined)?.car_id);
}
