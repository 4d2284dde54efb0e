import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { upgradeEach, type UpgradeStage } from '../../support/stages/upgrade-stage.js';
import { groundIn, insertRows } from '../../support/rows/rows.js';

describe('numbers and audio of the release before they had a kind', function () {
  this.timeout(60_000);
  let db: UpgradeStage['db'];
  let ground: UpgradeStage['ground'];
  let upgrade: UpgradeStage['upgrade'];
  let downgrade: UpgradeStage['downgrade'];
  upgradeEach('0065', (stage) => ({ db, ground, upgrade, downgrade } = stage));

  /** An audio file that these flows play. */
  async function insertAudio(projectId: string, flows: readonly { sandbox: boolean }[]): Promise<string> {
    const [id, at] = [newId(), new Date()];
    const file = { id, project_id: projectId, name: 'tone', duration_ms: 1, bytes: 1, created_at: at };
    await insertRows(db, 'audio_files', [file]);
    for (const { sandbox } of flows) {
      const owner = { organization_id: ground.organizationId, project_id: projectId };
      const flow = { id: newId(), ...owner, sandbox, name: 'flow', kind: 'graph', status: 'draft', version: 1 };
      const rest = { uses: { audio: [id] }, created_at: at, updated_at: at };
      await insertRows(db, 'callflows', [{ ...flow, ...rest }]);
    }
    return id;
  }

  it('are live, except audio that nothing but the sandbox plays', async () => {
    const [live, own] = [{ sandbox: false }, { sandbox: true }];
    const ofSandbox = await insertAudio(ground.projectId, [own]);
    const others = [
      await insertAudio(ground.projectId, []),
      await insertAudio(ground.projectId, [live]),
      await insertAudio(ground.projectId, [live, own]),
    ];
    const other = await groundIn(db);
    await db.query(`UPDATE organizations SET account_kind = 'sandbox' WHERE id = $1`, [other.organizationId]);
    const ofAccount = await insertAudio(other.projectId, []);
    await upgrade();
    const rows = await db.query<{ id: string; sandbox: boolean }>('SELECT id, sandbox FROM audio_files');
    expect(rows).to.have.deep.members([
      ...[ofSandbox, ofAccount].map((id) => ({ id, sandbox: true })),
      ...others.map((id) => ({ id, sandbox: false })),
    ]);
  });

  it('can also exist in sandboxes, which an earlier release does not see', async () => {
    await upgrade();
    const { organizationId: organization_id, projectId: project_id } = ground;
    const row = { organization_id, project_id, e164: '+966112345678', kind: 'geographic', state: 'assigned' };
    const number = (sandbox: boolean) => ({ id: newId(), ...row, source: 'own', sandbox, created_at: new Date() });
    await insertRows(db, 'numbers', [number(false), number(true)]);
    for (const sandbox of [false, true]) {
      const again = await insertRows(db, 'numbers', [number(sandbox)]).catch((error: unknown) => error);
      expect(again).to.be.instanceOf(Error);
    }
    await downgrade();
    expect(await db.query('SELECT e164 FROM numbers')).to.deep.equal([{ e164: row.e164 }]);
    await upgrade();
  });
});
