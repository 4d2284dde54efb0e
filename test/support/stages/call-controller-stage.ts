import { expect } from 'chai';
import type { CallCommand, LegAction } from '../../../core/ports/command-bus.js';
import { conductorRig, type ConductorRig, type ConductorRigOptions } from './call-controller.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';

/** Where a call that comes in by a trunk comes from. */
export const TRUNK_SOURCE = { type: 'trunk', trunkId: '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11' } as const;

/**
 * In a `describe`: each test has a conductor of its own, on one database for all of them; no call may have moved illegally.
 * @param use is given the conductor before each test
 */
export function conductorEach(use: (rig: ConductorRig) => void, options: ConductorRigOptions = {}): void {
  const start = ({ db }: TestDatabase): Promise<ConductorRig> => conductorRig(db, options);
  stageEach(start, use, async ({ controller, illegalMoves }) => {
    await controller.stop();
    expect(illegalMoves).to.deep.equal([]);
  });
}

/** The command to do something with a leg of a call. */
export function control(callId: string, what: LegAction, leg: 'customer' | 'agent' = 'customer'): CallCommand {
  return { type: 'control', callId, leg, what, requestId: 'r', actor: null };
}
