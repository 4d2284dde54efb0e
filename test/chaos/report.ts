import { gapsOf } from './judges/judge-audio.js';
import { adoptionTimes, wasRejected } from './judges/judge-call.js';
import type { LossKind } from './judges/loss.js';
import type { Outcome } from './run.js';

/** The results of a run, as a table. */
export function runTable(outcome: Outcome): string {
  const { conversations, kills, losses, figures, seed, recordings } = outcome;
  const answered = conversations.filter(({ customer }) => customer?.facts.confirmedAt != null);
  const rows: [string, string][] = [
    ['seed', String(seed)],
    ['calls', `${conversations.length} (${count(conversations.map(({ plan }) => plan.kind))})`],
    ['answered', String(answered.length)],
    ['held or muted', String(conversations.filter(({ controls }) => controls.length > 0).length)],
    ['callers rejected', String(conversations.filter((conversation) => wasRejected(conversation, kills)).length)],
    ['kills', String(kills.length)],
    ...pointRows(kills.map(({ point }) => point)),
    ['adoptions', adoptions(outcome)],
    ['longest audio gap', longestGapOf(outcome)],
    [
      'requests repeated by clients',
      `${figures.repeats}, the longest wait ${(figures.longestWaitMs / 1000).toFixed(1)} s`,
    ],
    [
      'recordings',
      `${recordings.length}, the longest ${Math.max(0, ...recordings.map(({ seconds }) => seconds)).toFixed(1)} s`,
    ],
    ['took', `${figures.seconds.toFixed(0)} s`],
    ['losses', losses.length === 0 ? '0' : `${losses.length} (${count(losses.map(({ kind }): LossKind => kind))})`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function pointRows(points: readonly string[]): [string, string][] {
  return [...tally(points)]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([point, times]) => [`  ${point}`, String(times)]);
}

function adoptions({ conversations, kills, adoptions: adoptedAt }: Outcome): string {
  const times = conversations
    .flatMap((conversation) => adoptionTimes(conversation, adoptedAt.get(conversation.plan.index) ?? [], kills))
    .sort((one, other) => one - other);
  if (times.length === 0) return '0';
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return `${times.length}, after ${seconds(times[Math.floor(times.length / 2)] ?? 0)} (half of them), ${seconds(times.at(-1) ?? 0)} (all)`;
}

function longestGapOf({ conversations, media }: Outcome): string {
  return `${Math.max(0, ...conversations.flatMap((conversation) => gapsOf(conversation, { media })).map(({ ms }) => ms))} ms`;
}

function tally(words: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
  return times;
}

function count(words: readonly string[]): string {
  return [...tally(words)].map(([word, times]) => `${times} ${word}`).join(', ');
}
