import { expect } from 'chai';
import type { RefusedCallsRow } from '../../../core/data/repositories/calls/refused-calls.js';
import { newId } from '../../../core/model/ids.js';
import type { Refusal } from '../../../core/model/call/refusal.js';
import type { LegEvent } from '../../../core/ports/engine-events.js';
import { LISTED_PER_HOUR, RefusalRecorder } from '../../../core/services/refused-calls/recorder.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { collecting } from '../../support/logger.js';

type IncomingEvent = Extract<LegEvent, { type: 'leg.incoming' }>;

const ENGINE = newId();
const TRUNK = newId();
const UNKNOWN: Refusal = { refuse: 1, reason: 'unknown_number' };
const HOUR = new Date('2026-11-23T10:00:00.000Z');

const incoming = (dialled: string, over: Partial<IncomingEvent> = {}): IncomingEvent => ({
  type: 'leg.incoming',
  legId: newId(),
  at: new Date(HOUR.getTime() + 60_000),
  source: { type: 'trunk', trunkId: TRUNK },
  dialled,
  callerId: { number: '+966501234517', name: null },
  ...over,
});

describe('refused calls', () => {
  let clock: VirtualClock;
  let written: RefusedCallsRow[];
  let counted: string[];
  let blocked: unknown[];
  let isAway: boolean;
  let log: ReturnType<typeof collecting>;
  let recorder: RefusalRecorder;

  beforeEach(() => {
    clock = new VirtualClock();
    [written, counted, blocked, isAway] = [[], [], [], false];
    log = collecting();
    recorder = new RefusalRecorder({
      engineId: ENGINE,
      table: {
        add(rows) {
          if (isAway) return Promise.reject(new Error('away'));
          written.push(...rows);
          return Promise.resolve();
        },
      },
      observe: (reason) => counted.push(reason),
      onBlocked: (...of) => blocked.push(of),
      clock,
      log: log.logger,
    });
    recorder.start();
  });
  afterEach(() => recorder.stop());

  it('tell which entry of a block list refused them, with the number that was called', () => {
    const block = { id: newId(), of: 'project' } as const;
    recorder.note(incoming('0112223344'), { refuse: 21, reason: 'caller_blocked', block });
    recorder.note(incoming('0112223344', { callerId: { number: null, name: null } }), UNKNOWN);
    const at = new Date(HOUR.getTime() + 60_000);
    expect(blocked).to.deep.equal([[block, { caller: '+966501234517', line: '+966112223344', at }]]);
  });

  it('are one row for each hour, number, source and reason, with the caller masked', async () => {
    recorder.note(incoming('0112223344'), UNKNOWN);
    recorder.note(incoming('+966112223344', { callerId: { number: '+966559876543', name: 'X' } }), UNKNOWN);
    recorder.note(incoming('+966112223355'), UNKNOWN);
    await clock.advance(2_000);
    expect(written.map(({ dialled, calls, caller_masked }) => [dialled, calls, caller_masked])).to.deep.equal([
      ['+966112223344', 2, '+96655••••43'],
      ['+966112223355', 1, '+96650••••17'],
    ]);
    expect(written[0]).to.include({ engine_id: ENGINE, reason: 'unknown_number', source_id: TRUNK, q850: 1 });
    expect(written[0]!.hour).to.deep.equal(HOUR);
    expect(counted).to.have.length(3);
  });

  it('of a softphone show its customer masked, and log no number in full', async () => {
    recorder.note(incoming('0501234517', { source: { type: 'softphone', aor: '1001' } }), {
      refuse: 21,
      reason: 'not_allowed',
    });
    recorder.note(incoming('+966501234518'), UNKNOWN);
    await clock.advance(2_000);
    expect(written[0]).to.include({ dialled: '+96650••••17', caller_masked: null, source_id: '1001' });
    const lines = JSON.stringify(log.lines);
    expect(log.lines).to.have.length(2);
    expect(lines).to.include('unknown_number').and.not.to.include('501234517').and.not.to.include('501234518');
  });

  it('of a flood fill neither the table nor the log, and are all counted', async () => {
    const calls = 5_000;
    for (let index = 0; index < calls; index += 1) recorder.note(incoming(String(10_000_000 + index)), UNKNOWN);
    recorder.note(incoming('x'.repeat(500), { at: new Date(HOUR.getTime() + 3_600_000) }), UNKNOWN);
    await clock.advance(2_000);
    const ofHour = written.filter(({ hour }) => hour.getTime() === HOUR.getTime());
    expect(ofHour).to.have.length(LISTED_PER_HOUR + 1);
    expect(ofHour.reduce((sum, row) => sum + row.calls, 0)).to.equal(calls);
    expect(ofHour.at(-1)).to.include({ dialled: '', source_id: '', calls: calls - LISTED_PER_HOUR });
    expect(written.at(-1)!.dialled, 'the next hour lists numbers again, cut to a length').to.have.length(32);
    expect(log.lines).to.have.length.below(LISTED_PER_HOUR + 5);
    expect(counted).to.have.length(calls + 1);
  });

  it('wait while the database is away, and are written at the end', async () => {
    isAway = true;
    recorder.note(incoming('+966112223344'), UNKNOWN);
    await clock.advance(10_000);
    recorder.note(incoming('+966112223344'), UNKNOWN);
    isAway = false;
    await recorder.stop();
    expect(written.map(({ calls }) => calls)).to.deep.equal([2]);
  });
});
