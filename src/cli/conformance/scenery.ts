import type { LocationStatus } from "../../core/location.ts";
import type { Reply, Subject } from "./subject.ts";

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
