import { expect } from 'chai';
import type { Metadata } from '../../../core/model/metadata.js';
import { insertRows } from '../../support/rows/rows.js';
import { lineIn } from '../../support/rows/line.js';
import { webSessionRow } from '../../support/rows/web-session-row.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

const HEADERS = { 'X-Hatif-Order-Id': 'A-17', 'X-Hatif-Ticket': 'forged' };
const FROM_HEADERS = { web_order_id: 'A-17', web_ticket: 'forged' };

describe('The X-Hatif headers of a call', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  /** Calls from a phone with headers. */
  const dial = async (aor: string, dialled: string): Promise<void> => {
    rig.engine.callIn({
      ...{ source: { type: 'softphone', aor }, dialled, callerId: { number: aor, name: null }, headers: HEADERS },
    });
    await rig.settle();
  };
  const browser = async (metadata: Metadata): Promise<string> => {
    const row = webSessionRow(rig.ground, { metadata });
    await insertRows(rig.db, 'web_calling_sessions', [row]);
    rig.directory.invalidate();
    return row.aor;
  };
  /** The metadata of all events of a call, each once. */
  const onEvents = async (callId: string): Promise<Metadata[]> => {
    const rows = await rig.db.query<{ metadata: Metadata }>(
      `SELECT DISTINCT data->'metadata' AS metadata FROM events WHERE call_id = $1 AND type LIKE 'call.%'`,
      [callId],
    );
    return rows.map(({ metadata }) => metadata);
  };

  it('come back on every event of a browser’s call, beside the metadata of its session', async () => {
    await dial(await browser({ ticket: '4711' }), 'agent.1001');
    const callId = await rig.newest();
    await rig.untilStatus(callId, 'answered');
    const expected = { ticket: '4711', ...FROM_HEADERS };
    expect(await onEvents(callId)).to.deep.equal([expected]);
    expect((await rig.calls.find(callId))?.metadata).to.deep.equal(expected);
  });

  it('come back on the events of a softphone’s call, inside and outside', async () => {
    for (const dialled of [rig.line, CUSTOMER]) {
      await dial(`a${rig.ground.projectId}`, dialled);
      const callId = await rig.newest();
      await rig.untilStatus(callId, 'answered');
      expect(await onEvents(callId), dialled).to.deep.equal([FROM_HEADERS]);
    }
  });

  it('do not reach another project whose number is called', async () => {
    const theirs = await lineIn(rig.db);
    rig.directory.invalidate();
    await dial(await browser({ ticket: '4711' }), theirs.line);
    const ours = await rig.newest();
    await rig.untilStatus(ours, 'answered');
    expect(await onEvents(ours)).to.deep.equal([{ ticket: '4711', ...FROM_HEADERS }]);
    const call = await rig.newest(theirs.ground.projectId);
    expect(call).not.to.equal(ours);
    expect(await onEvents(call)).to.deep.equal([{}]);
    expect((await rig.calls.find(call))?.program).not.to.have.property('variables');
  });

  it('of a carrier mean nothing', async () => {
    const callerId = { number: CUSTOMER, name: null };
    rig.engine.callIn({ source: TRUNK_SOURCE, dialled: rig.line, callerId, headers: HEADERS });
    await rig.settle();
    expect(await onEvents(await rig.newest())).to.deep.equal([{}]);
  });
});
