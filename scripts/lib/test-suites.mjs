import { filesOf } from './files.mjs';
import { Trouble } from './run.mjs';

/**
 * The last word of a test's file name is its suite. `parts`: runs against real PostgreSQL, Redis, Asterisk and phones.
 * Its files are distributed over at most `shares` processes, one for each lane that has time.
 */
const SUITES = [
  { name: 'unit', suffix: '.unit.ts', timeoutSeconds: 10, parts: false, shares: 2 },
  { name: 'integration', suffix: '.int.ts', timeoutSeconds: 60, parts: true, shares: 6 },
  { name: 'conformance', suffix: '.conformance.ts', timeoutSeconds: 60, parts: true, shares: 2 },
  { name: 'sip', suffix: '.sip.ts', timeoutSeconds: 90, parts: true, shares: 6 },
];
/** Tests that need large data or much time. */
const LONG = { name: 'long', suffix: '.long.ts', timeoutSeconds: 90, parts: true, shares: 4 };
/** Checks what all integration tests did together, after them. */
export const LAST = { name: 'last', suffix: '.last.ts', timeoutSeconds: 10, parts: false };
/** Fewer files are not worth the start of another process. */
const FEWEST_FILES = 10;
/**
 * `.slow` before the suite: the file needs an engine or a speech program, starts many processes, or is slow for another
 * reason.
 */
const SLOW = /\.slow\.\w+\.ts$/;

/**
 * The first argument of a run selects one of these. The lanes of a run work in parallel. Each takes shares of its suites
 * in this order until none is left. Conversations and databases leave a processor idle, so there are twice as many lanes
 * as processors.
 */
const MODES = {
  all: {
    suites: SUITES,
    isFast: false,
    lanes: [
      ['unit', 'integration', 'conformance', 'sip'],
      ['sip', 'conformance', 'integration', 'unit'],
      ['sip', 'conformance', 'integration', 'unit'],
      ['integration', 'conformance', 'sip', 'unit'],
    ],
  },
  /** The tests that need no database, engine or phone: less than two minutes on two processors. */
  fast: { suites: SUITES.slice(0, 1), isFast: true, lanes: [['unit'], ['unit']] },
  long: { suites: [LONG], isFast: false, lanes: [['long'], ['long']] },
};

/** What a run with these arguments consists of: its suites with their files, its lanes, and the options for mocha. */
export function choose(given) {
  const { mode, args } = modeOf(given.filter((arg) => arg !== '--coverage'));
  const options = args.findIndex((arg) => arg.startsWith('-'));
  const wanted = options === -1 ? args : args.slice(0, options);
  const files = filesOf('test').filter((file) => /\.\w+\.ts$/.test(file) && !file.endsWith('.d.ts'));
  const orphans = files.filter((file) => ![...SUITES, LONG, LAST].some(({ suffix }) => file.endsWith(suffix)));
  if (wanted.length === 0 && orphans.length > 0)
    throw new Trouble(`These tests belong to no suite, so nothing runs them: ${orphans.join(', ')}`);
  const isWanted = (suite, file) =>
    (!mode.isFast || !SLOW.test(file)) &&
    (wanted.length === 0 || wanted.some((word) => word === suite.name || (!isSuite(word) && file.includes(word))));
  const suites = mode.suites.map((suite) => ({
    ...suite,
    files: files.filter((file) => file.endsWith(suite.suffix) && isWanted(suite, file)),
  }));
  const mochaOptions = options === -1 ? [] : args.slice(options);
  const hasAll = files.every((file) => !file.endsWith('.int.ts') || suites.some((suite) => suite.files.includes(file)));
  return {
    suites: suites.filter((suite) => suite.files.length > 0),
    lanes: mode.lanes,
    last: hasAll && mochaOptions.length === 0 ? files.filter((file) => file.endsWith(LAST.suffix)) : [],
    engines: !mode.isFast,
    coverage: given.includes('--coverage'),
    mochaOptions,
  };
}

function modeOf([first, ...others]) {
  if (first !== undefined && first !== 'all' && first in MODES) return { mode: MODES[first], args: others };
  return { mode: MODES.all, args: first === undefined ? [] : [first, ...others] };
}

function isSuite(word) {
  return SUITES.some(({ name }) => name === word);
}

/** The files of a suite by process: every nth, because neighbours take about the same time. */
export function sharesOf({ shares, files, ...suite }) {
  const count = Math.min(shares, Math.ceil(files.length / FEWEST_FILES));
  return Array.from({ length: count }, (_, share) => ({
    ...suite,
    title: count === 1 ? suite.name : `${suite.name} ${share + 1}/${count}`,
    files: files.filter((_, at) => at % count === share),
  }));
}
