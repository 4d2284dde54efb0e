import { expect } from 'chai';
import { MAX_BLOCKED_CALLERS } from '../../../core/model/number/blocked-caller.js';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import { addMember } from '../../support/rows/members.js';
import { queueApiEach, type QueueApiStage } from '../../support/stages/queue-api-stage.js';

const CALLER = '+442071838750';
const ENTRY = { kind: 'exact', number: CALLER, note: 'sells windows' };

for (const [list, adds] of [
  ['blocked-callers', 'BLOCKED_CALLER_LIMIT_EXCEEDED'],
  ['allowed-callers', 'ALLOWED_CALLER_LIMIT_EXCEEDED'],
] as const) {
  describe(`The ${list} of an agent`, function () {
    this.timeout(60_000);
    let stage: QueueApiStage;
    queueApiEach((made) => (stage = made));
    beforeEach(async () => {
      for (const agent of ['1001', '1002']) await stage.good('POST', '/agents', { agent });
    });

    const path = (agent = '1001'): string => `/agents/${agent}/${list}`;
    const codeOf = async (answer: Promise<Answer>): Promise<string> => {
      const { status, body } = await answer;
      return `${status} ${String(body?.error_code)}`;
    };
    const listed = async (agent = '1001'): Promise<Record<string, unknown>[]> =>
      (await stage.good('GET', path(agent))).data as Record<string, unknown>[];

    it('is changed and shown by agent', async () => {
      const made = await stage.request('POST', path(), ENTRY);
      expect(made.status, made.text).to.equal(201);
      expect(made.body).to.include({ ...ENTRY });
      const again = await stage.request('POST', path(), { ...ENTRY, note: 'later' });
      expect([again.status, again.body]).to.deep.equal([200, made.body]);
      expect((await stage.request('POST', path('1002'), { kind: 'withheld' })).status).to.equal(201);
      expect(await listed()).to.deep.equal([made.body]);
      expect((await listed('1002')).map(({ kind }) => kind)).to.deep.equal(['withheld']);
      const entry = `${path()}/${String(made.body?.id)}`;
      const wrong = `${path('1002')}/${String(made.body?.id)}`;
      expect(await codeOf(stage.request('DELETE', wrong)), 'by another agent').to.equal('404 NOT_FOUND');
      expect((await stage.request('DELETE', entry)).status).to.equal(204);
      expect(await codeOf(stage.request('DELETE', entry))).to.equal('404 NOT_FOUND');
      expect(await listed()).to.deep.equal([]);
    });

    it('takes no emergency number, no entry that is incomplete, and no more than it may have', async () => {
      for (const [json, code] of [
        [{ kind: 'exact', number: '997' }, '400 INVALID_PHONE_NUMBER'],
        [{ kind: 'prefix', number: '+44' }, '400 VALIDATION_ERROR'],
        [{ kind: 'exact' }, '400 VALIDATION_ERROR'],
        [{ kind: 'withheld', agent: '1002' }, '400 VALIDATION_ERROR'],
      ] as const) {
        expect(await codeOf(stage.request('POST', path(), json)), JSON.stringify(json)).to.equal(code);
      }
      await stage.database.db.query(
        `INSERT INTO ${list.replace('-', '_')} (id, project_id, agent, sandbox, kind, number, created_at)
         SELECT gen_random_uuid(), $1, '1001', false, 'exact', '+4420' || (70000000 + n), now()
         FROM generate_series(1, $2) AS n`,
        [stage.projectId, MAX_BLOCKED_CALLERS],
      );
      expect(await codeOf(stage.request('POST', path(), ENTRY))).to.equal(`409 ${adds}`);
      expect((await stage.request('POST', path('1002'), ENTRY)).status, 'another list').to.equal(201);
    });

    it('is not found for an unknown agent, and for those of others', async () => {
      const { id } = await stage.good('POST', path(), ENTRY);
      const { key: stranger } = await stage.api.key();
      for (const [agent, key] of [
        ['1001', stranger],
        ['1009', undefined],
        ['%00', undefined],
      ] as const) {
        expect(await codeOf(stage.request('GET', path(agent), undefined, key)), agent).to.equal('404 NOT_FOUND');
        expect(await codeOf(stage.request('POST', path(agent), ENTRY, key)), agent).to.equal('404 NOT_FOUND');
        const entry = `${path(agent)}/${String(id)}`;
        expect(await codeOf(stage.request('DELETE', entry, undefined, key)), agent).to.equal('404 NOT_FOUND');
      }
      expect(await codeOf(stage.request('DELETE', `${path()}/${newId()}`))).to.equal('404 NOT_FOUND');
      expect(await listed()).to.have.length(1);
    });

    it('needs a live key', async () => {
      const { key: sandbox } = await stage.api.key({ projectId: stage.projectId, kind: 'sandbox' });
      expect(await codeOf(stage.request('GET', path(), undefined, sandbox))).to.equal('403 SANDBOX_KEY_NOT_ALLOWED');
      expect(await codeOf(stage.request('POST', path(), ENTRY, sandbox))).to.equal('403 SANDBOX_KEY_NOT_ALLOWED');
    });

    it('lets a member with the role agent change the own list only, and a viewer none', async () => {
      const { db } = stage.database;
      const [project] = await db.query<{ organization_id: string }>(
        `SELECT organization_id FROM projects WHERE id = $1`,
        [stage.projectId],
      );
      const member = (role: 'agent' | 'viewer') => addMember(db, project!.organization_id, { role, agent: '1001' });
      const [agent, viewer] = [await member('agent'), await member('viewer')];
      expect((await stage.request('POST', path(), ENTRY, agent.token)).status).to.equal(201);
      expect((await stage.request('GET', path(), undefined, agent.token)).status).to.equal(200);
      expect(await codeOf(stage.request('POST', path('1002'), ENTRY, agent.token))).to.equal('404 NOT_FOUND');
      expect(await codeOf(stage.request('GET', path('1002'), undefined, agent.token))).to.equal('404 NOT_FOUND');
      expect(await codeOf(stage.request('POST', path(), ENTRY, viewer.token))).to.equal('403 INSUFFICIENT_ROLE');
    });

    it('demands the scope of queues', async () => {
      const { key } = await stage.api.key({ projectId: stage.projectId, scopes: ['numbers:write'] });
      expect(await codeOf(stage.request('POST', path(), ENTRY, key))).to.equal('403 INSUFFICIENT_PERMISSIONS');
      expect(await codeOf(stage.request('GET', path(), undefined, key))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    });
  });
}
