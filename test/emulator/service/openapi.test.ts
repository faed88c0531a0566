import { describe, expect, it } from "vitest";
import { ask, json, running } from "../running.ts";

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  // biome-ignore lint/suspicious/noExplicitAny: a JSON Schema, looked into by the tests
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: any }>> };
  // biome-ignore lint/suspicious/noExplicitAny: a JSON Schema, looked into by the tests
  readonly responses: Readonly<Record<string, any>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  // biome-ignore lint/suspicious/noExplicitAny: JSON Schemas, looked into by the tests
  readonly components: { readonly schemas: Readonly<Record<string, any>> };
}

async function description(): Promise<Description> {
  const { controlUrl } = await running();
  return json(await ask(controlUrl, "/openapi.json"));
}

describe("the description of the service", () => {
  it("has the contract's ten endpoints and no other", async () => {
    const { paths } = await description();

    const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );

    expect(endpoints.toSorted()).toEqual([
      "get /v3/vendor/{org_token}/1/rt_ad/{screen_id}",
      "get /vendor/{org_token}/cars/{car_id}",
      "get /vendor/{org_token}/locations/{location_id}",
      "get /vendor/{org_token}/screens/{screen_id}",
      "get /vendor/{org_token}/venue_types",
      "post /vendor/{org_token}/cars/{car_id}/reject",
      "post /vendor/{org_token}/locations",
      "post /vendor/{org_token}/locations/{location_id}",
      "post /vendor/{org_token}/screens",
      "post /vendor/{org_token}/screens/{screen_id}",
    ]);
  });

  it("says what a request needs, from the schemas that read it", async () => {
    const { paths } = await description();
    const bodyOf = (path: string) => paths[path]?.post?.requestBody?.content["application/json"]?.schema;

    const screen = bodyOf("/vendor/{org_token}/screens");
    const location = bodyOf("/vendor/{org_token}/locations");

    expect(location.required).toEqual(["title"]);
    expect(location.properties.opening_168).toMatchObject({ type: "array", minItems: 168, maxItems: 168 });
    expect(screen.required).toEqual([
      ...["screen_id", "title", "venue_type_id", "location_id", "width", "height", "loop_duration"],
    ]);
    expect(bodyOf("/vendor/{org_token}/locations/{location_id}").required).toBeUndefined();
  });

  it("has each answer once, by a name that a generated client can go by", async () => {
    const { paths, components } = await description();
    const [get, post] = [
      paths["/vendor/{org_token}/screens/{screen_id}"]?.get,
      paths["/vendor/{org_token}/screens"]?.post,
    ];
    const answers = [get?.responses[200], post?.responses[200], post?.responses[201], get?.responses[404]];

    expect(answers.map((answer) => answer?.content["application/json"].schema.$ref)).toEqual([
      ...["Screen", "Screen", "Screen", "Error"].map((name) => `#/components/schemas/${name}`),
    ]);
    expect(Object.keys(components.schemas).toSorted()).toEqual([
      ...["AdItem", "Creative", "CreativeApprovalRequest", "Error", "Location", "NewsItem"],
      ...["RejectedCreativeApprovalRequest", "Screen", "Spot", "VenueType"],
    ]);
    expect(components.schemas.Spot.properties.ad).toEqual({
      anyOf: [{ $ref: "#/components/schemas/AdItem" }, { type: "null" }],
    });
  });

  it("says what each endpoint may answer", async () => {
    const { paths } = await description();

    expect(Object.keys(paths["/vendor/{org_token}/locations"]?.post?.responses ?? {})).toEqual([
      ...["200", "201", "400", "401", "409", "413", "415", "422", "429"],
    ]);
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      expect(operation.responses).toHaveProperty("401");
      expect(operation.parameters[0]).toMatchObject({ name: "org_token", in: "path", required: true });
    }
  });
});
