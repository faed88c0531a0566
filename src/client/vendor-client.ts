import type { z } from "zod";
import { differences } from "../core/inventory/changes.ts";
import type { VenueTree, VenueType } from "../core/inventory/rules.ts";
import type { Delivery } from "../core/proofs/proof.ts";
import {
  type Location,
  type LocationChange,
  locationSchema,
  type Screen,
  type ScreenChange,
  screenSchema,
} from "../wire/inventory.ts";
import {
  type ApprovalAnswer,
  approvalAnswerSchema,
  locationAnswerSchema,
  type RejectionAnswer,
  rejectionAnswerSchema,
  screenAnswerSchema,
  venueTypesAnswerSchema,
} from "../wire/inventory-answers.ts";
import { isSegment, type Route, urlOf } from "../wire/routes.ts";
import { type Answer, type Failure, invalid, ok } from "./answer.ts";
import {
  checkLocationUpdate,
  checkNewLocation,
  checkNewScreen,
  checkRejection,
  checkScreenUpdate,
  type NewLocation,
  type NewRejection,
  type NewScreen,
  type Reader,
} from "./checks.ts";
import {
  answerIn,
  bodyIn,
  type Exchange,
  exchange,
  isWorthRetrying,
  retryWhile,
  settle,
  type Writing,
} from "./exchange.ts";
import { type ExactGet, follow, getBy, type Reply, succeeded, USER_AGENT } from "./http.ts";
import { SpotClient, type SpotOutcome } from "./spot-client.ts";

export interface VendorClientOptions {
  /** With or without a slash at its end. */
  readonly baseUrl: string;
  readonly orgToken: string;
  /** By default the runtime's own. */
  readonly fetch?: typeof globalThis.fetch;
  /** The same for proofs whose URLs `fetch` would write otherwise. */
  readonly exactGet?: ExactGet;
  /** For each try of a request, its body and redirects included; 15 s. */
  readonly timeoutMs?: number;
  /** The wait before the second try of what is tried again; each later one is twice as long. */
  readonly retryMs?: number;
  /** Whether a request is checked against the contract's rules before it is sent; true. */
  readonly check?: boolean;
}

const TIMEOUT_MS = 15_000;
/** A call that only reads is made so often in all when the network or the service falters. */
export const READ_TRIES = 3;
const RETRY_MS = 500;

/** An object is some kilobytes, the venue types some hundred: more is a mistake that must not fill the memory. */
const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * A screen network's whole vendor interface over HTTP: locations, screens, venue types, creative approvals and, by the
 * client that players have, spots and proofs. Answers are values, by the status alone; the token is in none of them.
 *
 * Reading is tried again when the network or the service falters. Writing is sent once: when its outcome is unknown, or
 * its answer is empty, the object is read and compared instead (A3). Unless `check` is false, a request that breaks a
 * rule of the contract is `invalid` before it is sent, with everything that is wrong with it.
 *
 * @example
 * const client = new VendorClient({ baseUrl, orgToken });
 * const created = await client.createLocation({ location_id: "gym-1", title: "Gym", venue_type_id: "401" });
 * if (created.kind === "ok") console.log(created.value.status); // DRAFT: there is no position yet, nor hours or visitors
 * else console.log(created.kind, created.kind === "invalid" ? created.fields : "");
 */
export class VendorClient implements Reader {
  readonly #options: Required<Omit<VendorClientOptions, "exactGet">>;
  readonly #spots: SpotClient;
  #tree: VenueTree | null = null;

  constructor(options: VendorClientOptions) {
    const { fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS, retryMs = RETRY_MS, check = true } = options;
    this.#options = { ...options, fetch, timeoutMs, retryMs, check };
    const timeouts = { spotTimeoutMs: timeoutMs, proofTimeoutMs: timeoutMs };
    this.#spots = new SpotClient({ ...options, fetch, ...timeouts, spotRetryMs: retryMs });
  }

