/**
 * The numbers of an import, with those that follow one another as one range: `+966115551000-+966115551999`.
 * @param numbers in E.164, each once
 */
export function rangesOf(numbers: readonly string[]): string[] {
  const ranges: [first: string, last: string][] = [];
  for (const number of numbers) {
    const current = ranges.at(-1);
    if (current !== undefined && next(current[1]) === number) current[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`));
}

/** Numbers of the same length only: a range has ends of one length. */
function next(number: string): string | null {
  const following = `+${BigInt(number) + 1n}`;
  return following.length === number.length ? following : null;
}
