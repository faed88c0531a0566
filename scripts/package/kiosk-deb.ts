import { join } from "node:path";
import { ROOT } from "../setup/paths.mjs";
import { buildDeb } from "./deb.mjs";

const FROM = `${ROOT}/assets/kiosk`;

/** What of `assets/kiosk` goes where. */
const PLACES: Readonly<Record<string, string>> = {
  "spotloop-display.service": "/usr/lib/systemd/system/spotloop-display.service",
  "spotloop-wayland.service": "/usr/lib/systemd/system/spotloop-wayland.service",
  "session.default": "/etc/default/spotloop-kiosk",
  "compositor.sh": "/usr/lib/spotloop-kiosk/compositor",
  "play.sh": "/usr/lib/spotloop-kiosk/play",
  "x-authority.sh": "/usr/lib/spotloop-kiosk/x-authority",
  "no-pointer.xcursor": "/usr/share/spotloop-kiosk/pointers/default/cursors/left_ptr",
  "player.conf": "/usr/lib/systemd/system/spotloop.service.d/20-kiosk.conf",
  "harden.conf": "/usr/lib/systemd/system/spotloop.service.d/50-harden.conf",
  "tmpfiles.conf": "/usr/lib/tmpfiles.d/spotloop-kiosk.conf",
  "journald.conf": "/usr/lib/systemd/journald.conf.d/50-spotloop-kiosk.conf",
  "logind.conf": "/usr/lib/systemd/logind.conf.d/50-spotloop-kiosk.conf",
  "polkit.rules": "/usr/share/polkit-1/rules.d/50-spotloop-kiosk.rules",
  "update-guard.sh": "/usr/lib/spotloop-kiosk/update-guard",
  "update-guard.service": "/usr/lib/systemd/system/spotloop-update-guard.service",
  "apt.conf": "/etc/apt/apt.conf.d/60spotloop-kiosk",
  "xorg.conf": "/usr/share/X11/xorg.conf.d/90-spotloop-kiosk.conf",
};

/** What of the application's own description the package shares with it. */
export interface KioskPackage {
  /** As in a Debian package: `0.1.0~standin`. */
  readonly version: string;
  readonly maintainer: string;
  readonly homepage: string;
  /** Where it is written. */
  readonly folder: string;
}

/** Builds `spotloop-kiosk`, which makes a machine a kiosk: a display of its own, and the player on it. Says where it is. */
export async function buildKioskDeb({ version, maintainer, homepage, folder }: KioskPackage): Promise<string> {
  const file = join(folder, `spotloop-kiosk_${version}_all.deb`);
  await buildDeb({
    file,
    compression: "xz",
    inputs: Object.entries(PLACES).map(([from, to]) => ({ from: join(FROM, from), to })),
    scripts: {
      postinst: join(FROM, "after-install.sh"),
      prerm: join(FROM, "before-remove.sh"),
      postrm: join(FROM, "after-remove.sh"),
    },
    fields: {
      Package: "spotloop-kiosk",
      // apt draws a machine's place in a staged rollout for each source: both packages come to the same machines.
      Source: "spotloop",
      Version: version,
      Architecture: "all",
      Maintainer: maintainer,
      Depends: [
        `spotloop (= ${version})`,
        ...["systemd-sysv", "dbus", "udev", "xserver-xorg-core", "xserver-xorg-input-libinput", "x11-xserver-utils"],
        // What makes the package of the installed version again, where it is not to be had any more.
        "dpkg-repack",
      ].join(", "),
      // For Wayland as the session: the compositor, what it does not start without, and what sets its displays up.
      Suggests: "cage, xwayland, wlr-randr",
      // Without it the player cannot have the machine restarted from afar.
      Recommends: "polkitd",
      // A desktop's login screen wants the same display.
      Conflicts: "x-display-manager",
      Section: "misc",
      Priority: "optional",
      Homepage: homepage,
      Description: [
        "Machine that boots into the Spotloop player",
        " Brings up a display of its own and the player on it, at each boot and without anybody logging in.",
      ].join("\n"),
    },
  });
  return file;
}
