import { connectX11, type X11Connection } from "./x11-connection.ts";
import { request } from "./x11-protocol.ts";

// What an X server says of its outputs ("The X Resize, Rotate and Reflect Extension", version 1.3, X.Org).

/** Kinds of RandR's requests. */
const QUERY_VERSION = 0;
const SELECT_INPUT = 4;
const GET_OUTPUT = 9;
const GET_CRTC = 20;
const GET_RESOURCES = 25;

/** Older ones do not tell which output is on, and Chromium does not ask them. */
const LEAST_MINOR = 3;
const CRTC_OR_OUTPUT_CHANGES = 0x2 | 0x4;
const CONNECTED = 0;

/** A server that lets this process in has answered by then. */
const ANSWERED_WITHIN_MS = 2_000;

/** An output that shows a part of the picture. */
export interface ShownOutput {
  /** As the server, and `xrandr`, call it: `HDMI-1`. */
  readonly name: string;
  /** Where its part begins, in pixels of all of it. */
  readonly x: number;
  readonly y: number;
}

/**
 * Hears which outputs of this machine's X server show its picture: now, and whenever that changes. Of a server that cannot be
 * asked, or does not answer, null: it is taken to show its picture somewhere.
 */
export function watchOutputs(
  env: Readonly<Record<string, string | undefined>>,
  onChange: (outputs: readonly ShownOutput[] | null) => void,
): void {
  let last: string | null = null;
  let look = async () => {};
  const unanswered = setTimeout(() => tell(null), ANSWERED_WITHIN_MS);
  const tell = (outputs: readonly ShownOutput[] | null) => {
    const told = JSON.stringify(outputs);
    if (told === last) return;
    clearTimeout(unanswered);
    last = told;
    onChange(outputs);
  };
  const begin = async (opened: X11Connection) => {
    const code = await randrOf(opened);
    if (code === null) return tell(null);
    opened.send(request(code, [opened.root, CRTC_OR_OUTPUT_CHANGES], SELECT_INPUT));
    look = async () => {
      const outputs = await shownOutputs(opened, code);
      if (outputs !== null) tell(outputs);
    };
    await look();
  };
  const close = connectX11(
    env,
    (opened) => void begin(opened),
    () => void look(),
  );
  if (close === null) tell(null);
}

/** The code of RandR's requests, where the server can tell which output is on. */
async function randrOf(connection: X11Connection): Promise<number | null> {
  const extension = await connection.extension("RANDR");
  if (extension === null) return null;
  const version = await connection.ask(request(extension.code, [1, LEAST_MINOR], QUERY_VERSION));
  return version !== null && version.readUInt32LE(12) >= LEAST_MINOR ? extension.code : null;
}

/** Null where the server is gone. */
async function shownOutputs(connection: X11Connection, code: number): Promise<readonly ShownOutput[] | null> {
  const resources = await connection.ask(request(code, [connection.root], GET_RESOURCES));
  if (resources === null) return null;
  const [crtcs, outputs] = [resources.readUInt16LE(16), resources.readUInt16LE(18)];
  const configuredAt = resources.readUInt32LE(12);
  const shown = Array.from({ length: outputs }, async (_, index) => {
    const output = resources.readUInt32LE(32 + 4 * (crtcs + index));
    const answer = await connection.ask(request(code, [output, configuredAt], GET_OUTPUT));
    const crtc = answer?.readUInt32LE(12) ?? 0;
    if (answer === null || crtc === 0 || answer[24] !== CONNECTED) return [];
    const place = await connection.ask(request(code, [crtc, configuredAt], GET_CRTC));
    return place === null ? [] : [{ name: nameIn(answer), x: place.readInt16LE(12), y: place.readInt16LE(14) }];
  });
  return (await Promise.all(shown)).flat();
}

/** It comes after the numbers of what the output can be driven by, be switched to, and be mirrored with. */
function nameIn(output: Buffer): string {
  const begin = 36 + 4 * (output.readUInt16LE(26) + output.readUInt16LE(28) + output.readUInt16LE(32));
  return output.toString("utf8", begin, begin + output.readUInt16LE(34));
}
