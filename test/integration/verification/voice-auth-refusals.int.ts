import { expect } from 'chai';
import { PARTIES } from '../../../engine/simulator/party.js';
import { newId } from '../../../core/model/ids.js';
import { AuthCalls, WORDS } from '../../support/calls/auth-calls.js';
import { NUMBER, verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';
import { SPENT, spendAll } from '../../support/stages/billing/charging.js';

describe('authentication by telephone', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  let auth: AuthCalls;
  verifyEach((made) => {
    stage = made;
    auth = new AuthCalls(made);
  });

  describe('rejects', () => {
    const post = (json: object, key?: string) => stage.refused('POST', '/voice-auth/challenges', json, key);

    it('invalid fields, by name', async () => {
      const refused: [object, string][] = [
        [{}, '400 VALIDATION_ERROR to'],
        [{ to: '12' }, '400 INVALID_PHONE_NUMBER to'],
        [{ to: '911' }, '400 INVALID_PHONE_NUMBER'],
        [{ to: NUMBER, assurance: 'voice_print' }, '422 VOICE_AUTH_ASSURANCE_UNSUPPORTED'],
        [{ to: NUMBER, brand_id: newId() }, '400 VALIDATION_ERROR brand_id'],
        [{ to: NUMBER, expires_in_seconds: 29 }, '400 VALIDATION_ERROR expires_in_seconds'],
        [{ to: NUMBER, expires_in_seconds: 301 }, '400 VALIDATION_ERROR expires_in_seconds'],
        [{ to: NUMBER, language: 'fr' }, '400 VALIDATION_ERROR language'],
        [{ to: NUMBER, match_number: '11' }, '400 VALIDATION_ERROR match_number'],
      ];
      for (const [json, expected] of refused) expect(await post(json), JSON.stringify(json)).to.equal(expected);
    });

    for (const how of SPENT) {
      it(`calls with ${how}, and creates no challenge`, async () => {
        const { db } = stage.database;
        await spendAll(db, stage.phones.ground, how);
        expect(await post({ to: NUMBER })).to.equal(`402 ${how}`);
        const rows = await db.query(`SELECT id FROM voice_auth_challenges WHERE project_id = $1`, [stage.projectId]);
        expect(rows).to.deep.equal([]);
      });
    }

    it('a fourth call within ten minutes', async () => {
      for (let times = 0; times < 3; times += 1) await auth.over((await auth.started({}, PARTIES.neverAnswers)).callId);
      const fourth = await stage.request('POST', '/voice-auth/challenges', { to: NUMBER });
      expect([fourth.status, fourth.body?.error_code]).to.deep.equal([429, 'VOICE_AUTH_RATE_LIMITED']);
      expect(Number(fourth.headers.get('retry-after'))).to.be.within(1, 601);
      await stage.clock.advance(601_000);
      await auth.started();
    });

    it('numbers that denied three times in a day, and blocked ones', async () => {
      for (let times = 0; times < 3; times += 1) {
        const { callId } = await auth.started();
        stage.phones.said.length = 0;
        await auth.said(WORDS.question);
        await auth.press(callId, '#');
        await auth.over(callId);
        await stage.clock.advance(601_000);
      }
      expect(await post({ to: NUMBER })).to.equal('403 VOICE_AUTH_BLOCKED');
      await stage.good('POST', '/voice-auth/challenges', { to: '+966501234518' });
      await stage.clock.advance(24 * 60 * 60_000);
      await auth.started();
      expect(await post({ to: '+966599990000' })).to.equal('403 VOICE_AUTH_BLOCKED');
    });

    it('numbers that cannot be called, and deletes the challenge', async () => {
      stage.away.voice = true;
      expect(await post({ to: NUMBER })).to.equal('502 CALL_FAILED');
      stage.away.voice = false;
      await stage.database.db.query(`UPDATE engines SET status = 'unreachable' WHERE id = $1`, [
        stage.phones.ground.engineId,
      ]);
      expect(await post({ to: NUMBER })).to.equal('502 CALL_FAILED');
      const rows = await stage.database.db.query(`SELECT id FROM voice_auth_challenges WHERE project_id = $1`, [
        stage.projectId,
      ]);
      expect(rows).to.deep.equal([]);
    });

    it('requests without a valid key or scope, and every request while the feature is disabled', async () => {
      const { id } = await auth.started();
      const { key: stranger } = await stage.api.key();
      for (const key of [stranger, stage.sandboxKey]) {
        expect(await stage.refused('GET', `/voice-auth/challenges/${id}`, undefined, key)).to.equal(
          '404 VOICE_AUTH_NOT_FOUND',
        );
      }
      for (const unknown of [newId(), 'x']) {
        expect(await stage.refused('GET', `/voice-auth/challenges/${unknown}`)).to.equal('404 VOICE_AUTH_NOT_FOUND');
      }
      const { key: reader } = await stage.api.key({ projectId: stage.projectId, scopes: ['voice_auth:read'] });
      expect(await post({ to: NUMBER }, reader)).to.equal('403 INSUFFICIENT_PERMISSIONS');
      const { projectId } = await stage.api.owner({ voice_auth: false });
      const { key } = await stage.api.key({ projectId });
      expect(await post({ to: NUMBER }, key)).to.equal('503 VOICE_AUTH_DISABLED');
      expect(await stage.refused('GET', '/voice-auth/brands', undefined, key)).to.equal('503 VOICE_AUTH_DISABLED');
    });
  });
});