  /** Creates a location: a DRAFT, or in REVIEW where it lacks nothing that the review needs (B3). */
  async createLocation(creation: NewLocation, signal: AbortSignal = NEVER): Promise<Answer<Location>> {
    const checked = this.#options.check ? await checkNewLocation(this, creation, signal) : FINE;
    if (checked.kind !== "ok") return checked;
    return this.#write("locations", {}, creation, signal, {
      creates: true,
      read: (body) => locationSchema.safeParse(body).data ?? null,
      find: (response) => {
        const id = creation.location_id ?? chosenId(response);
        return id === null ? null : this.getLocation(id, signal);
      },
      isDone: (location) => differences(location, creation).length === 0,
    });
  }

  getLocation(locationId: string, signal: AbortSignal = NEVER): Promise<Answer<Location>> {
    return this.#read("location", { location_id: locationId }, locationAnswerSchema, signal);
  }

  /** Changes the fields that are given, all or none. What that does to the review: contract, "States and transitions". */
  async updateLocation(
    locationId: string,
    change: LocationChange,
    signal: AbortSignal = NEVER,
  ): Promise<Answer<Location>> {
    const checked = this.#options.check ? await checkLocationUpdate(this, locationId, change, signal) : FINE;
    if (checked.kind !== "ok") return checked;
    return this.#write("location", { location_id: locationId }, change, signal, {
      creates: false,
      read: (body) => locationSchema.safeParse(body).data ?? null,
      find: () => this.getLocation(locationId, signal),
      isDone: (location) => differences(location, change).length === 0,
    });
  }

  async createScreen(creation: NewScreen, signal: AbortSignal = NEVER): Promise<Answer<Screen>> {
    const checked = this.#options.check ? await checkNewScreen(this, creation, signal) : FINE;
    if (checked.kind !== "ok") return checked;
    return this.#write("screens", {}, creation, signal, {
      creates: true,
      read: (body) => screenSchema.safeParse(body).data ?? null,
      find: () => this.getScreen(creation.screen_id, signal),
      isDone: (screen) => differences(screen, creation).length === 0,
    });
  }

  getScreen(screenId: string, signal: AbortSignal = NEVER): Promise<Answer<Screen>> {
    return this.#read("screen", { screen_id: screenId }, screenAnswerSchema, signal);
  }

  /** Changes the fields that are given. Another `location_id` moves the screen and sends that location to review (C2). */
  async updateScreen(screenId: string, change: ScreenChange, signal: AbortSignal = NEVER): Promise<Answer<Screen>> {
    const checked = this.#options.check ? await checkScreenUpdate(this, screenId, change, signal) : FINE;
    if (checked.kind !== "ok") return checked;
    return this.#write("screen", { screen_id: screenId }, change, signal, {
      creates: false,
      read: (body) => screenSchema.safeParse(body).data ?? null,
      find: () => this.getScreen(screenId, signal),
      isDone: (screen) => differences(screen, change).length === 0,
    });
  }

  async listVenueTypes(signal: AbortSignal = NEVER): Promise<Answer<readonly VenueType[]>> {
    const listed = await this.#read("venueTypes", {}, venueTypesAnswerSchema, signal);
    return listed.kind === "ok" ? ok(listed.value.filter((type) => type !== null)) : listed;
  }

  /** The venue types by id: asked for once, and anew where `again` is true. */
  async venueTree(signal: AbortSignal = NEVER, again = false): Promise<Answer<VenueTree>> {
    if (this.#tree !== null && !again) return ok(this.#tree);
    const listed = await this.listVenueTypes(signal);
    if (listed.kind !== "ok") return listed;
    this.#tree = new Map(listed.value.map((type) => [type.id, type]));
    return ok(this.#tree);
  }

  getApproval(carId: string, signal: AbortSignal = NEVER): Promise<Answer<ApprovalAnswer>> {
    return this.#read("approval", { car_id: carId }, approvalAnswerSchema, signal);
  }

  /** Rejects a creative for good; only a pending one can be. Its advertiser is told and can submit another. */
  async rejectApproval(
    carId: string,
    rejection: NewRejection,
    signal: AbortSignal = NEVER,
  ): Promise<Answer<RejectionAnswer>> {
    const checked = this.#options.check ? await checkRejection(this, carId, rejection, signal) : FINE;
    if (checked.kind !== "ok") return checked;
    return this.#write("rejectApproval", { car_id: carId }, rejection, signal, {
      creates: false,
      read: (body) => {
        const read = rejectionAnswerSchema.safeParse(body);
        return read.success && read.data.status === "rejected" ? read.data : null;
      },
      find: async () => {
        const found = await this.getApproval(carId, signal);
        return found.kind === "ok" ? ok(asRejection(found.value)) : found;
      },
      isDone: ({ status }) => status === "rejected",
    });
  }

  /** Asks for what a screen is to show next: a new spot each time (F13). */
  getSpot(screenId: string, signal: AbortSignal = NEVER): Promise<SpotOutcome> {
    return this.#spots.getSpot(screenId, signal);
  }

  /** Sends one proof of play, byte for byte as received (F11); tries once. */
  sendProof(pop: string, signal: AbortSignal = NEVER): Promise<Delivery> {
    return this.#spots.sendProof(pop, signal);
  }

  /** Whether the last answer to a request for a spot was a captive portal's. */
  get meetsPortal(): boolean {
    return this.#spots.meetsPortal;
  }

  async #read<T>(route: Route, parameters: Parameters, schema: z.ZodType<T>, signal: AbortSignal): Promise<Answer<T>> {
    const unnamed = unnamedIn(parameters);
    if (unnamed !== null) return unnamed;
    const url = this.#urlOf(route, parameters);
    const get = getBy(this.#options.fetch);
    const ask = () => this.#exchange((raised) => follow(get, url, raised), signal);
    const tries = { most: READ_TRIES, firstWaitMs: this.#options.retryMs };
    const response = await retryWhile(ask, isWorthRetrying, tries, signal);
    return answerIn(response ?? { kind: "noResponse", reason: "called off" }, schema);
  }

  async #write<T>(
    route: Route,
    parameters: Parameters,
    body: object,
    signal: AbortSignal,
    writing: Writing<T>,
  ): Promise<Answer<T>> {
    const unnamed = unnamedIn(parameters);
    if (unnamed !== null) return unnamed;
    const url = this.#urlOf(route, parameters);
    const headers = { ...USER_AGENT, "content-type": "application/json" };
    const request = { method: "POST", redirect: "manual", headers, body: JSON.stringify(body) } as const;
    const send = (raised: AbortSignal): Promise<Reply> => this.#options.fetch(url, { ...request, signal: raised });
    return settle(await this.#exchange(send, signal), writing);
  }

  #urlOf(route: Route, parameters: Parameters): string {
    const { baseUrl, orgToken } = this.#options;
    return urlOf(baseUrl, route, { ...parameters, org_token: orgToken });
  }

  #exchange(send: (signal: AbortSignal) => Promise<Reply>, signal: AbortSignal): Promise<Exchange> {
    const limits = { timeoutMs: this.#options.timeoutMs, largestBytes: LARGEST_ANSWER_BYTES };
    return exchange(send, limits, signal);
  }
}

