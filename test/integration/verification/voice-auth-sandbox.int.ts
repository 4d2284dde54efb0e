import { expect } from 'chai';
import { AuthCalls } from '../../support/calls/auth-calls.js';
import { NUMBER, verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';

describe('authentication by telephone', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  let auth: AuthCalls;
  verifyEach((made) => {
    stage = made;
    auth = new AuthCalls(made);
  });

  describe('in the sandbox', () => {
    for (const [last, state] of [
      ['1', 'approved'],
      ['8', 'denied'],
      ['2', 'no_answer'],
      ['3', 'no_answer'],
      ['4', 'failed'],
      ['5', 'no_answer'],
      ['7', 'no_answer'],
    ] as const) {
      it(`…00${last} ends as ${state}`, async () => {
        const json = { to: `+96650000000${last}` };
        const made = await stage.good('POST', '/voice-auth/challenges', json, stage.sandboxKey);
        const [call] = await stage.database.db.query<{ id: string }>(`SELECT id FROM calls WHERE project_id = $1`, [
          stage.projectId,
        ]);
        const { calls } = stage.sandbox;
        await stage.sandbox.until(async () => ((await calls.find(call!.id))?.ended_at ?? null) !== null);
        await stage.settling.run();
        expect(await auth.read(String(made.challenge_id), stage.sandboxKey)).to.include({ state });
        expect(await auth.completed(String(made.challenge_id))).to.deep.equal([state]);
      });
    }

    it('accepts only the sandbox’s numbers', async () => {
      const refused = (to: string) => stage.refused('POST', '/voice-auth/challenges', { to }, stage.sandboxKey);
      expect(await refused(NUMBER)).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      expect(await refused('+966500000017')).to.equal('500 SANDBOX_SIMULATED_SERVER_ERROR');
    });
  });
});
