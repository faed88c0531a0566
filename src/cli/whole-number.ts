import { InvalidArgumentError } from "commander";

/** Fifteen digits: every such number is exact. */
const MOST = 999_999_999_999_999;

/** Reads an option's whole number, in decimal digits and within these limits. */
export function wholeNumber(least = 0, most = MOST): (text: string) => number {
  const upTo = most === MOST ? "" : ` to ${most}`;
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least}${upTo}.`);
  };
}
