import { crashedAt, engineOf } from './judges/evidence.js';
import { gapsOf } from './judges/judge-audio.js';
import { wasRejected } from './judges/judge-call.js';
import type { MatrixOutcome } from './matrix.js';
import type { Phase } from './phase.js';

const COLUMNS = [
  'disturbance',
  'engine',
  'calls',
  'live at start',
  'answered',
  'adopted',
  'crashed',
  'rejected',
  'longest gap',
  'lost',
];

/** The results of each disturbance by engine, as a table. */
export function matrixTable(outcome: MatrixOutcome): string {
  const rows = outcome.phases.flatMap((phase) => [
    ...outcome.engines.map(({ name, kind }) => rowOf(outcome, phase, name, kind)),
    ...(phase.conversations.some((conversation) => engineOf(conversation) === null)
      ? [rowOf(outcome, phase, null, '')]
      : []),
  ]);
  const others = outcome.losses.filter(({ index }) => index === null).length;
  const widths = COLUMNS.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [
    line(COLUMNS),
    `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`,
    ...rows.map(line),
    '',
    `seed ${outcome.seed}, ${outcome.seconds.toFixed(0)} s, ${outcome.losses.length} losses, ${others} of them without a call`,
  ].join('\n');
}

function rowOf(outcome: MatrixOutcome, phase: Phase, engine: string | null, kind: string): string[] {
  const { outage } = phase;
  const conversations = phase.conversations.filter((conversation) => engineOf(conversation) === engine);
  const own = new Set(conversations.map(({ plan }) => plan.index));
  const live = conversations.filter(({ customer }) => {
    const { startedAt, endedAt } = customer?.facts ?? { startedAt: Infinity, endedAt: null };
    return startedAt < outage.at && (endedAt ?? Infinity) >= outage.at;
  });
  const adopted = conversations.filter(({ plan }) =>
    outcome.adoptions.get(plan.index)?.some((at) => at.getTime() > outage.at),
  );
  const gaps = conversations.flatMap((conversation) => gapsOf(conversation, outcome)).map(({ ms }) => ms);
  return [
    outage.point,
    engine === null ? 'none' : `${engine} (${kind})`,
    String(conversations.length),
    String(live.length),
    String(conversations.filter(({ customer }) => customer?.facts.confirmedAt != null).length),
    String(adopted.length),
    String(conversations.filter((conversation) => crashedAt(conversation) !== null).length),
    String(conversations.filter((conversation) => wasRejected(conversation, [outage])).length),
    `${Math.max(0, ...gaps)} ms`,
    String(outcome.losses.filter(({ index }) => index !== null && own.has(index)).length),
  ];
}
