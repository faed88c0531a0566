/**
 * How long an upgrade left the screen without a picture, in words: from when the old player was asked to stop to when the new
 * one had its first picture on the screen. Throws where that is longer than so many seconds.
 */
export async function gapWithin(mostS: number, machine: { run(command: string): Promise<string> }): Promise<string> {
  const said = await machine.run(
    "systemctl show spotloop.service -P ActiveExitTimestampMonotonic -P ActiveEnterTimestampMonotonic",
  );
  const [one = Number.NaN, other = Number.NaN] = said.split("\n").map(Number);
  const seconds = Math.abs(one - other) / 1e6;
  if (!(seconds <= mostS)) throw new Error(`no picture for ${seconds.toFixed(1)} s`);
  return `${seconds.toFixed(1)} s from the last picture to the first`;
}
