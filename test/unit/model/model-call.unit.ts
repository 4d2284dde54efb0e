import { expect } from 'chai';
import fc from 'fast-check';
import {
  CALL_MOVES,
  CALL_STATUSES,
  FINAL_CALL_STATUSES,
  LEG_STATUSES,
  canMove,
  canMoveLeg,
  isFinal,
  type CallStatus,
  type LegStatus,
} from '../../../core/model/call/call.js';

/** Applies a list of requested statuses and skips illegal ones, like the owner process of a call. */
function walk(requested: readonly CallStatus[]): CallStatus[] {
  const path: CallStatus[] = ['initiated'];
  for (const status of requested) {
    if (canMove(path.at(-1)!, status)) path.push(status);
  }
  return path;
}

describe('a call', () => {
  const legal: readonly string[] = [
    'initiated→ringing',
    'initiated→answered',
    'initiated→missed',
    'initiated→failed',
    'initiated→cancelled',
    'initiated→timeout',
    'ringing→answered',
    'ringing→missed',
    'ringing→failed',
    'ringing→cancelled',
    'ringing→timeout',
    'answered→ended',
  ];
  for (const from of CALL_STATUSES) {
    for (const to of CALL_STATUSES) {
      const move = `${from}→${to}`;
      const may = legal.includes(move);
      it(`${may ? 'may' : 'may not'} change ${move}`, () => expect(canMove(from, to)).to.equal(may));
    }
  }

  it('is over in exactly the five final statuses', () => {
    expect(FINAL_CALL_STATUSES).to.have.members(['ended', 'missed', 'failed', 'cancelled', 'timeout']);
    expect(CALL_STATUSES.filter((status) => !isFinal(status))).to.deep.equal(['initiated', 'ringing', 'answered']);
  });

  it('never leaves a final status, ends only after an answer, and never rings again', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...CALL_STATUSES), { maxLength: 40 }), (requested) => {
        const path = walk(requested);
        expect(path.slice(0, -1).some(isFinal)).to.equal(false);
        expect(new Set(path).size).to.equal(path.length);
        expect(path.includes('ended')).to.equal(path.includes('answered') && path.at(-1) !== 'answered');
      }),
    );
  });

  it('reaches every status from the first', () => {
    const reached = new Set<CallStatus>(['initiated']);
    for (const status of reached) for (const next of CALL_MOVES[status]) reached.add(next);
    expect([...reached]).to.have.members([...CALL_STATUSES]);
  });
});

describe('a leg', () => {
  const legal = [
    'created→ringing',
    'created→answered',
    'created→ended',
    'ringing→answered',
    'ringing→ended',
    'answered→ended',
  ];
  it('changes status only as the table allows', () => {
    const moves = LEG_STATUSES.flatMap((from: LegStatus) =>
      LEG_STATUSES.filter((to) => canMoveLeg(from, to)).map((to) => `${from}→${to}`),
    );
    expect(moves).to.have.members(legal);
  });
});
