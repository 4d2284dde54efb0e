import { expect } from 'chai';
import { NUMBER, verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';

describe('the verification API', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  verifyEach((made) => (stage = made));

  describe('in the sandbox', () => {
    const sandboxed = (json: object) => stage.good('POST', '/verify', json, stage.sandboxKey);

    it('calls the simulator, and the code is all zeros', async () => {
      const { verification_id: id, ...made } = await sandboxed({ to: '+966500000001', code_length: 4 });
      expect(made).to.deep.include({ state: 'pending', channel: 'voice' });
      const [call] = await stage.database.db.query<{ id: string; engine_id: string; sandbox: boolean }>(
        `SELECT id, engine_id, sandbox FROM calls WHERE project_id = $1`,
        [stage.projectId],
      );
      expect(call).to.deep.include({ engine_id: stage.sandbox.ground.engineId, sandbox: true });
      expect(await stage.check(String(id), '0000', stage.sandboxKey)).to.include({ verified: true });
      await stage.sandbox.untilStatus(call!.id, 'ended');
      const [event] = await stage.database.db.query<{ sandbox: boolean; shown: boolean }>(
        `SELECT sandbox, data->'sandbox' AS shown FROM events WHERE type = 'verify.completed' AND data->>'verification_id' = $1`,
        [id],
      );
      expect(event).to.deep.equal({ sandbox: true, shown: true });
    });

    it('sends no messages', async () => {
      for (const json of [{ to: '+966500000001', channel: 'chatapp' }, { to: 'reem@example.com' }]) {
        const { verification_id: id } = await sandboxed(json);
        expect(await stage.check(String(id), '111111', stage.sandboxKey)).to.include({ verified: false });
        expect(await stage.check(String(id), '000000', stage.sandboxKey)).to.include({ verified: true });
      }
      expect(stage.sent).to.deep.equal([]);
    });

    it('accepts only the sandbox’s numbers', async () => {
      const refused = (to: string) => stage.refused('POST', '/verify', { to }, stage.sandboxKey);
      expect(await refused(NUMBER)).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      expect(await refused('+966500000017')).to.equal('500 SANDBOX_SIMULATED_SERVER_ERROR');
    });

    it('is visible to a live key', async () => {
      const { verification_id: id } = await sandboxed({ to: '+966500000001' });
      expect(await stage.good('GET', `/verify/${String(id)}`)).to.include({ state: 'pending' });
    });
  });
});
