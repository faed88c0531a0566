import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { ROOT } from "../../../scripts/setup/paths.mjs";

type Rule = (action: { readonly id: string }, subject: { readonly user: string }) => string;

/** What polkit would make of the kiosk's rule. */
function ruled(id: string, user: string): string {
  const rules: Rule[] = [];
  const polkit = { addRule: (rule: Rule) => void rules.push(rule), Result: { YES: "yes", NOT_HANDLED: "not handled" } };
  runInNewContext(readFileSync(join(ROOT, "assets/kiosk/polkit.rules"), "utf8"), { polkit });
  return rules.map((rule) => rule({ id }, { user })).join();
}

it("the kiosk's rule lets the player's user restart the machine, and do nothing else, and nobody else", () => {
  expect(ruled("org.freedesktop.login1.reboot", "spotloop")).toBe("yes");
  expect(ruled("org.freedesktop.login1.reboot-multiple-sessions", "spotloop")).toBe("yes");
  expect(ruled("org.freedesktop.login1.power-off", "spotloop")).toBe("not handled");
  expect(ruled("org.freedesktop.systemd1.manage-units", "spotloop")).toBe("not handled");
  expect(ruled("org.freedesktop.login1.reboot", "somebody")).toBe("not handled");
});
