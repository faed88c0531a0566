import type { DashboardView } from "../control/dashboard-view.ts";
import { tell } from "./control-calls.ts";
import { button, byId, element, fillRows, type Row } from "./dom.ts";

/** Draws the locations and the CARs, what waits for a decision first, each with the buttons that decide. */
export function drawInventory({ locations, cars }: DashboardView): void {
  const waitingFirst = [...locations].sort((one, other) => rank(one.status) - rank(other.status));
  fillRows(byId("locations"), waitingFirst.map(locationRow), "no locations");
  const pendingFirst = [...cars].sort((one, other) => rank(one.status) - rank(other.status));
  fillRows(byId("cars"), pendingFirst.map(carRow), "no creatives to approve");
}

function rank(status: string): number {
  return status === "REVIEW" || status === "pending" ? 0 : 1;
}

function locationRow({ orgToken, id, title, status }: DashboardView["locations"][number]): Row {
  const decide = (decision: "approve" | "return", done: string) =>
    tell("POST", pathOf("locations", id, decision, orgToken), decision === "approve" ? {} : undefined, done);
  const buttons = () => [
    button("Approve", `Approve ${title}`, () => decide("approve", `${title} is approved`)),
    button("Return", `Return ${title}`, () => decide("return", `${title} is a draft again`)),
  ];
  return {
    key: `${orgToken}/${id}`,
    says: `${title}/${status}`,
    make: () => [...named(title, id, status), ...(status === "REVIEW" ? buttons() : [])],
  };
}

function carRow({ orgToken, id, advertiser, campaign, status }: DashboardView["cars"][number]): Row {
  const title = `${advertiser}: ${campaign}`;
  const approve = () => tell("POST", pathOf("cars", id, "approve", orgToken), undefined, `${title} is approved`);
  return {
    key: `${orgToken}/${id}`,
    says: `${title}/${status}`,
    make: () => [
      ...named(title, id, status),
      ...(status === "pending" ? [button("Approve", `Approve ${title}`, approve)] : []),
    ],
  };
}

function named(title: string, id: string, status: string): Node[] {
  const tone = { APPROVED: "good", approved: "good", REVIEW: "waiting", pending: "waiting", rejected: "bad" }[status];
  return [
    element("span", "grow", element("strong", "", title), " ", element("small", "", id)),
    element("span", tone ?? "quiet", status),
  ];
}

function pathOf(list: "locations" | "cars", id: string, decision: string, orgToken: string): string {
  return `/control/${list}/${encodeURIComponent(id)}/${decision}?org_token=${encodeURIComponent(orgToken)}`;
}
