import { expect } from 'chai';
import { newPerson } from '../../support/rows/new-person.js';
import { columnsWith, insertPerson } from '../../support/rows/person.js';
import { type Ground } from '../../support/rows/rows.js';
import type { TestOrganization } from '../../support/stages/accounts/organization-stage.js';
import { PrivacyStage, type ShownRequest } from '../../support/stages/privacy/privacy-stage.js';

/** More pieces than the work has. */
const MOST_PIECES = 60;
const CLAIM_MS = 5 * 60_000;

class Death extends Error {}

/** Dies after this many pieces of work. */
function dyingAfter(pieces: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (done === pieces) throw new Death('killed');
  };
}

describe('Requests about personal data whose process dies', function () {
  this.timeout(120_000);
  let stage: PrivacyStage;
  let home: TestOrganization;
  let ground: Ground;

  before(async () => {
    stage = await PrivacyStage.open({ KEEP_CDR_YEARS: '0' });
  });
  after(() => stage.close());
  beforeEach(async () => {
    home = await stage.members.organization();
    ground = await stage.groundOf(home);
  });

  /**
   * Does the work, with a death after each piece: nobody gives the claim back. A small archive has many files.
   * @returns how many processes died
   */
  async function workAndDie(): Promise<number> {
    for (let deaths = 0; deaths < MOST_PIECES; deaths += 1) {
      const before = await due();
      if (before === 0) return deaths;
      await dying();
      await stage.clock.advance(CLAIM_MS + 1);
    }
    throw new Error('the work has no end');
  }

  async function due(): Promise<number> {
    return (await stage.db.query('SELECT 1 FROM privacy_jobs WHERE due_at IS NOT NULL')).length;
  }

  /** One process that dies: as with `kill -9`, what the error handling would record is lost, too. */
  async function dying(): Promise<void> {
    const [task] = stage.tasks({ onPiece: dyingAfter(1), partBytes: 1 });
    const [before] = await stage.db.query<{ id: string; due_at: Date }>(
      'SELECT id, due_at FROM privacy_jobs WHERE due_at IS NOT NULL',
    );
    await task?.run().catch((error: unknown) => {
      if (!(error instanceof Death)) throw error;
    });
    // The error handling has postponed it; a killed process would have left the claim.
    await stage.db.query(`UPDATE privacy_jobs SET due_at = $2, problem = NULL WHERE id = $1 AND due_at IS NOT NULL`, [
      before?.id,
      new Date(stage.clock.now().getTime() + CLAIM_MS),
    ]);
  }

  const total = ({ report }: ShownRequest, what: 'exported' | 'erased' | 'anonymised'): number =>
    report.reduce((sum, entry) => sum + entry[what], 0);

  it('are exported once, file by file', async () => {
    const who = newPerson();
    const { storageKeys } = await insertPerson(stage.db, ground, who);
    for (const key of storageKeys) await stage.store(key, `the voice of ${key}`);
    const undisturbed = await stage.done('exports', home, 'phone', who.phone);
    const { body } = await stage.ask('exports', home.owner, 'phone', who.phone);
    const id = String(body?.id);
    expect(await workAndDie()).to.be.greaterThan(5);
    const done = await stage.read('exports', home.owner, id);
    expect(done.status).to.equal('completed');
    expect(done.report).to.deep.equal(undisturbed.report);
    const parts = done.archive?.parts ?? [];
    expect(parts.length).to.be.greaterThan(4);
    const names: string[] = [];
    for (const { part } of parts) {
      const members = await stage.archive(home.owner, `/v1/privacy/exports/${id}/archive`, part);
      names.push(...[...members.keys()].filter((name) => name !== 'about.txt'));
    }
    const whole = await stage.archive(home.owner, `/v1/privacy/exports/${undisturbed.id}/archive`);
    expect(names.sort()).to.deep.equal([...whole.keys()].filter((name) => name !== 'about.txt').sort());
  });

  it('are erased once, whatever was done before', async () => {
    const who = newPerson();
    const { storageKeys } = await insertPerson(stage.db, ground, who);
    for (const key of storageKeys) await stage.store(key, 'the voice');
    const { body } = await stage.ask('erasures', home.owner, 'phone', who.phone);
    expect(await workAndDie()).to.be.greaterThan(10);
    const done = await stage.read('erasures', home.owner, String(body?.id));
    expect(done.status).to.equal('completed');
    expect(await columnsWith(stage.db, who.phone)).to.deep.equal(['blocked_callers.number', 'consents.address']);
    expect(total(done, 'erased')).to.equal(14);
    expect(total(done, 'anonymised')).to.equal(2);
    const removals = await stage.db.query('SELECT 1 FROM recording_removals');
    const stored = await Promise.all(storageKeys.map((key) => stage.isStored(key)));
    // What the dying process did not remove from the storage is left to the sweep of recordings.
    expect(removals.length).to.equal(stored.filter((is) => is).length);
  });

  it('are never done by two processes at the same time', async () => {
    const who = newPerson();
    await insertPerson(stage.db, ground, who);
    const { body } = await stage.ask('erasures', home.owner, 'phone', who.phone);
    const [first] = stage.tasks({
      onPiece: async () => {
        // Another process takes the work over, as if the first one had been away for too long.
        await stage.db.query(`UPDATE privacy_jobs SET due_at = $1 WHERE due_at IS NOT NULL`, [stage.clock.now()]);
        await stage.tasks()[0]?.run();
      },
    });
    await first?.run();
    const done = await stage.read('erasures', home.owner, String(body?.id));
    expect(done.status).to.equal('completed');
    expect(total(done, 'erased')).to.equal(14);
  });

  it('are tried again while the storage is away', async () => {
    const who = newPerson();
    await insertPerson(stage.db, ground, who);
    await stage.db.query(`UPDATE recordings SET storage = 's3' WHERE project_id = $1`, [home.project.id]);
    const { body } = await stage.ask('exports', home.owner, 'phone', who.phone);
    await stage.work();
    const waiting = await stage.read('exports', home.owner, String(body?.id));
    expect(waiting).to.include({ status: 'running', problem: 'storage' });
    await stage.db.query(`UPDATE recordings SET storage = 'local' WHERE project_id = $1`, [home.project.id]);
    await stage.clock.advance(31_000);
    await stage.work();
    expect((await stage.read('exports', home.owner, String(body?.id))).status).to.equal('completed');
  });
});
