import { expect } from 'chai';
import type { CallCommand, LegAction } from '../../../core/ports/command-bus.js';
import { callControllerRig, type CallControllerRig, type CallControllerRigOptions } from './call-controller.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';

/** The source of a call from a trunk. */
export const TRUNK_SOURCE = { type: 'trunk', trunkId: '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11' } as const;

/**
 * For a `describe`: a new CallController for each test, on one database for all tests. No call may move illegally.
 * @param use receives the rig before each test
 */
export function callControllerEach(
  use: (rig: CallControllerRig) => void,
  options: CallControllerRigOptions = {},
): void {
  const start = ({ db }: TestDatabase): Promise<CallControllerRig> => callControllerRig(db, options);
  stageEach(start, use, async ({ controller, illegalMoves }) => {
    await controller.stop();
    expect(illegalMoves).to.deep.equal([]);
  });
}

/** The command for an action on a call's leg. */
export function control(callId: string, what: LegAction, leg: 'customer' | 'agent' = 'customer'): CallCommand {
  return { type: 'control', callId, leg, what, requestId: 'r', actor: null };
}

/** Collects the outcomes of transfers that the engine reports to phones from now on. */
export function reportedTransfers({ engine }: CallControllerRig): readonly string[] {
  const outcomes: string[] = [];
  const { legs } = engine;
  const report = legs.reportTransfer.bind(legs);
  legs.reportTransfer = async (legId, outcome) => {
    await report(legId, outcome);
    outcomes.push(outcome);
  };
  return outcomes;
}
