/** Seconds from when the old player was asked to stop to when the new one had its first picture on the screen. */
export async function gapSeconds(machine: { run(command: string): Promise<string> }): Promise<number> {
  const said = await machine.run(
    "systemctl show spotloop.service -P ActiveExitTimestampMonotonic -P ActiveEnterTimestampMonotonic",
  );
  const [one = Number.NaN, other = Number.NaN] = said.split("\n").map(Number);
  return Math.abs(one - other) / 1e6;
}
