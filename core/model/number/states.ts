/** Where a number of the installation is in its life. */
export const NUMBER_STATES = ['available', 'reserved', 'assigned', 'porting', 'released', 'quarantined'] as const;
export type NumberState = (typeof NUMBER_STATES)[number];

/**
 * - `operator`: of the operator's own range.
 * - `provider`: ordered from a number provider, and given back to it.
 * - `own`: the customer's, who has shown that it is.
 * - `ported`: moved here from another carrier.
 */
export const NUMBER_SOURCES = ['operator', 'provider', 'own', 'ported'] as const;
export type NumberSource = (typeof NUMBER_SOURCES)[number];

const MOVES: Readonly<Record<NumberState, readonly NumberState[]>> = {
  available: ['reserved', 'assigned', 'released'],
  /** An order is under way. */
  reserved: ['assigned', 'available', 'released'],
  assigned: ['quarantined', 'released'],
  /** A porting request is under way. */
  porting: ['assigned', 'released'],
  /** Nobody has it here: it went back to whom it belongs to. */
  released: ['reserved', 'porting', 'assigned', 'available'],
  /** Given up, and kept from others for a while: its callers still call the one who had it. */
  quarantined: ['available', 'released'],
};

/** Whether a number may go from one state to the other. */
export function isNumberMove(from: NumberState, to: NumberState): boolean {
  return MOVES[from].includes(to);
}
