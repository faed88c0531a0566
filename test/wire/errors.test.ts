import { describe, expect, it } from "vitest";
import { errorBody, errorSchema } from "../../src/wire/errors.ts";

describe("an error body", () => {
  it("A1 has the title of its status, and field problems only when there are some", () => {
    const plain = errorBody(404, "not_found", "no such screen");
    const fields = errorBody(400, "invalid", "lat is wrong", [{ field: "lat", message: "must be at most 90" }]);

    expect(plain).toEqual({ detail: "no such screen", code: "not_found", status: 404, title: "Not Found" });
    expect(fields).toEqual({
      detail: "lat is wrong",
      code: "invalid",
      status: 400,
      title: "Bad Request",
      errors: [{ field: "lat", message: "must be at most 90" }],
    });
    expect(errorSchema.parse(fields)).toEqual(fields);
  });
});
