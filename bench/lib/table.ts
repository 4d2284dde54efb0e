/** One line of the result. Numbers are null where nothing could be measured. */
export interface Row {
  readonly what: string;
  readonly ours: number | null;
  readonly baseline: number | null;
  /** What the baseline is, when `what` does not say it. */
  readonly unit: string;
  /** The ratio to reach, and whether it is to be reached from above or from below; or the most that ours may be, whatever the baseline. */
  readonly goal?: { readonly ratio: number; readonly better: 'higher' | 'lower' } | { readonly most: number };
}

const HEAD = ['what', 'ours', 'baseline', 'ratio', 'goal', '', 'unit'];

export function renderTable(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd();
  return [line(HEAD), widths.map((width) => '─'.repeat(width)).join('  '), ...cells.slice(1).map(line)].join('\n');
}

export function ratioOf({ ours, baseline }: Row): number | null {
  return ours === null || baseline === null || baseline === 0 ? null : ours / baseline;
}

function cellsOf(row: Row): string[] {
  const ratio = ratioOf(row);
  return [
    row.what,
    numberText(row.ours),
    numberText(row.baseline),
    ratio === null ? '' : ratio.toFixed(2),
    ...judged(row, ratio),
    row.unit,
  ];
}

/** The goal, and whether it was met: nothing is said of what could not be measured. */
function judged({ goal, ours }: Row, ratio: number | null): [string, string] {
  if (!goal) return ['', ''];
  const verdict = (isMet: boolean): string => (isMet ? 'met' : 'missed');
  if ('most' in goal) return [`≤ ${goal.most}`, ours === null ? '' : verdict(ours <= goal.most)];
  const isHigher = goal.better === 'higher';
  const isMet = ratio !== null && (isHigher ? ratio >= goal.ratio : ratio <= goal.ratio);
  return [`${isHigher ? '≥' : '≤'} ${goal.ratio.toFixed(1)}`, ratio === null ? '' : verdict(isMet)];
}

function numberText(value: number | null): string {
  if (value === null) return '-';
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

/** Words to the left, numbers to the right. */
function pad(text: string, width: number, column: number): string {
  return column === 0 || column >= 5 ? text.padEnd(width) : text.padStart(width);
}
