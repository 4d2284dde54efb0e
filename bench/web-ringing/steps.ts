import { median } from '../lib/median.js';
import { percentile } from '../lib/percentile.js';

/** The moments of a call in order, each with the step that it ends. */
const STEPS = {
  microphone: 'the browser opens the microphone',
  offered: 'it makes the offer',
  invited: 'it finds its addresses',
  authorized: 'the engine asks for the password',
  arrived: 'the engine prepares the call and reports it',
  created: 'the application decides',
  dialled: 'the engine makes the leg to the phone',
  rung: 'the phone rings',
  passedOn: 'the application passes it on',
  heard: 'the browser shows it',
} as const;

export type Moment = keyof typeof STEPS;
/** Milliseconds by the clock of one process. */
export type Moments = Partial<Record<Moment, number>>;

const ORDER = Object.keys(STEPS) as readonly Moment[];

/** Milliseconds of each step of one call; null if a moment was not seen. */
export function stepsOf(clickedMs: number, moments: Moments): readonly number[] | null {
  const times = [clickedMs, ...ORDER.map((name) => moments[name] ?? Number.NaN)];
  const steps = times.slice(1).map((time, at) => time - times[at]!);
  return steps.some((ms) => Number.isNaN(ms)) ? null : steps;
}

/** A line per step, with its p50 and p95 in milliseconds. @param calls the steps of each call */
export function renderSteps(calls: readonly (readonly number[])[]): string {
  const line = (title: string, p50: string, p95: string): string =>
    `  ${title.padEnd(46)}${p50.padStart(8)}${p95.padStart(8)}`;
  const shown = (ms: number | null): string => ms?.toFixed(1) ?? '-';
  const lines = ORDER.map((name, at) => {
    const times = calls.map((steps) => steps[at] ?? Number.NaN);
    return line(STEPS[name], shown(median(times)), shown(percentile(times, 0.95)));
  });
  return [line(`ms of each step, ${calls.length} calls`, 'p50', 'p95'), ...lines].join('\n');
}