/** The client's name for programs that were written when it was called so. */
export const VendorService = VendorClient;
export type VendorService = VendorClient;

type Parameters = Readonly<Record<string, string>>;

const NEVER = new AbortController().signal;
const FINE = ok(null);

/** Why no request can ask for an object of these identifiers, checked or not; null where one can (A17). */
function unnamedIn(parameters: Parameters): Failure | null {
  const [field] = Object.entries(parameters).find(([, value]) => !isSegment(value ?? "")) ?? [];
  return field === undefined ? null : invalid([{ field, message: NO_SEGMENT }]);
}

const NO_SEGMENT = "must not be empty, . or .., nor hold half a character";

/** The identifier that the service chose: in the body, or at the end of where it says the new object is (A3). */
function chosenId(response: Exchange): string | null {
  if (response.kind === "noResponse" || !succeeded(response.status)) return null;
  const body = bodyIn(response);
  const id = typeof body === "object" && body !== null ? Reflect.get(body, "location_id") : null;
  if (typeof id === "string" && id !== "") return id;
  return /\/locations\/([\w.~-]+)$/.exec(response.headers.get("location") ?? "")?.[1] ?? null;
}

function asRejection(approval: ApprovalAnswer): RejectionAnswer {
  const { car_id, status, advertiser_name, rejection_reasons, custom_message, created_on } = approval;
  return {
    id: car_id,
    status,
    advertiser_name,
    campaign_name: null,
    rejection_reasons: rejection_reasons ?? [],
    custom_message,
    created_at: created_on,
    updated_at: null,
  };
}
