import type { KeepReason } from './keep-reasons.js';

/** How much of one category was kept, and why. */
export interface Kept {
  readonly reason: KeepReason;
  readonly count: number;
  /** ISO 8601: until when at the latest, as far as it is known. */
  readonly until: string | null;
}

/** What happened to one category of data. Counts are rows, or files. */
export interface ReportEntry {
  /** A table of the database, or a kind of files. */
  readonly category: string;
  readonly found: number;
  readonly exported: number;
  readonly erased: number;
  /** Rows that stay without what identifies the person. */
  readonly anonymised: number;
  readonly kept: readonly Kept[];
}

export type Report = readonly ReportEntry[];

/** What is added to an entry; absent members are 0. */
export type Counted = Partial<Omit<ReportEntry, 'category'>>;

/** The report with more of a category. Nothing that was counted is lost; nothing at all adds no entry. */
export function withCounts(report: Report, category: string, counted: Counted): Report {
  const { found = 0, exported = 0, erased = 0, anonymised = 0 } = counted;
  const kept = (counted.kept ?? []).filter(({ count }) => count > 0);
  if (found + exported + erased + anonymised === 0 && kept.length === 0) return report;
  const known = report.find((entry) => entry.category === category);
  const entry: ReportEntry = {
    category,
    found: (known?.found ?? 0) + found,
    exported: (known?.exported ?? 0) + exported,
    erased: (known?.erased ?? 0) + erased,
    anonymised: (known?.anonymised ?? 0) + anonymised,
    kept: kept.reduce(withKept, known?.kept ?? []),
  };
  return known ? report.map((other) => (other === known ? entry : other)) : [...report, entry];
}

/** The same for several categories. */
export function withAllCounts(report: Report, counts: Readonly<Record<string, Counted>>): Report {
  return Object.entries(counts).reduce((all, [category, counted]) => withCounts(all, category, counted), report);
}

/** The report after time went by: what was kept for these reasons is counted again. */
export function withoutKept(report: Report, reasons: readonly KeepReason[]): Report {
  return report.map((entry) => ({ ...entry, kept: entry.kept.filter(({ reason }) => !reasons.includes(reason)) }));
}

function withKept(all: readonly Kept[], { reason, count, until }: Kept): readonly Kept[] {
  const known = all.find((other) => other.reason === reason);
  if (!known) return [...all, { reason, count, until }];
  const later = [known.until, until].filter((time) => time !== null).sort();
  const merged = { reason, count: known.count + count, until: later.at(-1) ?? null };
  return all.map((other) => (other === known ? merged : other));
}
