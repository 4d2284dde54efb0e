import { expect } from 'chai';
import { EndingStage, type Inhabited } from '../../support/stages/administration/ending-stage.js';

/** More pieces than the work has. */
const MOST_PIECES = 300;
const CLAIM_MS = 5 * 60_000;

class Death extends Error {}

describe('The end of an organization whose process dies', function () {
  this.timeout(180_000);
  let stage: EndingStage;

  before(async () => {
    stage = await EndingStage.open({ KEEP_CDR_YEARS: '0', KEEP_INVOICES_YEARS: '0' });
  });
  after(() => stage.close());

  const db = () => stage.administration.stores.db;

  async function step({ ground }: Inhabited): Promise<string | null> {
    const [row] = await db().query<{ step: string; due_at: Date | null }>(
      'SELECT step, due_at FROM organization_endings WHERE organization_id = $1',
      [ground.organizationId],
    );
    return row?.due_at === null ? null : (row?.step ?? null);
  }

  it('continues at every step, and ends as if nothing had happened', async () => {
    const [one, undisturbed] = [await stage.inhabited(), await stage.inhabited()];
    const usual = await stage.end(undisturbed);
    expect((await stage.delete(one, { name: one.name })).status).to.equal(202);
    const died = new Set<string>();
    for (let deaths = 0; ; deaths += 1) {
      expect(deaths).to.be.lessThan(MOST_PIECES);
      const before = await step(one);
      if (before === null) break;
      died.add(before);
      const [, task] = stage.tasks({
        onPiece: () => {
          throw new Death('killed');
        },
      });
      await task?.run();
      // A killed process gives nothing back: the claim has to end.
      const now = stage.administration.clock.now();
      await db().query(
        `UPDATE organization_endings SET due_at = $2, problem = NULL WHERE organization_id = $1 AND due_at IS NOT NULL`,
        [one.ground.organizationId, new Date(now.getTime() + CLAIM_MS)],
      );
      await stage.administration.clock.advance(CLAIM_MS + 1);
    }
    expect([...died]).to.have.members([
      ...['stop', 'archive', 'files', 'numbers', 'events', 'tables_before_calls', 'call_details', 'tables_after_calls'],
      ...['old_calls', 'old_files', 'settle', 'billing', 'last_tables', 'finish'],
    ]);
    await stage.signInAgain();
    const ended = await stage.ending(one);
    expect(ended.status).to.equal('completed');
    expect(ended.report).to.deep.equal(usual.report);
    for (const organization of [one, undisturbed]) {
      expect(await stage.tablesLeft(organization)).to.have.members(['audit_log', 'organization_endings']);
    }
    const again = await stage.archive(one);
    const whole = await stage.archive(undisturbed);
    const namesIn = (members: Map<string, unknown>) =>
      [...members.keys()].filter((name) => name.startsWith('data/')).sort();
    expect(namesIn(again)).to.deep.equal(namesIn(whole));
  });
});
