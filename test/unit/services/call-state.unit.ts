import { expect } from 'chai';
import fc from 'fast-check';
import { CALL_MOVES, isFinal, type CallStatus } from '../../../core/model/call/call.js';
import { hangupCause } from '../../../core/model/call/hangup-cause.js';
import type { LegEvent } from '../../../core/ports/engine-events.js';
import { presentChanges } from '../../../core/services/call-state/presenting/events.js';
import { CallState } from '../../../core/services/call-state/call-state.js';
import { applyLegEvent } from '../../../core/services/call-state/apply-leg-event.js';
import { callRow } from '../../support/calls/calls.js';
import { legRow } from '../../support/rows/rows.js';

const at = (seconds: number): Date => new Date(Date.parse('2026-11-01T09:00:00.000Z') + seconds * 1000);

function outbound(patch: Parameters<typeof legRow>[1] = {}): { state: CallState; legId: string } {
  const call = callRow();
  const leg = legRow(call.id, patch);
  return { state: new CallState(call, [leg]), legId: leg.id };
}

function run(state: CallState, events: readonly LegEvent[], illegal: string[] = []): void {
  for (const event of events) applyLegEvent(state, event, null, (from, to) => illegal.push(`${from}→${to}`));
}

/** The rows for the database. */
function written(state: CallState): ReturnType<typeof presentChanges> | null {
  const changes = state.takeChanges();
  return changes && presentChanges(changes);
}

