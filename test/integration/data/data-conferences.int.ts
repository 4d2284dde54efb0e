import { expect } from 'chai';
import { CallWriter, type CallEffect } from '../../../core/data/call-writer.js';
import { FencedError } from '../../../core/data/errors.js';
import { Conferences } from '../../../core/data/repositories/calls/conferences.js';
import type { CallRow, ConferenceRow, ParticipantRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { callRow, effectOf, groundIn, legRow, type Ground } from '../../support/rows/rows.js';

const AT = new Date('2026-01-31T09:00:00.000Z');
const LATER = new Date('2026-01-31T09:05:00.000Z');

describe('conferences written with their calls', () => {
  let database: TestDatabase;
  let writer: CallWriter;
  let ground: Ground;
  let conferences: Conferences;

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    writer = new CallWriter(database.db);
    conferences = new Conferences(database.db);
    ground = await groundIn(database.db);
  });
  afterEach(() => writer.idle());

  const conferenceRow = (changes: Partial<ConferenceRow> = {}): ConferenceRow => ({
    id: newId(),
    organization_id: ground.organizationId,
    project_id: ground.projectId,
    engine_id: ground.engineId,
    sandbox: false,
    name: 'talk',
    max_participants: 20,
    created_at: AT,
    ended_at: null,
    emptied_at: null,
    ...changes,
  });

  /** A call that joins, as its owner writes it. */
  function joining(conference: ConferenceRow): { call: CallRow; participant: ParticipantRow; effect: CallEffect } {
    const call = callRow(ground, { conference_id: conference.id });
    const leg = legRow(call.id);
    const participant: ParticipantRow = {
      id: newId(),
      conference_id: conference.id,
      call_id: call.id,
      leg_id: leg.id,
      leg: 'customer',
      start_on_enter: true,
      end_on_exit: false,
      beep: false,
      requested_by: null,
      request_id: newId(),
      joined_at: AT,
      left_at: null,
    };
    const effect = effectOf(call, { legs: [leg], conferences: [conference], participants: [participant] });
    return { call, participant, effect };
  }
  const stored = async (id: string): Promise<ConferenceRow | null> => conferences.find(id);

  it('the furthest state is kept if several calls of one batch contain the same conference, in any order', async () => {
    const open = conferenceRow();
    const closed = { ...open, ended_at: AT };
    const emptied = { ...closed, emptied_at: LATER };
    const effects = [open, emptied, closed, open].map((row) => joining(row).effect);
    await Promise.all(effects.map((effect) => writer.commit(effect)));
    expect(await stored(open.id)).to.deep.equal(emptied);
    expect(await conferences.participantsOf([open.id])).to.have.length(4);
  });

  it('an ended conference stays ended, and participants who left stay out', async () => {
    const open = conferenceRow();
    const { call, participant, effect } = joining(open);
    await writer.commit(effect);
    const left = { ...participant, left_at: AT };
    const over = { ...open, ended_at: AT, emptied_at: AT };
    const next = { ...call, last_sequence: call.last_sequence + 1 };
    await writer.commit(effectOf(next, { conferences: [over], participants: [left] }));
    const later = { ...over, ended_at: LATER, emptied_at: LATER };
    const again = { ...next, last_sequence: next.last_sequence + 1 };
    await writer.commit(effectOf(again, { conferences: [later], participants: [participant] }));
    expect(await stored(open.id)).to.deep.equal(over);
    const [known] = await conferences.participantsOf([open.id]);
    expect(known).to.deep.include(left);
  });

  it('a new owner finds conferences that are not empty, with all their participants', async () => {
    const [open, closed] = [conferenceRow(), conferenceRow({ ended_at: AT })];
    const empty = conferenceRow({ ended_at: AT, emptied_at: AT });
    const joined = [open, closed, empty].map(joining);
    for (const { effect } of joined) await writer.commit(effect);
    const found = await conferences.unfinished(ground.engineId);
    expect(found.map(({ conference }) => conference)).to.deep.equal([open, closed]);
    expect(found.map(({ participants }) => participants)).to.deep.equal([
      [joined[0]!.participant],
      [joined[1]!.participant],
    ]);
    expect(await conferences.unfinished(newId())).to.deep.equal([]);
  });

  it('an owner that lost its engine writes nothing', async () => {
    const open = conferenceRow();
    const { effect } = joining(open);
    await database.db.query('UPDATE engines SET epoch = epoch + 1 WHERE id = $1', [ground.engineId]);
    expect(await failureOf(writer.commit(effect))).to.be.instanceOf(FencedError);
    expect(await stored(open.id)).to.equal(null);
  });

  it('an effect of a version without conferences is still written', async () => {
    const { call, effect } = joining(conferenceRow());
    const { conferences: _, participants: __, ...old } = effect;
    await writer.commit(old as CallEffect);
    expect(await database.db.query('SELECT 1 FROM calls WHERE id = $1', [call.id])).to.have.length(1);
  });
});
