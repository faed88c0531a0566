import { describe, expect, it } from "vitest";
import { proxyFor } from "../../../src/core/network/proxy-choice.ts";

const http = { url: "http://proxy.example:3128", authorization: null };
const https = { url: "http://proxy.example:3129", authorization: null };

function portFor(url: string, bypass = ""): string {
  return proxyFor(new URL(url), { http, https, bypass })?.url.slice(-4) ?? "none";
}

describe("the proxy of a request", () => {
  it("is told by the URL's scheme", () => {
    expect(portFor("http://cdn.example/x")).toBe("3128");
    expect(portFor("https://cdn.example/x")).toBe("3129");
    expect(proxyFor(new URL("http://cdn.example/x"), { http: null, https, bypass: "" })).toBeNull();
  });

  it.each(["http://127.0.0.1:8787/", "http://localhost/", "https://emulator.localhost/", "http://[::1]:1/"])(
    "is none for this machine itself: %s",
    (url) => expect(portFor(url)).toBe("none"),
  );

  it.each([
    ["https://cdn.example/x", "cdn.example", "none"],
    ["https://cdn.example/x", "other.example, cdn.example", "none"],
    ["https://cdn.example/x", "other.example cdn.example", "none"],
    ["https://CDN.example/x", "Cdn.Example", "none"],
    ["https://cdn.example./x", "cdn.example", "none"],
    ["https://a.cdn.example/x", "cdn.example", "none"],
    ["https://a.cdn.example/x", ".cdn.example", "none"],
    ["https://a.cdn.example/x", "*.cdn.example", "none"],
    ["https://notcdn.example/x", "cdn.example", "3129"],
    ["https://cdn.example/x", "a.cdn.example", "3129"],
    ["https://cdn.example/x", "*", "none"],
    ["https://cdn.example/x", "", "3129"],
    ["https://cdn.example/x", ",", "3129"],
    ["https://cdn.example/x", "cdn.example:443", "none"],
    ["https://cdn.example/x", "cdn.example:8443", "3129"],
    ["http://cdn.example:8080/x", "cdn.example:8080", "none"],
    ["http://10.1.2.3/x", "10.1.2.3", "none"],
    ["http://10.1.2.3/x", "10.0.0.0/8", "none"],
    ["http://11.1.2.3/x", "10.0.0.0/8", "3128"],
    ["http://[2001:db8::7]/x", "2001:db8::/32", "none"],
    ["http://[2001:db8::7]:81/x", "[2001:db8::7]:81", "none"],
    ["http://10.1.2.3/x", "2001:db8::/32", "3128"],
    ["http://10.1.2.3/x", "2.3", "3128"],
  ])("for %s with NO_PROXY %j: %s", (url, bypass, port) => expect(portFor(url, bypass)).toBe(port));
});
