import { describe, expect, it } from "vitest";
import { routeAt, urlOf } from "../../src/wire/routes.ts";

describe("the routes", () => {
  it.each([
    ["spot", "/v3/vendor/o/1/rt_ad/s", { org_token: "o", screen_id: "s" }],
    ["locations", "/vendor/o/locations", { org_token: "o" }],
    ["location", "/vendor/o/locations/l", { org_token: "o", location_id: "l" }],
    ["screens", "/vendor/o/screens", { org_token: "o" }],
    ["screen", "/vendor/o/screens/s", { org_token: "o", screen_id: "s" }],
    ["venueTypes", "/vendor/o/venue_types", { org_token: "o" }],
    ["approval", "/vendor/o/cars/c", { org_token: "o", car_id: "c" }],
    ["rejectApproval", "/vendor/o/cars/c/reject", { org_token: "o", car_id: "c" }],
  ] as const)("%s is at %s, written and read", (route, path, parameters) => {
    expect(urlOf("http://x/", route, parameters)).toBe(`http://x${path}`);
    expect(routeAt(path)).toEqual({ route, parameters });
  });

  it("are read decoded, as they are written encoded", () => {
    const parameters = { org_token: "a/b", screen_id: "ü ?" };
    const path = urlOf("", "spot", parameters);

    expect(path).toBe("/v3/vendor/a%2Fb/1/rt_ad/%C3%BC%20%3F");
    expect(routeAt(path)?.parameters).toEqual(parameters);
  });

  it("A4 are the same without a token, which is then empty", () => {
    expect(routeAt("/vendor//locations")).toEqual({ route: "locations", parameters: { org_token: "" } });
  });

  it.each([
    "/",
    "/vendor/o",
    "/vendor/o/locations/",
    "/v2/vendor/o/1/rt_ad/s",
    "/v3/vendor/o/2/rt_ad/s",
    "/vendor/%zz/screens",
  ])("A15, A21 are not at %s", (path) => {
    expect(routeAt(path)).toBeNull();
  });
});
