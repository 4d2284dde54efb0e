import type { ErrorCode } from '../../../core/model/errors/index.js';
import { codesOf, COMMON_CODES, type Route } from '../../../api/http/route.js';

/**
 * Which codes the tests of this process made the API answer. Sample routes of tests can throw anything, so an answer counts only
 * where the platform itself serves its route.
 */
const produced = new Map<string, Set<ErrorCode>>();
const served = new Map<string, Route>();
const beside = new Set<ErrorCode>();

/** A route answered a code. */
export function noteProduced(code: ErrorCode, { operationId }: Route): void {
  const codes = produced.get(operationId) ?? new Set();
  produced.set(operationId, codes.add(code));
}

/** A code was answered by what the platform serves beside its routes: the interface of the engines. */
export function noteBeside(code: ErrorCode): void {
  beside.add(code);
}

/** These routes are the platform's own. */
export function noteServed(routes: readonly Route[]): void {
  for (const route of routes) served.set(route.operationId, route);
}

/** Codes that some route of the platform can answer. */
export function reachableCodes(): ReadonlySet<ErrorCode> {
  return new Set([...COMMON_CODES, ...[...served.values()].flatMap((route) => codesOf(route))]);
}

/** Codes that the platform has answered in this process. */
export function producedCodes(): ReadonlySet<ErrorCode> {
  const ofRoutes = [...produced].flatMap(([operationId, codes]) => (served.has(operationId) ? [...codes] : []));
  return new Set([...ofRoutes, ...beside]);
}
