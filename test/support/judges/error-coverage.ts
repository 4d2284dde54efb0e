import type { ErrorCode } from '../../../core/model/errors/index.js';
import { codesOf, COMMON_CODES, type Route } from '../../../api/http/route.js';

/**
 * The error codes that the API returned in the tests of this process. Sample routes of tests can throw anything, so a
 * code counts only if the platform itself serves its route.
 */
const produced = new Map<string, Set<ErrorCode>>();
const served = new Map<string, Route>();
const beside = new Set<ErrorCode>();

/** Records that a route returned a code. */
export function noteProduced(code: ErrorCode, { operationId }: Route): void {
  const codes = produced.get(operationId) ?? new Set();
  produced.set(operationId, codes.add(code));
}

/** Records a code of an interface that has no routes: the one for engines. */
export function noteBeside(code: ErrorCode): void {
  beside.add(code);
}

/** Records routes of the platform itself. */
export function noteServed(routes: readonly Route[]): void {
  for (const route of routes) served.set(route.operationId, route);
}

/** Codes that some route of the platform can return. */
export function reachableCodes(): ReadonlySet<ErrorCode> {
  return new Set([...COMMON_CODES, ...[...served.values()].flatMap((route) => codesOf(route))]);
}

/** Codes that the platform has returned in this process. */
export function producedCodes(): ReadonlySet<ErrorCode> {
  const ofRoutes = [...produced].flatMap(([operationId, codes]) => (served.has(operationId) ? [...codes] : []));
  return new Set([...ofRoutes, ...beside]);
}
