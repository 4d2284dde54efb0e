import { expect } from 'chai';
import { SipSubscriptions } from '../../../core/data/repositories/sip/subscriptions.js';
import { SipContacts } from '../../../core/data/repositories/sip/contacts.js';
import type { CallRow, LegRow, SipSubscriptionRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { newAgentRow } from '../../../core/services/agents/new-agent.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { contactRow } from '../../support/peers/sip/request.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { callRow, groundIn, insertRows, legRow, type Ground } from '../../support/rows/rows.js';

describe('subscriptions at the edge', () => {
  let database: TestDatabase;
  let ground: Ground;
  let subscriptions: SipSubscriptions;
  let contacts: SipContacts;

  before(async function () {
    this.timeout(30_000);
    database = await testDatabase();
    subscriptions = new SipSubscriptions(database.db);
    contacts = new SipContacts(database.db);
    ground = await groundIn(database.db);
    const owner = { id: ground.projectId, organization_id: ground.organizationId };
    const rows = ['1001', '1002'].map((user) => newAgentRow(owner, user, 'Reem', TEST_CIPHER, new Date()).row);
    await insertRows(database.db, 'agents', rows);
  });
  after(() => database.close());
  beforeEach(() => database.db.query('TRUNCATE sip_subscriptions, sip_contacts'));

  const row = (changes: Partial<SipSubscriptionRow> = {}): SipSubscriptionRow => ({
    ...{ id: newId(), aor: '1001', target: '1002', package: 'dialog', event: 'dialog' },
    ...{ call_id: newId(), local: '<sip:1002@hatif>;tag=edge', remote: '<sip:1001@hatif>;tag=phone' },
    ...{ contact: 'sip:1001@192.0.2.10', flow: '', routes: [], hop_host: '127.0.0.1', hop_port: 5060 },
    ...{ remote_cseq: 1, local_cseq: 1, version: 0, state: null, unanswered_since: null },
    expires_at: new Date(Date.now() + 60_000),
    ...changes,
  });
  const added = async (changes: Partial<SipSubscriptionRow> = {}): Promise<SipSubscriptionRow> => {
    const stored = await subscriptions.add(row(changes), 10);
    if (stored === null) throw new Error('not added');
    return stored;
  };
  const states = (rows: readonly SipSubscriptionRow[]): unknown[] =>
    rows.map(({ id, state, version, local_cseq }) => [id, state, version, local_cseq]);

  /** A call in which `1002` has a leg. */
  async function called(call: Partial<CallRow>, leg: Partial<LegRow>): Promise<string> {
    const inserted = callRow(ground, call);
    await insertRows(database.db, 'calls', [inserted]);
    const endpoint = { type: 'softphone', aor: '1002' };
    await insertRows(database.db, 'legs', [legRow(inserted.id, { role: 'agent', endpoint, ...leg })]);
    return inserted.id;
  }
  const becomes = (callId: string, status: LegRow['status']): Promise<unknown> =>
    database.db.query('UPDATE legs SET status = $2 WHERE call_id = $1', [callId, status]);
  const lamp = async (): Promise<string | null | undefined> => (await subscriptions.takeChangedLamps())[0]?.state;

  it('show the busy state once, and then only when it changes', async () => {
    const { id } = await added();
    expect(states(await subscriptions.takeChangedLamps())).to.deep.equal([[id, 'terminated', 1, 2]]);
    expect(await lamp()).to.equal(undefined);
    const callId = await called({}, { status: 'ringing' });
    expect(states(await subscriptions.takeChangedLamps())).to.deep.equal([[id, 'early recipient', 2, 3]]);
    await becomes(callId, 'answered');
    expect(await lamp()).to.equal('confirmed');
    const another = await called({}, { status: 'ringing' });
    expect(await lamp(), 'still on the telephone').to.equal(undefined);
    await becomes(callId, 'ended');
    expect(await lamp()).to.equal('early recipient');
    await becomes(another, 'ended');
    expect(await lamp()).to.equal('terminated');
  });

  it('show who calls as the one who calls, and nothing of the sandbox', async () => {
    await added();
    await lamp();
    const sandbox = await called({ sandbox: true }, { status: 'answered' });
    expect(await lamp()).to.equal(undefined);
    const callId = await called({ program: { type: 'dial_out' } }, { status: 'ringing' });
    expect(await lamp()).to.equal('early initiator');
    await Promise.all([sandbox, callId].map((each) => becomes(each, 'ended')));
  });

  it('are taken by one process only, and again if that one does not send', async () => {
    const { id } = await added();
    const [one, other] = await Promise.all([subscriptions.takeChangedLamps(), subscriptions.takeChangedLamps()]);
    expect(one.length + other.length).to.equal(1);
    const old = `UPDATE sip_subscriptions SET unanswered_since = now() - interval '41 seconds'`;
    await database.db.query(old);
    const [again] = await subscriptions.takeChangedLamps();
    expect(states([again!])).to.deep.equal([[id, 'terminated', 2, 3]]);
    await database.db.query(old);
    // The answer to another notification says nothing about the last one.
    await subscriptions.answered({ id, local_cseq: 2 });
    const [third] = await subscriptions.takeChangedLamps();
    await database.db.query(old);
    await subscriptions.answered(third!);
    expect(await subscriptions.takeChangedLamps()).to.deep.equal([]);
  });

  it('show the waiting messages of the subscriber', async () => {
    const { id } = await added({ target: '1001', package: 'message-summary' });
    expect(await subscriptions.targets('message-summary')).to.deep.equal(['1001']);
    expect(states(await subscriptions.takeChangedMessages(new Map()))).to.deep.equal([[id, '0/0', 1, 2]]);
    const [changed] = await subscriptions.takeChangedMessages(new Map([['1001', '2/1']]));
    expect(changed?.state).to.equal('2/1');
    expect(await subscriptions.takeChangedMessages(new Map([['1001', '2/1']]))).to.deep.equal([]);
  });

  it('are stored once if the phone repeats its request, and not without end', async () => {
    const first = await added({ call_id: 'same' });
    const second = await added({ call_id: 'same', remote_cseq: 2, local: 'another tag' });
    expect([second.id, second.local, second.remote_cseq]).to.deep.equal([first.id, first.local, 2]);
    expect(await subscriptions.add(row(), 1)).to.equal(null);
  });

  it('are prolonged by later requests, and end', async () => {
    const { id, call_id } = await added();
    await lamp();
    const later = { id, call_id, contact: 'sip:1001@192.0.2.11', expires_at: new Date(Date.now() + 90_000) };
    expect(await subscriptions.refresh({ ...later, remote_cseq: 2 })).to.equal(true);
    expect(await subscriptions.refresh({ ...later, remote_cseq: 1 })).to.equal(false);
    expect(await subscriptions.refresh({ ...later, call_id: 'of another', remote_cseq: 3 })).to.equal(false);
    expect(await lamp(), 'sent again after each request').to.equal('terminated');
    await database.db.query(`UPDATE sip_subscriptions SET expires_at = now() - interval '1 second'`);
    expect(await subscriptions.refresh({ ...later, remote_cseq: 3 })).to.equal(false);
    expect((await subscriptions.removeExpired()).map((each) => each.local_cseq)).to.deep.equal([4]);
    expect(await subscriptions.remove(id)).to.equal(null);
  });

  it('go with the agents of both sides', async () => {
    const owner = { id: ground.projectId, organization_id: ground.organizationId };
    const rows = ['1003'].map((user) => newAgentRow(owner, user, 'Sami', TEST_CIPHER, new Date()).row);
    await insertRows(database.db, 'agents', rows);
    const [mine, theirs] = [await added({ aor: '1003' }), await added({ target: '1003' })];
    await database.db.query(`DELETE FROM agents WHERE aor = '1003'`);
    expect([await subscriptions.remove(mine.id), await subscriptions.remove(theirs.id)]).to.deep.equal([null, null]);
  });

  it('are not needed to learn of waiting messages', async () => {
    const valid = { refreshed_at: new Date(), expires_at: new Date(Date.now() + 60_000) };
    const uri = 'sip:1001@192.0.2.10';
    const change = { put: [contactRow({ ...valid, uri, key: 'a' })], remove: [] };
    expect(await contacts.write([{ aor: '1001', known: [], change }])).to.deep.equal([true]);
    expect(await contacts.takeChangedMessages(new Map()), 'nothing waits').to.deep.equal([]);
    const one = new Map([['1001', '1/0']]);
    expect((await contacts.takeChangedMessages(one)).map(({ messages }) => messages)).to.deep.equal(['1/0']);
    expect(await contacts.takeChangedMessages(one)).to.deep.equal([]);
    await added({ target: '1001', package: 'message-summary', contact: uri });
    expect(await contacts.takeChangedMessages(new Map()), 'the subscription tells it').to.deep.equal([]);
  });
});
