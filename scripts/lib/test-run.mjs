import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { PRODUCT } from './product.mjs';
import { ROOT, Trouble, run } from './run.mjs';
import { choose, LAST, sharesOf } from './test-suites.mjs';
import { buildTests, sourceOf, translated } from './test-tree.mjs';
import { Turn } from './turn.mjs';

const SLOWEST_FILES = 10;
const LAST_OUTPUT_MS = 2_000;

const children = new Set();
let interrupted = false;

/**
 * @param onTests called with every test that ran, `{ path, state }`, before the last line is printed
 * @returns the exit code
 */
export async function runTests(args, onTests = () => undefined) {
  const chosen = choose(args);
  // If this process runs as root, PostgreSQL runs under another account, which must be able to read the folder.
  const folder = mkdtempSync(join(tmpdir(), 'hatif-test-'));
  chmodSync(folder, 0o755);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupt(signal));
  let parts;
  let results;
  const coverage = chosen.coverage ? { NODE_V8_COVERAGE: join(folder, 'coverage') } : {};
  try {
    await buildTests();
    if (chosen.suites.some((suite) => suite.parts)) parts = await startParts(folder, chosen.engines);
    const codes = { HATIF_TEST_CODES: join(folder, 'codes') };
    results = await runLanes(chosen, folder, { ...parts?.env, ...coverage, ...codes });
    if (chosen.last.length > 0 && !interrupted) results.push(await runLast(chosen, folder, codes));
    if (chosen.coverage && !interrupted) await reportCoverage(folder);
  } finally {
    await parts?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  onTests(results.flatMap(({ tests }) => tests));
  return conclude(results);
}

async function startParts(folder, engines) {
  if (engines) {
    const { findFreeswitch } = await import(programOf('test/support/platform/find-freeswitch.ts'));
    const { isMisnamed, missing } = findFreeswitch();
    if (isMisnamed) throw new Trouble(missing);
  }
  const { startParts: start } = await import(programOf('test/support/global.ts'));
  return start(folder, engines);
}

const programOf = (source) => pathToFileURL(join(ROOT, translated(source))).href;

/** Runs the lanes in parallel. The output of each lane is held back until the lane before it has finished. */
async function runLanes({ suites, lanes, mochaOptions }, folder, env) {
  const waiting = suites.flatMap(sharesOf);
  const take = (names) => {
    const name = names.find((wanted) => waiting.some((share) => share.name === wanted));
    const index = waiting.findIndex((share) => share.name === name);
    return index === -1 ? undefined : waiting.splice(index, 1)[0];
  };
  const turns = lanes.map((_, index) => new Turn(index === 0));
  const results = await Promise.all(
    lanes.map(async (names, index) => {
      const done = [];
      for (let share = take(names); share !== undefined && !interrupted; share = take(names))
        done.push({ suite: share.name, ...(await runSuite(share, folder, env, mochaOptions, turns[index])) });
      turns[index].pass(turns[index + 1]);
      return done;
    }),
  );
  return results.flat();
}

async function runLast({ last }, folder, env) {
  const suite = { ...LAST, title: 'after all integration tests', files: last };
  return { suite: 'integration', ...(await runSuite(suite, folder, env, [], new Turn(true))) };
}

async function runSuite(suite, folder, env, mochaOptions, turn) {
  turn.write(`\n── ${suite.title}: ${suite.files.length} file${suite.files.length === 1 ? '' : 's'}\n`);
  const startedMs = Date.now();
  const output = join(folder, `${suite.title.replace(/\W/g, '-')}.json`);
  const code = await mocha(
    [
      ...['--reporter', 'test/support/reporter.mjs', '--reporter-option', `output=${output}`],
      ...['--timeout', String(suite.timeoutSeconds * 1000), ...mochaOptions, ...suite.files.map(translated)],
    ],
    { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...env },
    turn,
  );
  turn.write(`── ${suite.title}: ${Math.round((Date.now() - startedMs) / 1000)} s\n`);
  const counts = existsSync(output)
    ? JSON.parse(readFileSync(output, 'utf8'))
    : { passed: 0, failed: 0, skipped: 0, finished: false, failures: [], tests: [], files: [] };
  // A suite that could not be loaded or was aborted has failed, whatever its counts are.
  const broken = !counts.finished || (code !== 0 && counts.failed === 0);
  if (!broken) return counts;
  return {
    ...counts,
    failed: counts.failed + 1,
    failures: [...counts.failures, `the ${suite.name} suite was aborted`],
  };
}

function mocha(args, env, turn) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, 'node_modules/mocha/bin/mocha.js'), ...args], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => turn.write(text));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      children.delete(child);
      // Processes that it left behind may keep its pipes open.
      const ended = new Promise((closed) => child.once('close', closed));
      void Promise.race([ended, setTimeout(LAST_OUTPUT_MS, undefined, { ref: false })]).then(() =>
        resolve(signal ? 1 : code),
      );
    });
  });
}

/** mocha ends on the signal; then `runTests` stops the parts. */
function interrupt(signal) {
  interrupted = true;
  for (const child of children) child.kill(signal);
}

async function reportCoverage(folder) {
  const include = PRODUCT.flatMap((entry) => ['--include', entry.endsWith('.ts') ? entry : `${entry}/**`]);
  await run(process.execPath, [
    join(ROOT, 'node_modules/c8/bin/c8.js'),
    ...['report', '--temp-directory', join(folder, 'coverage'), '--reports-dir', 'coverage'],
    ...['--reporter', 'text-summary', '--reporter', 'html', ...include],
  ]);
}

/** The time of a file is the sum of its suites including hooks, without the time to load it. */
function slowestFiles(results) {
  const spentMs = new Map();
  for (const { file, ms } of results.flatMap((result) => result.files)) {
    const path = sourceOf(relative(ROOT, file));
    spentMs.set(path, (spentMs.get(path) ?? 0) + ms);
  }
  return [...spentMs]
    .sort(([, one], [, other]) => other - one)
    .slice(0, process.env.SLOWEST ?? SLOWEST_FILES)
    .map(([path, ms]) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${path}`);
}

function conclude(results) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
  const failures = results.flatMap((result) => result.failures.map((title) => `  ${result.suite}: ${title}`));
  if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}`);
  const slowest = slowestFiles(results);
  if (slowest.length > 0) console.log(`\nSlowest files:\n${slowest.join('\n')}`);
  if (interrupted) console.log('\nInterrupted.');
  if (passed + failed === 0) console.log('\nNo test ran.');
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  if (interrupted) return 130;
  return failed > 0 || passed === 0 ? 1 : 0;
}
