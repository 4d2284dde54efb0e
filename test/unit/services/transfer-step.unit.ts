import { expect } from 'chai';
import type { LegStatus } from '../../../core/model/call/call.js';
import { nextStep, type TransferStep } from '../../../core/services/call-state/transfer-step.js';
import { legRow } from '../../support/rows/rows.js';

type Transfer = Parameters<typeof nextStep>[0];

const leg = (status: LegStatus | null) => (status === null ? null : legRow('call', { status }));

describe('the next step of a transfer', () => {
  const cases: readonly [Transfer['type'], Transfer['status'], LegStatus | null, LegStatus | null, TransferStep][] = [
    // type, status, transferor, target
    ['blind', 'initiated', 'answered', null, 'ring'],
    ['blind', 'initiated', 'ended', null, 'ring'],
    ['blind', 'initiated', null, null, 'ring'],
    ['blind', 'initiated', 'answered', 'created', 'wait'],
    ['blind', 'initiated', 'answered', 'ringing', 'tell_ringing'],
    ['blind', 'ringing', 'answered', 'ringing', 'wait'],
    ['blind', 'ringing', 'ended', 'ringing', 'wait'],
    ['blind', 'initiated', 'answered', 'answered', 'complete'],
    ['blind', 'ringing', null, 'answered', 'complete'],
    ['blind', 'ringing', 'answered', 'ended', 'give_back'],
    ['blind', 'ringing', null, 'ended', 'give_back'],
    ['blind', 'ringing', 'ended', 'ended', 'end'],
    ['attended', 'ringing', 'answered', 'answered', 'consult'],
    ['attended', 'initiated', 'answered', 'answered', 'consult'],
    ['attended', 'consulting', 'answered', 'answered', 'wait'],
    ['attended', 'consulting', 'ended', 'answered', 'complete'],
    ['attended', 'ringing', 'ended', 'answered', 'complete'],
    ['attended', 'ringing', 'ended', 'ringing', 'wait'],
    ['attended', 'consulting', 'answered', 'ended', 'give_back'],
    ['attended', 'consulting', 'ended', 'ended', 'end'],
  ];
  for (const [type, status, from, target, step] of cases) {
    it(`${type}, ${status}, transferor ${from ?? 'none'}, target ${target ?? 'not rung'}: ${step}`, () => {
      const destination = { type: 'agent', target: '1002' } as const;
      expect(nextStep({ type, status, destination }, { from: leg(from), target: leg(target) })).to.equal(step);
    });
  }

  it('hands over to a queue, with or without a transferor', () => {
    const destination = { type: 'queue', target: 'any' } as const;
    const legs = { from: leg('answered'), target: null };
    expect(nextStep({ type: 'blind', status: 'initiated', destination }, legs)).to.equal('hand_over');
    expect(nextStep({ type: 'blind', status: 'initiated', destination }, { ...legs, from: null })).to.equal(
      'hand_over',
    );
  });
});