describe('a call state', () => {
  it('takes an answered call to its end with one event per step, numbered without gaps', () => {
    const { state, legId } = outbound();
    run(state, [
      { type: 'leg.ringing', legId, at: at(1) },
      { type: 'leg.answered', legId, at: at(3) },
      { type: 'leg.ended', legId, at: at(63), cause: hangupCause(16) },
    ]);
    const changes = written(state);
    expect(changes?.events.map((event) => [event.sequence, event.type])).to.deep.equal([
      [1, 'call.ringing'],
      [2, 'call.answered'],
      [3, 'call.ended'],
    ]);
    expect(changes?.events.at(-1)?.data).to.include({
      status: 'ended',
      disposition: 'answered',
      duration_seconds: 60,
      customer_number_masked: '+96650••••17',
      sequence: 3,
    });
    expect(JSON.stringify(changes?.events)).not.to.contain('501234517');
  });

  for (const [sandbox, statuses] of [
    [true, ['ended', 'ended']],
    [false, ['ended', 'answered']],
  ] as const) {
    it(`shows in the last event of a ${sandbox ? 'sandbox' : 'live'} call legs that are ${statuses.join(' and ')}`, () => {
      const call = callRow({ sandbox });
      const [customer, agent] = [legRow(call.id), legRow(call.id, { role: 'agent', billable: false })];
      const state = new CallState(call, [customer, agent]);
      run(state, [
        { type: 'leg.answered', legId: customer.id, at: at(1) },
        { type: 'leg.answered', legId: agent.id, at: at(2) },
        { type: 'leg.ended', legId: customer.id, at: at(9), cause: hangupCause(16) },
      ]);
      const last = written(state)?.events.at(-1);
      expect(last?.type).to.equal('call.ended');
      const { legs } = last?.data as { legs: { status: string }[] };
      expect(legs.map(({ status }) => status)).to.deep.equal(statuses);
      expect(state.leg(agent.id)?.status, 'until the engine ends it').to.equal('answered');
    });
  }

  it('charges an answered billable leg once, in whole seconds', () => {
    const { state, legId } = outbound();
    const ended: LegEvent = { type: 'leg.ended', legId, at: at(63), cause: hangupCause(16) };
    run(state, [{ type: 'leg.answered', legId, at: at(3) }, ended, ended]);
    expect(state.takeChanges()?.charges).to.have.length(1).and.to.have.nested.property('[0].seconds', 60);
  });

  it('charges neither an unanswered leg nor a free one', () => {
    const rung = outbound();
    run(rung.state, [{ type: 'leg.ended', legId: rung.legId, at: at(30), cause: hangupCause(19) }]);
    expect(rung.state.takeChanges()?.charges).to.deep.equal([]);
    const internal = outbound({ billable: false });
    run(internal.state, [
      { type: 'leg.answered', legId: internal.legId, at: at(1) },
      { type: 'leg.ended', legId: internal.legId, at: at(9), cause: hangupCause(16) },
    ]);
    expect(internal.state.takeChanges()?.charges).to.deep.equal([]);
  });

  for (const [q850, status, disposition] of [
    [17, 'missed', 'busy'],
    [21, 'missed', 'rejected'],
    [19, 'missed', 'no_answer'],
    [1, 'failed', 'invalid_number'],
    [34, 'failed', 'congestion'],
  ] as const) {
    it(`ends a call cleared with cause ${q850} as ${status}/${disposition}`, () => {
      const { state, legId } = outbound();
      run(state, [{ type: 'leg.ended', legId, at: at(5), cause: hangupCause(q850) }]);
      expect(state.row).to.include({ status, disposition, hangup_q850: q850 });
    });
  }

  it('ends an unanswered call with the decided outcome, whatever cause the engine reports', () => {
    const { state, legId } = outbound();
    applyLegEvent(
      state,
      { type: 'leg.ended', legId, at: at(5), cause: hangupCause(16) },
      { q850: 16, status: 'cancelled', disposition: 'cancelled' },
      () => undefined,
    );
    expect(state.row).to.include({ status: 'cancelled', disposition: 'cancelled' });
  });

  it('reports that a key was pressed, never which key', () => {
    const { state, legId } = outbound();
    run(state, [
      { type: 'leg.answered', legId, at: at(1) },
      { type: 'leg.dtmf', legId, at: at(2), digit: '7', durationMs: 100 },
    ]);
    const event = written(state)?.events.at(-1);
    expect(event?.type).to.equal('call.dtmf');
    expect(event?.data).to.have.deep.property('dtmf', { leg: 'customer', digits_count: 1 });
  });

  it('reports a phone’s hold button once, even if the engine repeats it', () => {
    const { state, legId } = outbound();
    run(state, [
      { type: 'leg.answered', legId, at: at(1) },
      { type: 'leg.phone_held', legId, at: at(2) },
      { type: 'leg.phone_held', legId, at: at(3) },
    ]);
    expect(state.row.on_hold).to.equal(true);
    run(state, [{ type: 'leg.phone_resumed', legId, at: at(4) }]);
    expect(state.row.on_hold).to.equal(false);
    const types = state.takeChanges()?.events.map(({ type }) => type);
    expect(types).to.deep.equal(['call.answered', 'call.held', 'call.resumed']);
  });

  it('returns each change once', () => {
    const { state, legId } = outbound();
    run(state, [{ type: 'leg.ringing', legId, at: at(1) }]);
    expect(state.takeChanges()).not.to.equal(null);
    expect(state.takeChanges()).to.equal(null);
  });

  it('makes only listed transitions, whatever the order of engine events', () => {
    const kinds = ['leg.ringing', 'leg.progress', 'leg.answered', 'leg.ended'] as const;
    const reported = fc.array(fc.record({ kind: fc.constantFrom(...kinds), agent: fc.boolean() }), { maxLength: 12 });
    fc.assert(
      fc.property(reported, (steps) => {
        const call = callRow();
        const customer = legRow(call.id);
        const agent = legRow(call.id, { role: 'agent', billable: false });
        const state = new CallState(call, [customer, agent]);
        const path: CallStatus[] = [state.row.status];
        steps.forEach((step, index) => {
          const legId = step.agent ? agent.id : customer.id;
          const base = { legId, at: at(index) };
          const event: LegEvent =
            step.kind === 'leg.ended'
              ? { ...base, type: step.kind, cause: hangupCause(16) }
              : { ...base, type: step.kind };
          run(state, [event]);
          if (path.at(-1) !== state.row.status) path.push(state.row.status);
        });
        for (const [index, to] of path.slice(1).entries()) {
          expect(CALL_MOVES[path[index]!]).to.include(to);
        }
        const finals = written(state)?.events.filter((event) => isFinal((event.data as { status: CallStatus }).status));
        expect(finals?.length ?? 0).to.be.at.most(1);
      }),
    );
  });
});
