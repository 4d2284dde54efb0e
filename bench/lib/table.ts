/** One line of the result. A number is null if it could not be measured. */
export interface Row {
  readonly what: string;
  readonly ours: number | null;
  readonly baseline: number | null;
  readonly unit: string;
  /** A ratio that must be reached or not exceeded (`better`); or a maximum of `ours`, independent of the baseline. */
  readonly goal?: { readonly ratio: number; readonly better: 'higher' | 'lower' } | { readonly max: number };
}

/** The results of one engine. */
export interface Column {
  readonly title: string;
  readonly rows: readonly Row[];
}

const OF_ENGINE = ['ours', 'baseline', 'ratio', ''];

/** Renders a line per figure, with the engines side by side. */
export function renderTable(columns: readonly Column[]): string {
  const whats = [...new Set(columns.flatMap(({ rows }) => rows.map(({ what }) => what)))];
  const titles = ['', ...columns.flatMap(({ title }) => [title, ...OF_ENGINE.slice(1).map(() => '')]), '', ''];
  const head = ['what', ...columns.flatMap(() => OF_ENGINE), 'goal', 'unit'];
  const lines = whats.map((what) => {
    const found = columns.map(({ rows }) => rows.find((row) => row.what === what));
    const any = found.find((row) => row !== undefined);
    return [what, ...found.flatMap(cellsOf), goalOf(any), any?.unit ?? ''];
  });
  const cells = [titles, head, ...lines];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, isWords(column, head.length)))
      .join('  ')
      .trimEnd();
  return [line(titles), line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...lines.map(line)].join('\n');
}

export function ratioOf({ ours, baseline }: Row): number | null {
  return ours === null || baseline === null || baseline === 0 ? null : ours / baseline;
}

function cellsOf(row: Row | undefined): string[] {
  if (!row) return OF_ENGINE.map(() => '');
  const ratio = ratioOf(row);
  return [
    numberText(row.ours),
    numberText(row.baseline),
    ratio === null ? '' : ratio.toFixed(2),
    verdictOf(row, ratio),
  ];
}

function goalOf(row: Row | undefined): string {
  if (!row?.goal) return '';
  if ('max' in row.goal) return `≤ ${row.goal.max}`;
  return `${row.goal.better === 'higher' ? '≥' : '≤'} ${row.goal.ratio.toFixed(1)}`;
}

/** Whether the goal was met; empty if there is no goal or no figure. */
function verdictOf({ goal, ours }: Row, ratio: number | null): string {
  const figure = goal && 'max' in goal ? ours : ratio;
  if (!goal || figure === null) return '';
  if ('max' in goal) return figure <= goal.max ? 'met' : 'missed';
  return (goal.better === 'higher' ? figure >= goal.ratio : figure <= goal.ratio) ? 'met' : 'missed';
}

function numberText(value: number | null): string {
  if (value === null) return '-';
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function isWords(column: number, columns: number): boolean {
  return column === 0 || column >= columns - 2 || column % OF_ENGINE.length === 0;
}

/** Aligns words left and numbers right. */
function pad(text: string, width: number, isWord: boolean): string {
  return isWord ? text.padEnd(width) : text.padStart(width);
}
