/** The states of a number in this installation. */
export const NUMBER_STATES = ['available', 'reserved', 'assigned', 'porting', 'released', 'quarantined'] as const;
export type NumberState = (typeof NUMBER_STATES)[number];

/**
 * - `operator`: from the operator's own range.
 * - `provider`: ordered from a number provider, and returned to it on release.
 * - `own`: owned by the customer, who has proven it.
 * - `ported`: moved here from another carrier.
 * - `demo`: of a fresh installation's demo; no carrier delivers it.
 */
export const NUMBER_SOURCES = ['operator', 'provider', 'own', 'ported', 'demo'] as const;
export type NumberSource = (typeof NUMBER_SOURCES)[number];

const MOVES: Readonly<Record<NumberState, readonly NumberState[]>> = {
  available: ['reserved', 'assigned', 'released'],
  /** An order is in progress. */
  reserved: ['assigned', 'available', 'released'],
  assigned: ['quarantined', 'released'],
  /** A porting request is in progress. */
  porting: ['assigned', 'released'],
  /** Not in use here: the number went back to its owner. */
  released: ['reserved', 'porting', 'assigned', 'available'],
  /**
   * Released, but kept from other customers for a while because callers still dial the previous
   * customer.
   */
  quarantined: ['available', 'released'],
};

/** Whether a number may change from one state to the other. */
export function isNumberMove(from: NumberState, to: NumberState): boolean {
  return MOVES[from].includes(to);
}
