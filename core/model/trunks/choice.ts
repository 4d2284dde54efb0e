import type { MicroSar } from '../money.js';
import { isWithin, type TrunkHours } from './hours.js';

/** A trunk that may carry a call. */
export interface TrunkOffer {
  readonly trunkId: string;
  /** How many calls it carries at once; null: any number. */
  readonly capacity: number | null;
}

/** A route, as the choice needs it. */
export interface OfferedRoute {
  readonly organization_id: string | null;
  readonly trunk_id: string;
  readonly prefix: string;
  readonly hours: TrunkHours | null;
  readonly priority: number;
  readonly weight: number;
  readonly cost: MicroSar | null;
}

export interface WantedCall {
  readonly organizationId: string;
  /** E.164. */
  readonly number: string;
  readonly at: Date;
}

/** The most trunks that are tried for one call. */
export const MAX_ATTEMPTS = 5;

/** The routes that fit a call: of its organization or of all, by prefix and hours. */
export function fittingRoutes<Route extends OfferedRoute>(routes: readonly Route[], call: WantedCall): Route[] {
  const digits = digitsOf(call.number);
  return routes.filter(
    ({ organization_id, prefix, hours }) =>
      (organization_id === null || organization_id === call.organizationId) &&
      digits.startsWith(prefix) &&
      (hours === null || isWithin(hours, call.at)),
  );
}

/**
 * Orders routes that fit a call: those of its organization first, then by the longest prefix, the priority, and the
 * cost. Routes that are equal in all of these come in a random order, in which a route of weight 2 is first twice as
 * often as one of weight 1. An unknown cost counts as the highest.
 * @param rates what a minute costs by the rates of each trunk
 * @param random returns a number from 0 to below 1
 * @returns each trunk once
 */
export function orderedTrunks(
  routes: readonly OfferedRoute[],
  rates: ReadonlyMap<string, MicroSar>,
  random: () => number,
): string[] {
  const ranked = routes.map((route) => ({
    route,
    cost: route.cost ?? rates.get(route.trunk_id) ?? Infinity,
    // Efraimidis and Spirakis, Weighted random sampling with a reservoir (2006).
    draw: Math.log(1 - random()) / route.weight,
  }));
  const isOwn = ({ route }: (typeof ranked)[number]): number => (route.organization_id === null ? 1 : 0);
  ranked.sort(
    (one, other) =>
      isOwn(one) - isOwn(other) ||
      other.route.prefix.length - one.route.prefix.length ||
      one.route.priority - other.route.priority ||
      compared(one.cost, other.cost) ||
      other.draw - one.draw,
  );
  return [...new Set(ranked.map(({ route }) => route.trunk_id))];
}

/** The starts of a number, the longest first, ending with the empty one. */
export function prefixesOf(number: string): string[] {
  const digits = digitsOf(number);
  return Array.from({ length: digits.length + 1 }, (_, left) => digits.slice(0, digits.length - left));
}

function digitsOf(number: string): string {
  return number.replace(/^\+/, '');
}

/** Two infinite costs are equal. */
function compared(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
