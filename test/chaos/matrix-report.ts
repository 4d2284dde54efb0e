import { crashedAt, engineOf } from './judges/evidence.js';
import { gapsOf } from './judges/judge-audio.js';
import { wasTurnedAway } from './judges/judge-call.js';
import type { MatrixOutcome } from './matrix.js';
import type { Phase } from './phase.js';

const COLUMNS = [
  'disturbance',
  'engine',
  'calls',
  'live then',
  'answered',
  'adopted',
  'died with it',
  'turned away',
  'longest gap',
  'lost',
];

/** Disturbance by engine, for people. */
export function matrixTable(outcome: MatrixOutcome): string {
  const rows = outcome.phases.flatMap((phase) => [
    ...outcome.engines.map(({ name, kind }) => rowOf(outcome, phase, name, kind)),
    ...(phase.conversations.some((talk) => engineOf(talk) === null) ? [rowOf(outcome, phase, null, '')] : []),
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
    `seed ${outcome.seed}, ${outcome.seconds.toFixed(0)} s, ${outcome.losses.length} losses, ${others} of them of no call`,
  ].join('\n');
}

function rowOf(outcome: MatrixOutcome, phase: Phase, engine: string | null, kind: string): string[] {
  const { kill, disturbance } = phase;
  const talks = phase.conversations.filter((talk) => engineOf(talk) === engine);
  const own = new Set(talks.map(({ plan }) => plan.index));
  const live = talks.filter(({ customer }) => {
    const { startedAt, endedAt } = customer?.facts ?? { startedAt: Infinity, endedAt: null };
    return startedAt < kill.at && (endedAt ?? Infinity) >= kill.at;
  });
  const adopted = talks.filter(({ plan }) => outcome.adoptions.get(plan.index)?.some((at) => at.getTime() > kill.at));
  const gaps = talks.flatMap((talk) => gapsOf(talk, outcome)).map(({ ms }) => ms);
  return [
    `${disturbance.what}${disturbance.engine === null ? '' : ` of ${disturbance.engine}`}`,
    engine === null ? 'none' : `${engine} (${kind})`,
    String(talks.length),
    String(live.length),
    String(talks.filter(({ customer }) => customer?.facts.confirmedAt != null).length),
    String(adopted.length),
    String(talks.filter((talk) => crashedAt(talk) !== null).length),
    String(talks.filter((talk) => wasTurnedAway(talk, [kill])).length),
    `${Math.max(0, ...gaps)} ms`,
    String(outcome.losses.filter(({ index }) => index !== null && own.has(index)).length),
  ];
}
