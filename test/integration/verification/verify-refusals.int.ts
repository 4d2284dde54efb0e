import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { SPENT, spendAll } from '../../support/stages/billing/charging.js';
import { NUMBER, verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';

describe('the verification API', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  verifyEach((made) => (stage = made));

  describe('rejects', () => {
    it('invalid fields, by name', async () => {
      const refused: [object, string][] = [
        [{}, '400 VALIDATION_ERROR to'],
        [{ to: '12' }, '400 INVALID_PHONE_NUMBER to'],
        [{ to: '911' }, '400 INVALID_PHONE_NUMBER to'],
        [{ to: 'reem@' }, '400 VALIDATION_ERROR to'],
        [{ to: NUMBER, channel: 'email' }, '400 VALIDATION_ERROR channel'],
        [{ to: 'reem@example.com', channel: 'sms' }, '400 VALIDATION_ERROR channel'],
        [{ to: NUMBER, channel: 'pigeon' }, '400 VALIDATION_ERROR channel'],
        [{ to: NUMBER, code_length: 3 }, '400 VALIDATION_ERROR code_length'],
        [{ to: NUMBER, code_length: 11 }, '400 VALIDATION_ERROR code_length'],
        [{ to: NUMBER, expires_in_seconds: 59 }, '400 VALIDATION_ERROR expires_in_seconds'],
        [{ to: NUMBER, expires_in_seconds: 3601 }, '400 VALIDATION_ERROR expires_in_seconds'],
        [{ to: NUMBER, end_user_ip: '300.1.1.1' }, '400 VALIDATION_ERROR end_user_ip'],
        [{ to: NUMBER, brand_id: newId() }, '400 VALIDATION_ERROR brand_id'],
        [{ to: NUMBER, code: '123456' }, '400 VALIDATION_ERROR code'],
        [{ to: NUMBER, channel: 'chatapp' }, '422 CHANNEL_NOT_CONFIGURED'],
        [{ to: 'reem@example.com' }, '422 CHANNEL_NOT_CONFIGURED'],
      ];
      for (const [json, expected] of refused) {
        const answer = await stage.refused('POST', '/verify', json);
        expect(answer.replace(/^(400 INVALID_PHONE_NUMBER)$/, '$1 to'), JSON.stringify(json)).to.equal(expected);
      }
      expect(stage.sent).to.deep.equal([]);
    });

    for (const how of SPENT) {
      it(`a code by voice with ${how}, but not one by SMS`, async () => {
        const { db } = stage.database;
        const { verification_id: spoken } = await stage.good('POST', '/verify', { to: NUMBER, channel: 'voice' });
        await spendAll(db, stage.phones.ground, how);
        // Longer than a billing profile is cached, and than a resend must wait.
        await stage.clock.advance(31_000);
        const rows = () => db.query(`SELECT id FROM verifications WHERE project_id = $1`, [stage.projectId]);
        expect(await stage.refused('POST', '/verify', { to: NUMBER, channel: 'voice' })).to.equal(`402 ${how}`);
        expect(await stage.refused('POST', `/verify/${String(spoken)}/resend`)).to.equal(`402 ${how}`);
        expect(await rows()).to.have.length(1);
        await stage.started();
      });
    }

    it('codes that cannot be sent, and deletes the verification', async () => {
      stage.away.sms = true;
      stage.away.voice = true;
      expect(await stage.refused('POST', '/verify', { to: NUMBER, channel: 'sms' })).to.equal(
        '502 VERIFY_SEND_FAILED channel',
      );
      expect(await stage.refused('POST', '/verify', { to: NUMBER, channel: 'voice' })).to.equal(
        '502 VERIFY_SEND_FAILED channel',
      );
      stage.away.voice = false;
      await stage.database.db.query(`UPDATE engines SET status = 'unreachable' WHERE id = $1`, [
        stage.phones.ground.engineId,
      ]);
      expect(await stage.refused('POST', '/verify', { to: NUMBER, channel: 'voice' })).to.equal(
        '502 VERIFY_SEND_FAILED channel',
      );
      const rows = await stage.database.db.query(`SELECT id FROM verifications WHERE project_id = $1`, [
        stage.projectId,
      ]);
      expect(rows).to.deep.equal([]);
    });

    it('codes that cannot be sent, and says why in both languages', async () => {
      const why = async (channel: string): Promise<unknown> => {
        const { status, body } = await stage.request('POST', '/verify', { to: NUMBER, channel });
        expect([status, body?.error_code]).to.deep.equal([502, 'VERIFY_SEND_FAILED']);
        return body?.details;
      };
      stage.away.sms = true;
      stage.away.voice = true;
      expect(await why('sms')).to.deep.equal([
        { path: 'channel', message: 'the gateway is away', message_ar: 'البوابة لا تجيب' },
      ]);
      expect(JSON.stringify(await why('voice')))
        .to.include('could not be turned into speech')
        .and.include('كلام');
      stage.away.voice = false;
      await stage.database.db.query(`UPDATE engines SET status = 'unreachable' WHERE id = $1`, [
        stage.phones.ground.engineId,
      ]);
      expect(JSON.stringify(await why('voice')))
        .to.include('The call could not be placed')
        .and.include('المكالمة');
    });

    it('voice if the project has no number to call from', async () => {
      await stage.database.db.query(`UPDATE projects SET main_number = NULL WHERE id = $1`, [stage.projectId]);
      const { key } = await stage.api.key({ projectId: stage.projectId });
      const answer = await stage.refused('POST', '/verify', { to: NUMBER, channel: 'voice' }, key);
      expect(answer).to.equal('422 CHANNEL_NOT_CONFIGURED');
    });

    it('every request while the feature is disabled', async () => {
      const { projectId } = await stage.api.owner({ verify: false });
      const { key } = await stage.api.key({ projectId });
      const id = newId();
      for (const [method, path, json] of [
        ['POST', '/verify', { to: NUMBER }],
        ['GET', `/verify/${id}`, undefined],
        ['POST', '/verify/check', { verification_id: id, code: '123456' }],
        ['POST', `/verify/${id}/resend`, undefined],
      ] as const) {
        expect(await stage.refused(method, path, json, key)).to.equal('503 VERIFY_DISABLED');
      }
    });

    it('requests without a valid key or scope', async () => {
      const { id, code } = await stage.started();
      const { key: stranger } = await stage.api.key();
      const { key: reader } = await stage.api.key({ projectId: stage.projectId, scopes: ['verify:read'] });
      const { key: writer } = await stage.api.key({ projectId: stage.projectId, scopes: ['verify:write'] });
      const check = { verification_id: id, code };
      for (const key of [stranger, stage.sandboxKey]) {
        expect(await stage.refused('GET', `/verify/${id}`, undefined, key)).to.equal('404 VERIFY_NOT_FOUND');
        expect(await stage.refused('POST', `/verify/${id}/resend`, undefined, key)).to.equal('404 VERIFY_NOT_FOUND');
        expect(await stage.refused('POST', '/verify/check', check, key)).to.equal('404 VERIFY_NOT_FOUND');
      }
      for (const unknown of [newId(), 'x', '']) {
        const json = { verification_id: unknown, code };
        expect(await stage.refused('POST', '/verify/check', json)).to.equal('404 VERIFY_NOT_FOUND');
      }
      expect(await stage.refused('POST', '/verify/check', check, reader)).to.equal('403 INSUFFICIENT_PERMISSIONS');
      expect(await stage.refused('GET', `/verify/${id}`, undefined, writer)).to.equal('403 INSUFFICIENT_PERMISSIONS');
      expect(await stage.check(id, code)).to.include({ verified: true });
    });

    it('a code for another purpose', async () => {
      const other = await stage.codes.create({ purpose: 'other', length: 6, lifetimeSeconds: 60, sandbox: false });
      expect(await stage.codes.enter(other.id, 'verify', '123456')).to.equal(null);
      expect(await stage.refused('GET', `/verify/${other.id}`)).to.equal('404 VERIFY_NOT_FOUND');
    });
  });
});
