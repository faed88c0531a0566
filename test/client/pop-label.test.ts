import { describe, expect, it } from "vitest";
import { popLabel } from "../../src/client/pop-label.ts";

describe("the label of a proof-of-play URL", () => {
  it("tells the host and nothing else of it", () => {
    expect(popLabel("https://pop.example:8443/p/secret?sig=key")).toMatch(/^pop\.example:8443#[0-9a-f]{8}$/);
  });

  it("tells two URLs of one host apart", () => {
    expect(popLabel("https://pop.example/1")).not.toBe(popLabel("https://pop.example/2"));
  });

  it("gives nothing away of what is no URL", () => {
    expect(popLabel("secret")).toMatch(/^not a URL#[0-9a-f]{8}$/);
  });
});
