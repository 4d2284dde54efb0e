import { expect } from 'chai';
import { newPerson } from '../../support/rows/new-person.js';
import { columnsWith, insertPerson, type Person } from '../../support/rows/person.js';
import { PrivacyStage, type RequestKind } from '../../support/stages/privacy/privacy-stage.js';
import { runMortal } from '../../support/workers/mortal.js';

const PEOPLE = 6;
const DEATHS = [1, 4, 9, 15, 25];

describe('Requests about personal data whose process is killed', function () {
  this.timeout(180_000);
  let stage: PrivacyStage;
  before(async () => (stage = await PrivacyStage.open({ KEEP_CDR_YEARS: '0' })));
  after(() => stage.close());

  /** Runs a process after the claims of the dead one have ended. @returns whether it finished before its death */
  async function work(piecesUntilDeath = Infinity): Promise<boolean> {
    await stage.db.query(`UPDATE privacy_jobs SET due_at = now() WHERE due_at IS NOT NULL`);
    const environment = { DATABASE_URL: stage.members.database.url, FOLDER: stage.folder };
    return runMortal('privacy-worker', environment, piecesUntilDeath);
  }

  it('end as if nothing had happened', async () => {
    const home = await stage.members.organization();
    const ground = await stage.groundOf(home);
    const asked: { readonly kind: RequestKind; readonly person: Person; readonly id: string }[] = [];
    for (let made = 0; made < PEOPLE; made += 1) {
      const person = newPerson();
      const { storageKeys } = await insertPerson(stage.db, ground, person);
      for (const key of storageKeys) await stage.store(key, 'the voice');
      const kind = made % 2 === 0 ? 'exports' : 'erasures';
      const { body } = await stage.ask(kind, home.owner, 'phone', person.phone);
      asked.push({ kind, person, id: String(body?.id) });
    }
    for (const pieces of DEATHS) expect(await work(pieces), `killed after ${pieces}`).to.equal(false);
    expect(await work()).to.equal(true);

    const reports = { exports: new Set<string>(), erasures: new Set<string>() };
    for (const { kind, person, id } of asked) {
      const { status, report } = await stage.read(kind, home.owner, id);
      expect(status).to.equal('completed');
      reports[kind].add(JSON.stringify(report));
      if (kind === 'erasures') {
        expect(await columnsWith(stage.db, person.phone)).to.deep.equal(['blocked_callers.number']);
      }
    }
    // All people have the same rows, so nothing was counted twice or forgotten.
    expect(reports.exports.size, [...reports.exports].join('\n')).to.equal(1);
    expect(reports.erasures.size, [...reports.erasures].join('\n')).to.equal(1);
  });
});
