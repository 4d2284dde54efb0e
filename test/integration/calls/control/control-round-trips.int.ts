import { expect } from 'chai';
import { Database } from '../../../../core/data/database.js';
import { documentedRoundTrips } from '../../../support/judges/documented-round-trips.js';
import { statementsAbout } from '../../../support/judges/round-trips.js';
import { Tap } from '../../../support/peers/tap.js';
import { testDatabase, type TestDatabase } from '../../../support/platform/database.js';
import { TransferStage } from '../../../support/stages/transfer-stage.js';

describe('the round trips of a control request', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let tap: Tap;
  let db: Database;
  let stage: TransferStage;

  before(async () => {
    database = await testDatabase();
    const through = await Tap.of(database.url);
    ({ tap } = through);
    db = Database.open(through.url);
    stage = await TransferStage.start({ ...database, db });
  });
  after(async () => {
    await stage.close();
    await db.close();
    await tap.close();
    await database.close();
  });

  it('are those that the documents list: a new one is a decision', async () => {
    const { callId } = await stage.talking();
    const { legs } = stage.rig.engine;
    const muted: string[] = [];
    const mute = legs.mute.bind(legs);
    legs.mute = (legId) => {
      muted.push(legId);
      return mute(legId);
    };
    const before = statementsAbout(tap, [callId]);
    const { status, text } = await stage.post(callId, 'mute');
    expect(status, text).to.equal(200);
    const rows = await stage.rig.calls.find(callId);
    expect(rows).to.include({ muted: true });
    await stage.api.audit.flush();
    const table = documentedRoundTrips('Of one mute', 'Round trips');
    const expected = (table.get('statements before the answer') ?? 0) + (table.get('statements after it') ?? 0);
    // One is this test's.
    expect(statementsAbout(tap, [callId]) - before - 1).to.equal(expected);
    expect(muted.length).to.equal(table.get('commands to the engine'));
  });
});
