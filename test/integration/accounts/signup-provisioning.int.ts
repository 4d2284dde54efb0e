import { expect } from 'chai';
import { EngineError } from '../../../core/ports/engine.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { SignupStage, TABLES } from '../../support/stages/accounts/signup-stage.js';
import { SoftphoneEngine } from '../../support/stages/accounts/softphone-engine.js';
import { codeOf } from '../../support/judges/outcome.js';

describe('The provisioning of a sign-up', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let stage: SignupStage;

  beforeEach(async () => {
    database = await testDatabase();
    stage = await SignupStage.open(database);
  });
  afterEach(async () => {
    await stage.close();
    await database.close();
  });

  const softphones = (): number[] => stage.engines.map((engine) => engine.softphones.size);

  it('is undone if one engine refuses the softphone; the link works later', async () => {
    const [first, second] = stage.engines;
    const token = await stage.begun(stage.form());
    const before = await stage.counts();
    second!.refusal = new EngineError('rejected', 'no more endpoints');
    expect(codeOf(await stage.confirm(token))).to.equal('502 PBX_PROVISIONING_FAILED');
    expect(await stage.counts()).to.deep.equal(before);
    expect(first!.softphones.size).to.equal(0);
    second!.refusal = null;
    expect(codeOf(await stage.confirm(token))).to.equal('201');
    expect(softphones()).to.deep.equal([1, 1]);
  });

  it('gives an engine its softphone back that was compared with the tables too early', async () => {
    const token = await stage.begun(stage.form());
    const send = stage.bus.send.bind(stage.bus);
    stage.bus.send = async (...command) => {
      const outcome = await send(...command);
      for (const engine of stage.engines) await engine.sync();
      return outcome;
    };
    expect(codeOf(await stage.confirm(token))).to.equal('201');
    expect(softphones()).to.deep.equal([1, 1]);
  });

  it('does not wait for an engine that is away, which gets the softphone later', async () => {
    const token = await stage.begun(stage.form());
    const [first, second] = stage.engines;
    await second!.stop();
    second!.softphones.clear();
    expect(codeOf(await stage.confirm(token))).to.equal('201');
    expect(first!.softphones.size).to.equal(1);
    const back = await SoftphoneEngine.start(database.db, stage.bus, 'second');
    stage.engines.push(back);
    expect([...back.softphones.keys()]).to.deep.equal([...first!.softphones.keys()]);
  });

  it('fails if no engine accepts the softphone within ten seconds', async () => {
    const token = await stage.begun(stage.form());
    const before = await stage.counts();
    for (const engine of stage.engines) await engine.stop();
    const answer = stage.confirm(token);
    const answered = answer.then(() => true);
    const soon = (): Promise<false> => new Promise((resolve) => setImmediate(() => resolve(false)));
    const { clock } = stage.accounts;
    const since = clock.monotonicMs();
    while (!(await Promise.race([answered, soon()]))) await clock.step();
    expect(codeOf(await answer)).to.equal('502 PBX_PROVISIONING_FAILED');
    expect(clock.monotonicMs() - since).to.be.within(10_000, 11_000);
    expect(await stage.counts()).to.deep.equal(before);
  });

  it('is all or nothing, whichever row cannot be written', async () => {
    const token = await stage.begun(stage.form());
    const before = await stage.counts();
    await database.db.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$`,
    );
    for (const table of TABLES) {
      await database.db.query(
        `CREATE TRIGGER refusing BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
      );
      expect([table, codeOf(await stage.confirm(token))]).to.deep.equal([table, '500 SIGNUP_FAILED']);
      await database.db.query(`DROP TRIGGER refusing ON ${table}`);
      expect(await stage.counts()).to.deep.equal(before);
      expect(softphones()).to.deep.equal([0, 0]);
      // Ten tries of a sign-up in a quarter of an hour.
      await stage.accounts.clock.advance(15 * 60_000 + 2_000);
    }
    expect(codeOf(await stage.confirm(token))).to.equal('201');
    expect(softphones()).to.deep.equal([1, 1]);
  });

  it('leaves no softphone behind if the process dies before the rows are written', async () => {
    const [first] = stage.engines;
    const { id } = (await stage.stores.engines.list()).find(({ name }) => name === 'first')!;
    const password = TEST_CIPHER.seal('a password that nobody got');
    const command = { type: 'accept_softphone', aor: '1001-orphan', displayName: '1001', password } as const;
    expect(await stage.bus.send(id, command)).to.deep.equal({ result: 'done' });
    expect([...first!.softphones.keys()]).to.deep.equal(['1001-orphan']);
    await first!.sync();
    expect(first!.softphones.size).to.equal(0);
  });
});
