import { expect } from 'chai';
import { LIVE_KINDS } from '../../../core/model/engine-kinds.js';
import type { HatifError } from '../../../core/model/errors/index.js';
import { parseSipUri } from '../../../core/model/sip-uri.js';
import type { SipTargets } from '../../../core/services/dialling/sip-targets.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { engineRow, insertRows } from '../../support/rows/rows.js';
import { allowSipTarget, sipTargetsOn } from '../../support/rows/sip-targets.js';
import { TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { transferEach, type TransferStage } from '../../support/stages/transfer-stage.js';

const PARTNER = 'sip:front@partner.example';

describe('Calls to SIP addresses', function () {
  this.timeout(60_000);
  let stage: TransferStage;
  let rig: CallControllerRig;
  let targets: SipTargets;
  transferEach((...made) => ([stage, rig] = made));
  beforeEach(async () => {
    targets = sipTargetsOn(rig.db, rig.clock);
    await rig.db.query(`DELETE FROM sip_targets`);
  });

  async function bound(target: string): Promise<string> {
    await rig.db.query(`UPDATE numbers SET binding = $2 WHERE e164 = $1`, [
      rig.line,
      JSON.stringify({ type: 'sip', target }),
    ]);
    rig.directory.invalidate();
    rig.engine.callIn({ source: TRUNK_SOURCE, dialled: rig.line, callerId: { number: CUSTOMER, name: null } });
    await rig.settle();
    return rig.newest();
  }
  const transfer = async (callId: string, target: string): Promise<string> => {
    const answer = await stage.post(callId, 'transfer', { type: 'blind', to: { type: 'sip', target } });
    return `${answer.status} ${String(answer.body?.error_code)}`;
  };

  it('reach no host at first, neither by a binding nor by a transfer', async () => {
    const callId = await bound(PARTNER);
    await rig.untilStatus(callId, 'missed');
    expect(await rig.legs(callId)).to.have.length(1);
    const { callId: talking } = await stage.talking();
    expect(await transfer(talking, PARTNER)).to.equal('422 TRANSFER_TARGET_INVALID');
    expect(await stage.list(talking)).to.deep.equal([]);
  });

  it('reach a host that the operator allows, and are charged', async () => {
    await targets.add('partner.example');
    const callId = await bound(PARTNER);
    await rig.untilStatus(callId, 'answered');
    const [, leg] = await rig.legs(callId);
    expect(leg).to.include({ billable: true, number: null });
    const { callId: talking } = await stage.talking();
    expect(await transfer(talking, PARTNER)).to.equal('202 undefined');
  });

  it('are refused with parameters, on another port and at another host', async () => {
    await targets.add('partner.example:5070');
    const { callId } = await stage.talking();
    for (const target of [
      PARTNER,
      'sip:front@partner.example:5080',
      'sip:front@partner.example:5070;maddr=10.0.0.1',
      'sip:front@partner.example:5070;transport=tcp',
      'sip:front@other.example:5070',
    ]) {
      expect(await transfer(callId, target), target).to.equal('422 TRANSFER_TARGET_INVALID');
    }
    expect(await transfer(callId, 'sip:front@partner.example:5070')).to.equal('202 undefined');
  });

  it('never reach a trunk or an engine, also one that came later', async () => {
    await targets.add('carrier.example');
    await rig.db.query(`UPDATE trunks SET host = 'carrier.example'`);
    const { callId } = await stage.talking();
    expect(await transfer(callId, 'sip:+882123456789@carrier.example')).to.equal('422 TRANSFER_TARGET_INVALID');
    const refused = (await failureOf(targets.add('carrier.example'))) as HatifError;
    expect(refused.details?.[0]?.message).to.equal('is the host of a trunk or an engine');
    await rig.db.query(`UPDATE trunks SET host = '127.0.0.1'`);
  });

  for (const kind of LIVE_KINDS) {
    it(`never reach an engine’s own address, also of a new ${kind}`, async () => {
      const target = `sip:front@${kind}.example:5080`;
      await targets.add(`${kind}.example:5080`);
      const { callId } = await stage.talking();
      expect(await targets.allows(parseSipUri(target)!)).to.equal(true);
      const engine = engineRow({ kind, name: kind, sip_host: `${kind}.Example`, sip_port: 5080 });
      await insertRows(rig.db, 'engines', [engine]);
      try {
        expect(await transfer(callId, target)).to.equal('422 TRANSFER_TARGET_INVALID');
        expect(await stage.list(callId)).to.deep.equal([]);
        const refused = (await failureOf(targets.add(`${kind}.example`))) as HatifError;
        expect(refused.details?.[0]?.message).to.equal('is the host of a trunk or an engine');
      } finally {
        await rig.db.query(`DELETE FROM engines WHERE id = $1`, [engine.id]);
      }
      expect(await transfer(callId, target)).to.equal('202 undefined');
    });
  }

  it('can be allowed at public hosts only', async () => {
    for (const host of [
      '127.0.0.1',
      '10.1.2.3',
      '192.168.0.1:5060',
      '169.254.169.254',
      'unknown.test',
      '[::1]',
      'a b',
    ]) {
      expect(await failureOf(targets.add(host)), host).to.include({ code: 'VALIDATION_ERROR' });
    }
    expect(await targets.list()).to.deep.equal([]);
    await targets.add('Partner.example');
    expect((await targets.list()).map(({ address }) => address)).to.deep.equal(['partner.example']);
    expect(await targets.remove('partner.example')).to.equal(true);
    expect(await targets.remove('partner.example')).to.equal(false);
    await allowSipTarget(rig.db, '127.0.0.1:5070');
    const { callId } = await stage.talking();
    expect(await transfer(callId, 'sip:desk@127.0.0.1:5070')).to.equal('202 undefined');
  });
});
