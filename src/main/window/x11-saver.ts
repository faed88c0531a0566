import type { X11Connection } from "./x11-connection.ts";
import { request } from "./x11-protocol.ts";

/** Whether the X server's own screen saver hides what is on its displays; no window lies in front then. */
export type AskSaver = () => Promise<boolean>;

const SAVER_TELLS = 1;
const SAVER_IS_ON = 1;
const DISPLAYS_ARE_ON = 0;

/**
 * Has the server tell a connection whenever its screen saver comes or goes ("X11 Screen Saver Extension", X.Org), and returns
 * how to ask. Where displays are switched off the saver is on, too: that is left to who reads displays back. Null where the
 * server has no such extension.
 */
export async function watchSaver(connection: X11Connection): Promise<AskSaver | null> {
  const [saver, power] = await Promise.all([connection.extension("MIT-SCREEN-SAVER"), connection.extension("DPMS")]);
  if (saver === null) return null;
  connection.send(request(saver.code, [connection.root, SAVER_TELLS], 2));
  return async () => {
    const state = await connection.ask(request(saver.code, [connection.root], 1));
    if (state === null || state[1] !== SAVER_IS_ON) return false;
    const level = power === null ? null : await connection.ask(request(power.code, [], 7));
    return level === null || level.readUInt16LE(8) === DISPLAYS_ARE_ON;
  };
}

/** Ends the screen saver, as a key or the mouse does. */
export function endSaverRequest(): Buffer {
  return request(115, []);
}
