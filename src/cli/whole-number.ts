import { InvalidArgumentError } from "commander";

/** Reads an option's whole number, in decimal digits and within these limits. */
export function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const upTo = most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`;
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least}${upTo}.`);
  };
}
