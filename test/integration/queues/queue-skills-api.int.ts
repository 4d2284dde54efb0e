import { expect } from 'chai';
import { queueApiEach, type QueueApiStage } from '../../support/stages/queue-api-stage.js';

describe('the API of skills', function () {
  this.timeout(60_000);
  let parts: QueueApiStage['parts'];
  let api: QueueApiStage['api'];
  let projectId: QueueApiStage['projectId'];
  let request: QueueApiStage['request'];
  let good: QueueApiStage['good'];
  queueApiEach((stage) => ({ parts, api, projectId, request, good } = stage));

  it('shows and replaces those of an agent', async () => {
    expect(await good('POST', '/agents', { agent: '1001' })).to.deep.include({ skills: {} });
    const skills = { arabic: 9, 'tier-2': 1 };
    expect(await good('POST', '/agents', { agent: '1002', skills })).to.deep.include({ skills });
    expect(await good('GET', '/agents/1002')).to.deep.include({ skills, priority: 5 });
    expect(await good('PATCH', '/agents/1002', { priority: 2 })).to.deep.include({ skills, priority: 2 });
    expect(await good('PATCH', '/agents/1002', { skills: { english: 3 } })).to.deep.include({ skills: { english: 3 } });
    expect(await good('PATCH', '/agents/1002', { skills: {} })).to.deep.include({ skills: {} });
    const { data } = await good('GET', '/agents');
    expect((data as { skills: object }[]).map((agent) => agent.skills)).to.deep.equal([{}, {}]);
  });

  it('shows and changes those that a queue requires, which its dispatcher learns', async () => {
    const none = { required_skills: {}, skills_timeout_seconds: null };
    const { id } = await good('POST', '/queues', { name: 'sales' });
    expect(await good('GET', `/queues/${String(id)}`)).to.deep.include(none);
    const some = { required_skills: { arabic: 5 }, skills_timeout_seconds: 30 };
    expect(await good('PATCH', `/queues/${String(id)}`, some)).to.deep.include(some);
    await good('POST', '/agents', { agent: '1001', skills: { arabic: 4 } });
    await good('POST', '/queues/agents/login', { agent: '1001', queue: 'sales' });
    await good('PATCH', '/agents/1001', { skills: { arabic: 6 } });
    await parts.coordinator.idle();
    const dispatcher = await parts.coordinator.view(projectId);
    expect(dispatcher.queue(String(id))?.rules).to.deep.include({
      requiredSkills: { arabic: 5 },
      skillsTimeoutSeconds: 30,
    });
    expect(dispatcher.agent('1001')?.skills).to.deep.equal({ arabic: 6 });
    // A repeat appends nothing to the log.
    const { sequence } = dispatcher;
    await good('PATCH', '/agents/1001', { skills: { arabic: 6 } });
    await good('PATCH', `/queues/${String(id)}`, some);
    await parts.coordinator.idle();
    expect((await parts.coordinator.view(projectId)).sequence).to.equal(sequence);
  });

  it('refuses what is no skill in both languages, and changes nothing', async () => {
    await good('POST', '/agents', { agent: '1001', skills: { arabic: 1 } });
    const { id } = await good('POST', '/queues', { name: 'sales' });
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`s${index}`, 1]));
    for (const skills of [
      { arabic: 0 },
      { arabic: 10 },
      { arabic: 'high' },
      { Arabic: 1 },
      { 'a b': 1 },
      many,
      ['x'],
      null,
    ]) {
      for (const [path, json, field] of [
        ['/agents/1001', { skills }, 'skills'],
        [`/queues/${String(id)}`, { required_skills: skills }, 'required_skills'],
      ] as const) {
        const { status, body } = await request('PATCH', path, json);
        expect([status, body?.error_code], JSON.stringify(skills)).to.deep.equal([400, 'VALIDATION_ERROR']);
        const [detail] = body?.details as { path: string; message: string; message_ar: string }[];
        expect(detail?.path.startsWith(field), detail?.path).to.equal(true);
        expect(detail?.message_ar)
          .to.match(/\p{Script=Arabic}/u)
          .and.not.equal('قيمة غير صالحة');
      }
    }
    for (const skills_timeout_seconds of [0, 7201, 1.5]) {
      expect((await request('PATCH', `/queues/${String(id)}`, { skills_timeout_seconds })).status).to.equal(400);
    }
    expect(await good('GET', '/agents/1001')).to.deep.include({ skills: { arabic: 1 } });
    expect(await good('GET', `/queues/${String(id)}`)).to.deep.include({ required_skills: {} });
  });

  it('is not for keys of other projects, of the sandbox, or without the scope', async () => {
    await good('POST', '/agents', { agent: '1001', skills: { arabic: 1 } });
    const { key: stranger } = await api.key();
    const { key: sandbox } = await api.key({ projectId, kind: 'sandbox' });
    const { key: reader } = await api.key({ projectId, scopes: ['queues:read'] });
    for (const [as, expected] of [
      [stranger, [404, 'NOT_FOUND']],
      [sandbox, [403, 'SANDBOX_KEY_NOT_ALLOWED']],
      [reader, [403, 'INSUFFICIENT_PERMISSIONS']],
    ] as const) {
      const { status, body } = await request('PATCH', '/agents/1001', { skills: { arabic: 9 } }, as);
      expect([status, body?.error_code]).to.deep.equal(expected);
    }
    expect(await good('GET', '/agents/1001')).to.deep.include({ skills: { arabic: 1 } });
  });
});
