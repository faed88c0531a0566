import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onPath } from "../../../scripts/setup/system.ts";
import { readConfig } from "../../../src/player/config/config.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const EXAMPLE = join(import.meta.dirname, "..", "..", "..", "assets", "ansible");
const lacks = onPath("ansible-playbook") ? "" : " (ansible-playbook is not installed)";

/** Runs Ansible in a folder of its own, where it writes whatever it likes. */
function ansible(folder: string, args: readonly string[]) {
  const env = { PATH: process.env.PATH, HOME: folder, ANSIBLE_LOCAL_TEMP: folder, LC_ALL: "C.UTF-8" };
  const { status, stdout, stderr } = spawnSync("ansible-playbook", args, { cwd: folder, env, encoding: "utf8" });
  return { code: status, said: `${stdout}${stderr}` };
}

describe.skipIf(lacks !== "")(`the example of a role for Ansible${lacks}`, () => {
  it("is a playbook as Ansible reads it", () => {
    const folder = temporaryFolder();
    cpSync(EXAMPLE, folder, { recursive: true });
    const { code, said } = ansible(folder, ["--syntax-check", "-i", "inventory.example.yml", "site.yml"]);
    expect(said).toContain("playbook: site.yml");
    expect(code).toBe(0);
  });

  it("writes a configuration that the player can use, more settings included", () => {
    const folder = temporaryFolder();
    const task = { src: join(EXAMPLE, "roles/spotloop/templates/config.json.j2"), dest: join(folder, "config.json") };
    const play = {
      ...{ hosts: "localhost", connection: "local", gather_facts: false },
      vars: {
        ...{ spotloop_base_url: "https://network.example", spotloop_screen_id: "door-1" },
        spotloop_settings: { audio: { muted: false } },
      },
      tasks: [{ "ansible.builtin.template": task }],
    };
    writeFileSync(join(folder, "play.yml"), JSON.stringify([play]));
    writeFileSync(join(folder, "org-token"), "t", { mode: 0o600 });

    const { code, said } = ansible(folder, ["-i", "localhost,", "play.yml"]);

    expect([code, said]).toEqual([0, expect.stringContaining("changed=1")]);
    expect(readConfig({ path: join(folder, "config.json"), env: {} })).toMatchObject({
      kind: "ok",
      config: { baseUrl: "https://network.example", screens: [{ screenId: "door-1" }], audio: { muted: false } },
    });
  });
});
