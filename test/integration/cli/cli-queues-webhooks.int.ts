import { expect } from 'chai';
import type { EventRow, WebhookEndpointRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { QUEUE } from '../../support/calls/open-queue.js';
import { commandForAll } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';
import {
  callRow,
  endpointRow,
  eventOf,
  groundIn,
  insertProject,
  insertRows,
  type Ground,
} from '../../support/rows/rows.js';
import { queueParts, type QueueParts } from '../../support/stages/queue-stage.js';

describe('hatif queues and webhooks', () => {
  let database: TestDatabase;
  let ground: Ground;
  const run = commandForAll((_, opened) => (database = opened));
  before(async () => (ground = await groundIn(database.db)));

  const hatif = (...args: string[]) => run.hatif([...args, '--project', ground.projectId]);
  const json = (...args: string[]) => run.json(...args, '--project', ground.projectId);

  describe('queues', () => {
    let queues: QueueParts;
    before(() => (queues = queueParts(database.db)));
    after(() => queues.coordinator.stop());

    it('says that there is none', async () => {
      expect((await hatif('queues', 'list')).stdout).to.contain('There is no queue yet');
    });

    it('lists waiting callers and available agents, and shows a queue by name and id', async () => {
      const { projectId, organizationId, engineId } = ground;
      const { id } = await queues.queues.create({ projectId, organizationId }, QUEUE);
      for (const agent of ['1001', '1002'])
        await queues.agents.add({ id: projectId, organization_id: organizationId }, agent);
      await database.db.query(`INSERT INTO softphone_registrations (engine_id, aor) VALUES ($1, '1001')`, [engineId]);
      for (const agent of ['1001', '1002']) await queues.signIn.login(projectId, agent, 'sales');
      const callId = newId();
      await queues.coordinator.notify(projectId, () => [
        { type: 'entered', callId: newId(), queueId: id },
        { type: 'entered', callId, queueId: id },
        { type: 'paused', agent: '1002', reason: 'lunch' },
      ]);
      const [queue, ...others] = (await json('queues', 'list')) as { name: string; stats: { waiting: number } }[];
      expect(others).to.deep.equal([]);
      expect(queue).to.include({ name: 'sales' });
      expect(queue?.stats).to.include({ waiting: 2 });
      const { stdout: list } = await hatif('queues', 'list');
      expect(list).to.match(/sales +501 +longest_idle +2 +\d+ s +0 +2 +0 of 2/);
      for (const name of ['sales', id]) {
        const { stdout } = await hatif('queues', 'show', name);
        expect(stdout)
          .to.match(/then to +hangup/)
          .and.match(/1001 +logged_in +ringing +yes +0/)
          .and.match(/1002 +paused \(lunch\) +\w+ +no/)
          .and.match(new RegExp(`2 +${callId}`));
      }
    });

    it('does not find a queue of another project', async () => {
      const other = await insertProject(database.db, ground.organizationId);
      const { code, stderr } = await run.hatif(['queues', 'show', 'sales', '--project', other]);
      expect(code).to.equal(1);
      expect(stderr).to.contain('There is no queue sales');
    });
  });

  describe('webhooks', () => {
    /** An endpoint with one dead delivery. */
    async function dead(changes: Partial<WebhookEndpointRow> = {}): Promise<{ endpoint: string; delivery: string }> {
      const row = endpointRow(ground, changes);
      const sandbox = row.sandbox;
      const call = callRow(ground, { sandbox });
      const event: EventRow = eventOf(call, { type: 'call.initiated' });
      const delivery = newId();
      await insertRows(database.db, 'webhook_endpoints', [row]);
      await insertRows(database.db, 'calls', [call]);
      await insertRows(database.db, 'events', [event]);
      await database.db.query(
        `INSERT INTO webhook_deliveries
           (id, event_id, endpoint_id, lane, project_id, call_id, sequence, status, attempts, next_attempt_at, last_error)
         VALUES ($1, $2, $3::uuid, $3::uuid::text, $4, $5, 1, 'dead', 9, now(), 'http_503')`,
        [delivery, event.id, row.id, ground.projectId, call.id],
      );
      return { endpoint: row.id, delivery };
    }
    const statusOf = async (delivery: string): Promise<unknown> =>
      (await database.db.query('SELECT status, attempts FROM webhook_deliveries WHERE id = $1', [delivery]))[0];

    it('lists endpoints without their secrets', async () => {
      expect((await hatif('webhooks', 'list')).stdout).to.contain('There is no webhook endpoint yet');
      const { endpoint } = await dead({ status: 'disabled', disabled_reason: 'failing' });
      const { stdout } = await hatif('webhooks', 'list');
      expect(stdout).to.match(new RegExp(`${endpoint} +https://\\S+ +\\* +disabled \\(failing\\)`));
      const [row] = (await json('webhooks', 'list')) as object[];
      expect(row).to.include({ id: endpoint }).and.not.have.any.keys('secret', 'previous_secret');
    });

    for (const sandbox of [false, true]) {
      it(`lists deliveries and sends one again, ${sandbox ? 'sandbox' : 'live'}`, async () => {
        const { endpoint, delivery } = await dead({ sandbox });
        expect((await hatif('webhooks', 'deliveries', endpoint)).stdout).to.match(
          new RegExp(`${delivery} .* call\\.initiated .* dead +0 +http_503`),
        );
        expect(await json('webhooks', 'deliveries', endpoint, '--status', 'delivered')).to.deep.equal([]);
        const { code, stderr } = await hatif('webhooks', 'redeliver', endpoint, delivery);
        expect(code, stderr).to.equal(0);
        expect(await statusOf(delivery)).to.deep.equal({ status: 'pending', attempts: 0 });
        const audit = await database.db.query(`SELECT route FROM audit_log WHERE path LIKE '%' || $1 || '%'`, [
          delivery,
        ]);
        expect(audit).to.deep.equal([{ route: 'hatif webhooks redeliver' }]);
      });
    }

    it('refuses a disabled endpoint, unknown ids and those of another project', async () => {
      const disabled = await dead({ status: 'disabled', disabled_reason: 'requested' });
      const { endpoint, delivery } = await dead();
      const other = await insertProject(database.db, ground.organizationId);
      for (const [words, ...args] of [
        ['disabled', disabled.endpoint, disabled.delivery],
        [newId(), newId(), delivery],
        ['nonsense', 'nonsense', delivery],
        ['nonsense', endpoint, 'nonsense'],
        [disabled.delivery, endpoint, disabled.delivery],
        [endpoint, endpoint, delivery, '--project', other],
      ] as const) {
        const { code, stderr } = await run.hatif(['webhooks', 'redeliver', '--project', ground.projectId, ...args]);
        expect(code, args.join(' ')).to.equal(1);
        if (words === 'disabled') expect(stderr).to.contain(words);
        else expect(stderr).to.contain(args.includes(words) ? words : 'webhook');
      }
      expect(await statusOf(delivery)).to.include({ status: 'dead' });
      expect((await hatif('webhooks', 'deliveries', endpoint, '--status', 'lost')).code).to.equal(2);
      expect((await hatif('webhooks', 'deliveries', endpoint, '--limit', '0')).code).to.equal(1);
    });
  });
});
