import { expect } from 'chai';
import { hostname } from 'node:os';
import { OwnersTurn } from '../../../main/engines/owners-turn.js';

const OTHER = 'elsewhere:7:abc';
const OWN = 'elsewhere:8:def';
/** No process of this machine has such a number. */
const DEAD = `${hostname()}:999999999:abc`;

describe('an engine after an outage of the database', () => {
  let nowMs: number;
  let turn: OwnersTurn;

  beforeEach(() => {
    nowMs = 5_000;
    turn = new OwnersTurn({ monotonicMs: () => nowMs });
  });

  it('is free for everybody where there was none', () => {
    expect(turn.isOf(OTHER, OWN)).to.equal(false);
  });

  it('is left to its owner for ten seconds after the last sign of it', () => {
    turn.noteOutage();
    nowMs += 8_000;
    turn.noteOutage();
    nowMs += 10_000;
    expect(turn.isOf(OTHER, OWN)).to.equal(true);
    nowMs += 1;
    expect(turn.isOf(OTHER, OWN)).to.equal(false);
  });

  it('is not left to a process that is dead, to nobody, or to the one that asks', () => {
    turn.noteOutage();
    expect(turn.isOf(DEAD, OWN)).to.equal(false);
    expect(turn.isOf(null, OWN)).to.equal(false);
    expect(turn.isOf(OWN, OWN)).to.equal(false);
  });
});
