import { expect } from 'chai';
import type { EventRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { eventOf, callRow, groundIn, insertProject, insertRows } from '../../support/rows/rows.js';
import { upgradeEach, type UpgradeStage } from '../../support/stages/upgrade-stage.js';

interface EndpointState {
  readonly id: string;
  readonly sandbox: boolean;
  readonly url: string;
  readonly secret: string;
}

describe('webhook endpoints of the release before they had a kind', function () {
  this.timeout(60_000);
  let db: UpgradeStage['db'];
  let ground: UpgradeStage['ground'];
  let upgrade: UpgradeStage['upgrade'];
  let downgrade: UpgradeStage['downgrade'];
  upgradeEach('0056', (stage) => ({ db, ground, upgrade, downgrade } = stage));
  const endpoints = (): Promise<EndpointState[]> =>
    db.query<EndpointState>('SELECT id, sandbox, url, secret FROM webhook_endpoints ORDER BY sandbox, id');

  /** An endpoint as the previous release writes it. */
  async function insertEndpoint(projectId = ground.projectId): Promise<string> {
    const id = newId();
    const url = `https://example.com/${id}`;
    const row = { id, project_id: projectId, url, events: ['*'], secret: 'sealed', status: 'enabled' };
    await insertRows(db, 'webhook_endpoints', [{ ...row, created_at: new Date() }]);
    return id;
  }

  /** A key that may have placed sandbox calls. */
  async function insertKey(kind: 'live' | 'sandbox', revokedAt: Date | null = null): Promise<void> {
    const { organizationId: organization_id, projectId: project_id } = ground;
    const row = { id: newId(), organization_id, project_id, name: 'Key', kind, prefix: 'sk_', hash: newId() };
    const rest = { scopes: [], allowed_ips: [], created_at: new Date(), revoked_at: revokedAt };
    await insertRows(db, 'api_keys', [{ ...row, ...rest }]);
  }

  /** A pending delivery of an event. */
  async function insertDelivery(endpointId: string, sandbox: boolean): Promise<string> {
    const event: EventRow = eventOf(callRow(ground), { call_id: null, sequence: null, sandbox });
    await insertRows(db, 'events', [event]);
    await db.query(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint_id, lane, project_id, next_attempt_at)
       VALUES (uuid_v7(), $1, $2::uuid, $2::uuid::text, $3, now())`,
      [event.id, endpointId, ground.projectId],
    );
    return event.id;
  }

  it('are live in a production account and of the sandbox in a sandbox account', async () => {
    const live = await insertEndpoint();
    const other = await groundIn(db);
    await db.query(`UPDATE organizations SET account_kind = 'sandbox' WHERE id = $1`, [other.organizationId]);
    const sandbox = await insertEndpoint(other.projectId);
    await upgrade();
    expect((await endpoints()).map(({ id, sandbox: is }) => [id, is])).to.deep.equal([
      [live, false],
      [sandbox, true],
    ]);
  });

  it('get a twin of the other kind, with the same secret, if a key can cause its events', async () => {
    await insertKey('live');
    await insertKey('sandbox');
    const id = await insertEndpoint();
    const idle = await insertEndpoint(await insertProject(db, ground.organizationId));
    await upgrade();
    const [first, second, twin, ...rest] = await endpoints();
    expect([first?.id, second?.id]).to.have.members([id, idle]);
    const { url, secret } = first?.id === id ? first : second!;
    expect(twin).to.include({ url, secret, sandbox: true });
    expect(rest).to.deep.equal([]);
  });

  it('get no twin for a revoked key', async () => {
    await insertKey('sandbox', new Date());
    const id = await insertEndpoint();
    await upgrade();
    expect((await endpoints()).map((row) => row.id)).to.deep.equal([id]);
  });

  it('leave the deliveries of the other kind to their twin', async () => {
    const id = await insertEndpoint();
    const live = await insertDelivery(id, false);
    const simulated = await insertDelivery(id, true);
    await upgrade();
    const [kept, twin] = await endpoints();
    const rows = await db.query('SELECT event_id, endpoint_id, lane, status FROM webhook_deliveries ORDER BY event_id');
    expect(rows).to.have.deep.members([
      { event_id: live, endpoint_id: kept?.id, lane: kept?.id, status: 'pending' },
      { event_id: simulated, endpoint_id: twin?.id, lane: twin?.id, status: 'pending' },
    ]);
    await downgrade();
    const back = await db.query<{ endpoint_id: string }>('SELECT endpoint_id FROM webhook_deliveries');
    expect(back.map(({ endpoint_id }) => endpoint_id)).to.deep.equal([id, id]);
    await upgrade();
  });

  it('are of the account’s kind if the previous release still creates them', async () => {
    await upgrade();
    const id = await insertEndpoint();
    expect(await endpoints()).to.deep.include({
      id,
      sandbox: false,
      url: `https://example.com/${id}`,
      secret: 'sealed',
    });
  });
});
