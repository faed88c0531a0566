/** Resolves when something has come to its end, well or not, and after so long at the latest; at once where it is nothing. */
export function settledWithin(something: Promise<unknown> | undefined, ms: number): Promise<void> {
  const waited = new Promise<void>((resolve) => setTimeout(resolve, ms));
  return Promise.race([something?.then(ignore, ignore), waited]).then(ignore);
}

function ignore(): void {}
