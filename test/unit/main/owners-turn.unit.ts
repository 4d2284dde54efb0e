import { expect } from 'chai';
import { hostname } from 'node:os';
import { OwnersTurn } from '../../../main/engines/owners-turn.js';

const OTHER = 'elsewhere:7:abc';
const OWN = 'elsewhere:8:def';
/** No process of this machine has this process id. */
const DEAD = `${hostname()}:999999999:abc`;

describe('an engine after an outage of the database', () => {
  let nowMs: number;
  let turn: OwnersTurn;

  beforeEach(() => {
    nowMs = 5_000;
    turn = new OwnersTurn({ monotonicMs: () => nowMs });
  });

  it('is free for every process if there was no outage', () => {
    expect(turn.isOf(OTHER, OWN)).to.equal(false);
  });

  it('is reserved for its owner until ten seconds after the last sign of the outage', () => {
    turn.noteOutage();
    nowMs += 8_000;
    turn.noteOutage();
    nowMs += 10_000;
    expect(turn.isOf(OTHER, OWN)).to.equal(true);
    nowMs += 1;
    expect(turn.isOf(OTHER, OWN)).to.equal(false);
  });

  it('is not reserved if its owner is dead, unknown, or the asking process itself', () => {
    turn.noteOutage();
    expect(turn.isOf(DEAD, OWN)).to.equal(false);
    expect(turn.isOf(null, OWN)).to.equal(false);
    expect(turn.isOf(OWN, OWN)).to.equal(false);
  });
});
