import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode } from '../../../core/model/errors/index.js';
import { codesOf, COMMON_CODES, type Route } from '../../../api/http/route.js';

/** The folder that the processes of a test run report to; unset if no run of all integration tests collects them. */
const FOLDER = process.env.HATIF_TEST_CODES;

/**
 * The error codes that the API returned in the tests of this process. Sample routes of tests can throw anything, so a
 * code counts only if the platform itself serves its route.
 */
const produced = new Map<string, Set<ErrorCode>>();
const served = new Map<string, Route>();
const beside = new Set<ErrorCode>();
const recorded = new Set<string>();

/** What one process reports. */
interface Report {
  readonly produced: Readonly<Record<string, readonly ErrorCode[]>>;
  /** The codes that each route of the platform can return. */
  readonly served: Readonly<Record<string, readonly ErrorCode[]>>;
  readonly beside: readonly ErrorCode[];
  /** The types of the events that the platform has recorded. */
  readonly events: readonly string[];
}

/** Records that a route returned a code. */
export function noteProduced(code: ErrorCode, { operationId }: Route): void {
  const codes = produced.get(operationId) ?? new Set();
  produced.set(operationId, codes.add(code));
}

/** Records a code of an interface that has no routes: the one for engines. */
export function noteBeside(code: ErrorCode): void {
  beside.add(code);
}

/** Records types of events that are in a database of a test. */
export function noteEvents(types: readonly string[]): void {
  for (const type of types) recorded.add(type);
}

/** Records routes of the platform itself. */
export function noteServed(routes: readonly Route[]): void {
  for (const route of routes) served.set(route.operationId, route);
}

/** What the processes of this run have reported. */
export class ReportedCodes {
  private constructor(private readonly reports: readonly Report[]) {}

  static read(): ReportedCodes {
    if (FOLDER === undefined) throw new Error('a run of all integration tests collects the codes: npm test');
    const folder = FOLDER;
    return new ReportedCodes(
      readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Report),
    );
  }

  /** Codes that some route of the platform can return. */
  reachable(): ReadonlySet<ErrorCode> {
    return new Set([...COMMON_CODES, ...this.reports.flatMap((report) => Object.values(report.served).flat())]);
  }

  /** Codes that the platform has returned. */
  produced(): ReadonlySet<ErrorCode> {
    const routes = new Set(this.reports.flatMap((report) => Object.keys(report.served)));
    const ofRoutes = this.reports
      .flatMap((report) => Object.entries(report.produced))
      .flatMap(([operationId, codes]) => (routes.has(operationId) ? codes : []));
    return new Set([...ofRoutes, ...this.reports.flatMap((report) => report.beside)]);
  }

  /** Types of events that the platform has recorded. */
  events(): ReadonlySet<string> {
    return new Set(this.reports.flatMap((report) => report.events));
  }
}

function report(folder: string): void {
  const codes: Report = {
    produced: Object.fromEntries([...produced].map(([operationId, set]) => [operationId, [...set]])),
    served: Object.fromEntries([...served].map(([operationId, route]) => [operationId, [...codesOf(route)]])),
    beside: [...beside],
    events: [...recorded],
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(codes));
}

if (FOLDER !== undefined) process.once('exit', () => report(FOLDER));
