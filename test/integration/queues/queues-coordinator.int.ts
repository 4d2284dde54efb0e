import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { Dispatcher } from '../../../core/model/queue/dispatcher.js';
import type { Decision, QueueEvent, StampedEvent } from '../../../core/model/queue/types.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { eventually } from '../../support/eventually.js';
import { queueParts, type QueueParts } from '../../support/stages/queue-stage.js';
import { callRow, groundIn, insertRows, legRow, type Ground } from '../../support/rows/rows.js';

const AGENTS = ['1001', '1002', '1003', '1004'];

describe('queues in several processes', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let ground: Ground;
  let queueId: string;
  /** Address of record by agent, in the test's own project. */
  const aors = new Map<string, string>();
  let processes: readonly [QueueParts, QueueParts];

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    ground = await groundIn(database.db);
    processes = [queueParts(database.db), queueParts(database.db)];
    const [{ queues, agents, signIn }] = processes;
    const { organizationId, projectId } = ground;
    const made = await queues.create(
      { organizationId, projectId },
      {
        name: 'sales',
        dial_code: null,
        strategy: 'longest_idle',
        wrap_up_seconds: 0,
        ring_timeout_seconds: 20,
        max_wait_seconds: 300,
        max_length: 100,
        service_level_seconds: 20,
        unavailable_seconds: 1,
        required_skills: {},
        skills_timeout_seconds: null,
        announce_position: false,
        announce_every_seconds: 30,
        music: null,
        overflow: { type: 'hangup', target: null },
        callback_mode: 'agent_first',
        record: false,
      },
    );
    queueId = made.id;
    for (const agent of AGENTS) {
      const { agent: row } = await agents.add({ id: projectId, organization_id: organizationId }, agent);
      aors.set(agent, row.aor);
      await database.db.query(`INSERT INTO softphone_registrations (engine_id, aor) VALUES ($1, $2)`, [
        ground.engineId,
        row.aor,
      ]);
      await signIn.login(projectId, agent, 'sales');
    }
  });
  afterEach(async () => {
    for (const { coordinator } of processes) await coordinator.stop();
  });

  const log = () =>
    database.db.query<{ sequence: number; event: StampedEvent; decisions: Decision[] }>(
      `SELECT sequence, event, decisions FROM queue_log WHERE project_id = $1 ORDER BY sequence`,
      [ground.projectId],
    );

  it('make each decision once: each caller is offered to one agent, and each agent one caller', async () => {
    const { projectId } = ground;
    const [one, other] = processes;
    const received = [one, other].map(({ coordinator }) => {
      const decisions: Decision[] = [];
      coordinator.onDecisions((_, made) => decisions.push(...made));
      return decisions;
    });
    const calls = Array.from({ length: 20 }, () => newId());
    const report = (index: number, event: QueueEvent): Promise<unknown> =>
      processes[index % 2 === 0 ? 0 : 1].coordinator.notify(projectId, () => [event]);
    await Promise.all(calls.map((callId, index) => report(index, { type: 'entered', callId, queueId })));
    for (let round = 0; round < 12; round += 1) {
      const dispatcher = await one.coordinator.view(projectId);
      const ringing = dispatcher.agents.filter(({ reservation }) => reservation?.legId === null);
      await Promise.all(
        ringing.map(({ agent, reservation }, index) => {
          const { callId = '' } = reservation ?? {};
          const legId = newId();
          return index % 3 === 2
            ? report(index, { type: 'refused', callId, agent, reason: 'rejected' })
            : report(index, { type: 'answered', callId, agent, legId }).then(() =>
                report(index + 1, { type: 'leg_ended', agent, legId }),
              );
        }),
      );
    }
    const rows = await log();
    expect(rows.map(({ sequence }) => sequence)).to.deep.equal(rows.map((_, index) => index + 1));
    const busy = new Map<string, string>();
    const replayed = new Dispatcher();
    for (const { event, decisions } of rows) {
      expect(replayed.apply(event)).to.deep.equal(decisions);
      for (const decision of decisions) {
        if (decision.type === 'finished' || decision.type === 'refused') busy.delete(decision.agent);
        if (decision.type !== 'offer') continue;
        expect(busy.has(decision.agent), 'an agent is offered one caller').to.equal(false);
        busy.set(decision.agent, decision.callId);
      }
    }
    const [mine, theirs] = await Promise.all(processes.map(({ coordinator }) => coordinator.view(projectId)));
    expect(mine!.snapshot()).to.deep.equal(theirs!.snapshot());
    expect(mine!.snapshot()).to.deep.equal(replayed.snapshot());
    // Both processes received all decisions since their start, in the same order.
    const offers = (decisions: readonly Decision[]) => decisions.filter(({ type }) => type === 'offer');
    expect(offers(received[0]!)).to.deep.equal(offers(rows.flatMap(({ decisions }) => decisions)));
    const served = mine!.waiting().length;
    expect(served).to.be.below(calls.length);
  });

  it('continue from the stored log when the other process dies', async () => {
    const { projectId } = ground;
    const callId = newId();
    await processes[0].coordinator.notify(projectId, () => [{ type: 'entered', callId, queueId }]);
    const fresh = queueParts(database.db);
    const seen = await fresh.coordinator.view(projectId);
    expect(seen.caller(callId)?.agents).to.have.length(1);
    expect(seen.snapshot()).to.deep.equal((await processes[0].coordinator.view(projectId)).snapshot());
    // After many entries, also from the stored snapshot.
    const pauses = Array.from({ length: 250 }, (_, index): QueueEvent => {
      const type = index % 2 === 0 ? ('paused' as const) : ('unpaused' as const);
      return type === 'paused' ? { type, agent: '1001', reason: null } : { type, agent: '1001' };
    });
    await fresh.coordinator.notify(projectId, () => pauses);
    await database.db.query(`DELETE FROM queue_log WHERE project_id = $1 AND sequence <= $2`, [projectId, 250]);
    const last = queueParts(database.db);
    expect((await last.coordinator.view(projectId)).snapshot()).to.deep.equal(
      (await fresh.coordinator.view(projectId)).snapshot(),
    );
    expect((await processes[1].coordinator.view(projectId)).sequence).to.equal(
      (await fresh.coordinator.view(projectId)).sequence,
    );
    await fresh.coordinator.stop();
    await last.coordinator.stop();
  });

  it('detect unreported changes: ended calls, and softphones that are unregistered or in a call', async () => {
    const { projectId } = ground;
    const [{ coordinator, watch }] = processes;
    const aor = aors.get('1001') ?? '';
    const ended = callRow(ground, { status: 'missed', ended_at: new Date() });
    const live = callRow(ground, { status: 'answered' });
    await insertRows(database.db, 'calls', [ended, live]);
    const leg = legRow(live.id, { endpoint: { type: 'softphone', aor: aors.get('1002') }, status: 'answered' });
    await insertRows(database.db, 'legs', [leg]);
    await database.db.query(`DELETE FROM softphone_registrations WHERE aor = $1`, [aor]);
    const waitingId = newId();
    await coordinator.notify(projectId, () => [
      { type: 'entered', callId: ended.id, queueId },
      ...['1003', '1004'].map((agent): QueueEvent => ({ type: 'paused', agent, reason: null })),
      { type: 'entered', callId: waitingId, queueId },
    ]);
    await watch.poll();
    await watch.compare();
    const dispatcher = await coordinator.view(projectId);
    expect(dispatcher.caller(ended.id)).to.equal(undefined);
    expect(dispatcher.agent('1001')).to.deep.include({ registered: false });
    expect(dispatcher.agent('1002')?.legIds).to.deep.equal([leg.id]);
    await database.db.query(`UPDATE legs SET status = 'ended' WHERE id = $1`, [leg.id]);
    watch.wrote({ legs: [{ ...leg, status: 'ended' }] });
    await eventually(
      async () => (await coordinator.view(projectId)).agent('1002')?.legIds.length === 0,
      'the leg has ended',
    );
    await database.db.query(`INSERT INTO softphone_registrations (engine_id, aor) VALUES ($1, $2)`, [
      ground.engineId,
      aor,
    ]);
    watch.registered([aor]);
    await eventually(
      async () => (await coordinator.view(projectId)).agent('1001')?.registered,
      'the softphone is registered again',
    );
  });
});
