import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import { addMember } from '../../support/rows/members.js';
import { insertRows, numberRow } from '../../support/rows/rows.js';
import { boxRow } from '../../support/rows/voicemail-rows.js';
import { queueApiEach, type QueueApiStage } from '../../support/stages/queue-api-stage.js';

const PATH = '/agents/1001/forwarding';
const MOBILE = '+966501234567';
const NOTHING = { agent: '1001', ...NO_FORWARDING };

describe('the API of call forwarding', function () {
  this.timeout(60_000);
  let stage: QueueApiStage;
  queueApiEach((made) => (stage = made));
  let owner: { organization_id: string; project_id: string };

  beforeEach(async () => {
    for (const agent of ['1001', '1002']) await stage.good('POST', '/agents', { agent });
    const [project] = await stage.database.db.query<{ organization_id: string }>(
      `SELECT organization_id FROM projects WHERE id = $1`,
      [stage.projectId],
    );
    owner = { organization_id: project!.organization_id, project_id: stage.projectId };
    await stage.database.db.query(
      `UPDATE projects SET destination_classes = '{national,mobile,foreign}' WHERE id = $1`,
      [stage.projectId],
    );
  });

  const codeOf = async (answer: Promise<Answer>): Promise<string> => {
    const { status, body } = await answer;
    const [detail] = (body?.details ?? []) as { path: string }[];
    return `${status} ${String(body?.error_code)}${detail ? ` ${detail.path}` : ''}`;
  };
  const change = (json: object, key?: string): Promise<Answer> => stage.request('PATCH', PATH, json, key);
  const read = (): Promise<Record<string, unknown>> => stage.good('GET', PATH);
  const events = (): Promise<{ data: object; sandbox: boolean }[]> =>
    stage.database.db.query(
      `SELECT data, sandbox FROM events WHERE project_id = $1 AND type = 'agent.forwarding_changed' ORDER BY id`,
      [stage.projectId],
    );
  /** A number that rings the agent, with a voicemail box. */
  async function ownNumber(enabled: boolean): Promise<string> {
    const ground = { organizationId: owner.organization_id, projectId: owner.project_id, engineId: newId() };
    const number = numberRow(ground, `+96611${randomInt(1_000_000, 9_999_999)}`);
    await insertRows(stage.database.db, 'numbers', [{ ...number, binding: { type: 'agent', target: '1001' } }]);
    await insertRows(stage.database.db, 'voicemail_boxes', [boxRow(ground, number.id, { enabled })]);
    return number.e164;
  }

  it('changes what is given, keeps the rest, and reports each change once, with masked numbers', async () => {
    expect(await read()).to.deep.equal(NOTHING);
    const first = await stage.good('PATCH', PATH, {
      do_not_disturb: true,
      busy: { type: 'agent', target: '1002' },
      no_answer: { type: 'number', target: '0501234567' },
      no_answer_seconds: 15,
    });
    const set = {
      ...NOTHING,
      do_not_disturb: true,
      busy: { type: 'agent', target: '1002' },
      no_answer: { type: 'number', target: MOBILE },
      no_answer_seconds: 15,
    };
    expect(first).to.deep.equal(set);
    expect(await read()).to.deep.equal(set);
    expect(await stage.good('PATCH', PATH, { busy: null })).to.deep.equal({ ...set, busy: null });
    await stage.good('PATCH', PATH, { busy: null });
    await stage.good('PATCH', PATH, {});
    const masked = { type: 'number', target: '+96650••••67' };
    expect(await events()).to.deep.equal([
      { sandbox: false, data: { ...set, no_answer: masked } },
      { sandbox: false, data: { ...set, busy: null, no_answer: masked } },
    ]);
  });

  it('forwards to voicemail that is on', async () => {
    const none = { no_answer: { type: 'voicemail', target: null } };
    const withoutNumber = stage.request('PATCH', '/agents/1002/forwarding', none);
    expect(await codeOf(withoutNumber)).to.equal('400 VALIDATION_ERROR no_answer.target');
    const off = await ownNumber(false);
    expect(await codeOf(change(none))).to.equal('400 VALIDATION_ERROR no_answer.target');
    const box = { no_answer: { type: 'voicemail', target: off } };
    expect(await codeOf(change(box))).to.equal('400 VALIDATION_ERROR no_answer.target');
    await stage.database.db.query('UPDATE voicemail_boxes SET enabled = true WHERE project_id = $1', [stage.projectId]);
    expect(await stage.good('PATCH', PATH, none)).to.deep.include(none);
    expect(await stage.good('PATCH', PATH, box)).to.deep.include(box);
  });

  it('refuses other targets, and changes nothing', async () => {
    const own = await ownNumber(true);
    for (const [json, code] of [
      [{ always: { type: 'agent', target: '1003' } }, '400 VALIDATION_ERROR always.target'],
      [{ always: { type: 'agent', target: '1001' } }, '400 VALIDATION_ERROR always.target'],
      [{ always: { type: 'agent', target: 'a b' } }, '400 VALIDATION_ERROR always.target'],
      [{ always: { type: 'number', target: own } }, '400 VALIDATION_ERROR always.target'],
      [{ always: { type: 'number', target: '12' } }, '400 INVALID_PHONE_NUMBER always.target'],
      [{ always: { type: 'number', target: '911' } }, '400 INVALID_PHONE_NUMBER'],
      [{ always: { type: 'number', target: '+442071838750' } }, '403 INSUFFICIENT_PERMISSIONS'],
      [{ always: { type: 'sip', target: 'sip:a@example.com' } }, '400 VALIDATION_ERROR always.type'],
      [{ always: { type: 'queue', target: newId() } }, '400 VALIDATION_ERROR always.type'],
      [{ always: 'voicemail' }, '400 VALIDATION_ERROR always'],
      [{ no_answer_seconds: 4 }, '400 VALIDATION_ERROR no_answer_seconds'],
      [{ no_answer_seconds: 41 }, '400 VALIDATION_ERROR no_answer_seconds'],
      [{ do_not_disturb: 'yes' }, '400 VALIDATION_ERROR do_not_disturb'],
      [{ sometimes: null }, '400 VALIDATION_ERROR sometimes'],
      [{ do_not_disturb: true, always: { type: 'agent', target: '1003' } }, '400 VALIDATION_ERROR always.target'],
    ] as const) {
      expect(await codeOf(change(json)), JSON.stringify(json)).to.equal(code);
    }
    expect(await read()).to.deep.equal(NOTHING);
    expect(await events()).to.deep.equal([]);
  });

  it('refuses every outside number if the agent may not call out', async () => {
    await stage.database.db.query(`UPDATE agents SET may_call_out = false WHERE project_id = $1`, [stage.projectId]);
    const answer = await change({ always: { type: 'number', target: MOBILE } });
    expect(answer.body).to.include({ error_code: 'INSUFFICIENT_PERMISSIONS' });
    expect(answer.body?.message).to.contain('mobile');
    expect(answer.status).to.equal(403);
    expect(await read()).to.deep.equal(NOTHING);
  });

  it('is not found for an unknown agent, and for those of others', async () => {
    const { key: stranger } = await stage.api.key();
    for (const [method, json] of [
      ['GET', undefined],
      ['PATCH', { do_not_disturb: true }],
    ] as const) {
      expect(await codeOf(stage.request(method, PATH, json, stranger))).to.equal('404 NOT_FOUND');
      expect(await codeOf(stage.request(method, '/agents/1009/forwarding', json))).to.equal('404 NOT_FOUND');
      expect(await codeOf(stage.request(method, '/agents/%00/forwarding', json))).to.equal('404 NOT_FOUND');
    }
    expect(await read()).to.deep.equal(NOTHING);
  });

  it('lets an agent of another project be no target', async () => {
    const { key: stranger } = await stage.api.key();
    const theirs = await stage.api.request('POST', '/v1/agents', { key: stranger, json: { agent: '2001' } });
    expect(theirs.status).to.equal(201);
    expect(await codeOf(change({ always: { type: 'agent', target: '2001' } }))).to.equal(
      '400 VALIDATION_ERROR always.target',
    );
  });

  it('shows a sandbox key masked numbers, and lets it change nothing', async () => {
    const { key: sandbox } = await stage.api.key({ projectId: stage.projectId, kind: 'sandbox' });
    await stage.good('PATCH', PATH, { always: { type: 'number', target: MOBILE } });
    const seen = await stage.request('GET', PATH, undefined, sandbox);
    expect(seen.body).to.deep.include({ always: { type: 'number', target: '+96650••••67' } });
    expect(await codeOf(change({ always: null }, sandbox))).to.equal('403 SANDBOX_KEY_NOT_ALLOWED');
  });

  it('lets a member with the role agent set the own agent only, and a viewer none', async () => {
    const { db } = stage.database;
    const member = (role: 'agent' | 'viewer') => addMember(db, owner.organization_id, { role, agent: '1001' });
    const [agent, viewer] = [await member('agent'), await member('viewer')];
    const json = { do_not_disturb: true };
    const as = (token: string, path = PATH): Promise<Answer> => stage.request('PATCH', path, json, token);
    expect((await as(agent.token)).status).to.equal(200);
    expect(await codeOf(as(agent.token, '/agents/1002/forwarding'))).to.equal('404 NOT_FOUND');
    expect(await codeOf(as(viewer.token))).to.equal('403 INSUFFICIENT_ROLE');
    expect(await stage.good('GET', '/agents/1002/forwarding')).to.include({ do_not_disturb: false });
  });

  it('demands the scope of queues', async () => {
    const { key } = await stage.api.key({ projectId: stage.projectId, scopes: ['calls:write'] });
    expect(await codeOf(change({ do_not_disturb: true }, key))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(await codeOf(stage.request('GET', PATH, undefined, key))).to.equal('403 INSUFFICIENT_PERMISSIONS');
  });

  it('makes an agent in do-not-disturb unavailable to queues at once', async () => {
    await stage.good('POST', '/queues', { name: 'sales' });
    await stage.good('POST', '/queues/agents/login', { agent: '1001', queue: 'sales' });
    const entry = async () => (await stage.parts.coordinator.view(stage.projectId)).agent('1001');
    await change({ do_not_disturb: true });
    await stage.parts.coordinator.idle();
    expect(await entry()).to.include({ doNotDisturb: true, state: 'unavailable', paused: null });
    await change({ do_not_disturb: false });
    await stage.parts.coordinator.idle();
    expect(await entry()).to.include({ doNotDisturb: false });
  });
});
