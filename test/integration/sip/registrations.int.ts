import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RedisSipMemory } from '../../../adapters/sip/redis-memory.js';
import { SipContacts } from '../../../core/data/repositories/sip/contacts.js';
import type { SipContactRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { SipNotice } from '../../../core/ports/sip/memory.js';
import { newAgentRow } from '../../../core/services/agents/new-agent.js';
import { Location } from '../../../sip/registrar/location.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { quiet } from '../../support/logger.js';
import { contactRow } from '../../support/peers/sip/request.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { insertRows, ownerIn } from '../../support/rows/rows.js';

describe('registrations at the edge', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let redis: TestRedis;
  let contacts: SipContacts;
  let connections: Redis[];
  let memory: RedisSipMemory;
  let location: Location;
  /** Unique, because tests share Redis. */
  let aor: string;

  before(async () => {
    [database, redis] = await Promise.all([testDatabase(), testRedis()]);
    contacts = new SipContacts(database.db);
  });
  after(async () => {
    await database.close();
    await redis.close();
  });
  beforeEach(async () => {
    connections = [new Redis(redis.url, { maxRetriesPerRequest: 1 }), new Redis(redis.url)];
    await Promise.all(connections.map((connection) => connection.ping()));
    memory = new RedisSipMemory(connections[0]!, connections[1]!, quiet);
    location = new Location({ contacts, memory, clock: systemClock });
    aor = await newPhone('phone');
  });
  afterEach(() => connections.forEach((connection) => connection.disconnect()));

  const newPhone = async (name: string): Promise<string> => {
    const owner = await ownerIn(database.db);
    const project = { id: owner.projectId, organization_id: owner.organizationId };
    const { row } = newAgentRow(project, '1001', 'Reem', TEST_CIPHER, new Date());
    const unique = `${name}-${newId()}`;
    await insertRows(database.db, 'agents', [{ ...row, aor: unique }]);
    return unique;
  };
  const contact = (name: string, seconds = 60, changes: Partial<SipContactRow> = {}): SipContactRow => ({
    ...contactRow({ aor, key: name, uri: `sip:${name}@192.0.2.10:5062` }),
    refreshed_at: new Date(),
    expires_at: new Date(Date.now() + seconds * 1000),
    ...changes,
  });
  const names = (rows: readonly SipContactRow[]): string[] => rows.map(({ key }) => key).sort();
  const put = (...put: SipContactRow[]): Promise<readonly SipContactRow[]> =>
    location.change(aor, () => ({ put, remove: [] }));

  it('are found by another process, and without Redis', async () => {
    await put(contact('a', 60, { instance: '<urn:uuid:1>', path: ['sip:p.example;lr'], user_agent: 'phone' }));
    await put(contact('b'));
    const other = new Location({ contacts: new SipContacts(database.db), memory, clock: systemClock });
    const found = await other.of(aor);
    expect(names(found)).to.deep.equal(['a', 'b']);
    for (const connection of connections) connection.disconnect();
    expect(await other.of(aor)).to.deep.equal(found);
  });

  it('are read from the copy in Redis, whose times are times again', async () => {
    const [written] = await put(contact('a'));
    await database.db.query('DELETE FROM sip_contacts WHERE aor = $1', [aor]);
    expect(await location.of(aor)).to.deep.equal([written]);
  });

  it('end at their time, also in the copy, and the platform is notified', async () => {
    const notices: SipNotice[] = [];
    let told: () => void = () => undefined;
    const unfollow = memory.follow((notice) => {
      if (notice.type !== 'registration' || notice.aor !== aor) return;
      notices.push(notice);
      told();
    });
    const next = (): Promise<void> => new Promise((resolve) => (told = resolve));
    // Resolves after the subscription that `follow` began.
    await connections[1]!.subscribe('another channel');
    const registered = next();
    await put(contact('a'));
    await registered;
    expect(names(await location.of(aor))).to.deep.equal(['a']);
    const ended = next();
    await database.db.query(`UPDATE sip_contacts SET expires_at = now() - interval '1 second' WHERE aor = $1`, [aor]);
    await location.sweep();
    await ended;
    expect(await location.of(aor)).to.deep.equal([]);
    expect(notices).to.deep.equal([
      { type: 'registration', aor, registered: true },
      { type: 'registration', aor, registered: false },
    ]);
    unfollow();
  });

  it('are written together, and the one that cannot be written keeps no other from it', async () => {
    const aors = await Promise.all(['a', 'b', 'c'].map(newPhone));
    const put = (of: string, changes: Partial<SipContactRow> = {}): Promise<readonly SipContactRow[]> =>
      location.change(of, () => ({ put: [contact('x', 60, { ...changes, aor: of })], remove: [] }));
    const outcomes = await Promise.allSettled([put(aors[0]!), put(aors[1]!, { user_agent: 'a\0b' }), put(aors[2]!)]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(await Promise.all(aors.map(async (of) => names(await contacts.of(of))))).to.deep.equal([['x'], [], ['x']]);
  });

  it('are changed by two processes at the same time', async () => {
    const aors = await Promise.all(Array.from({ length: 20 }, (_, at) => newPhone(String(at))));
    const other = new Location({ contacts: new SipContacts(database.db), memory, clock: systemClock });
    const changed = (by: Location, name: string) => (of: string) =>
      by.change(of, () => ({ put: [contact(name, 60, { aor: of })], remove: [] }));
    await Promise.all([...aors.map(changed(location, 'a')), ...[...aors].reverse().map(changed(other, 'b'))]);
    for (const of of aors) expect(names(await contacts.of(of))).to.deep.equal(['a', 'b']);
  });

  it('are changed one request after another, and not at all by a refused one', async () => {
    const counts = await Promise.all(
      ['a', 'b', 'c', 'd'].map(
        async (name) => (await location.change(aor, () => ({ put: [contact(name)], remove: [] }))).length,
      ),
    );
    expect(counts.sort()).to.deep.equal([1, 2, 3, 4]);
    const refused = location.change(aor, () => {
      throw new Error('refused');
    });
    expect(await refused.catch((error: unknown) => String(error))).to.contain('refused');
    expect(names(await contacts.of(aor))).to.deep.equal(['a', 'b', 'c', 'd']);
    await location.change(aor, () => ({ put: [], remove: ['a', 'b', 'c', 'd'] }));
    expect(await contacts.registered()).not.to.include(aor);
  });

  it('are decided again from the database if the copy is out of date', async () => {
    await put(contact('a'));
    const copy = (await memory.read(`contacts:${aor}`))!;
    await put(contact('b'));
    await memory.write(`contacts:${aor}`, copy, 30_000);
    const seen: string[][] = [];
    const after = await location.change(aor, (known) => {
      seen.push(names(known));
      if (known.length === 1) throw new Error('the copy says too little');
      return { put: [contact('c')], remove: ['a'] };
    });
    expect(seen).to.deep.equal([['a'], ['a', 'b']]);
    expect(names(after)).to.deep.equal(['b', 'c']);
    expect(names(await contacts.of(aor))).to.deep.equal(['b', 'c']);
  });

  it('of a phone that is gone end, unless it has registered again', async () => {
    await put(contact('a'), contact('b'));
    const gone = (await location.of(aor)).find(({ key }) => key === 'a')!;
    await put({ ...gone, refreshed_at: new Date(gone.refreshed_at.getTime() + 1_000) });
    await location.drop(gone);
    expect(names(await location.of(aor)), 'registered again').to.deep.equal(['a', 'b']);
    await location.drop((await location.of(aor)).find(({ key }) => key === 'a')!);
    expect(names(await location.of(aor))).to.deep.equal(['b']);
  });

  it('go with their agent', async () => {
    await put(contact('a'));
    expect(await contacts.registered()).to.include(aor);
    expect(await contacts.isSource('192.0.2.10')).to.equal(true);
    await database.db.query('DELETE FROM agents WHERE aor = $1', [aor]);
    expect(await contacts.of(aor)).to.deep.equal([]);
  });

  it('use each nonce once in all processes, also while Redis is away', async () => {
    const other = new RedisSipMemory(connections[0]!, connections[1]!, quiet);
    const nonce = newId();
    expect(await memory.useNonce(nonce, 1, 10_000)).to.equal(true);
    expect(await other.useNonce(nonce, 1, 10_000)).to.equal(false);
    expect(await other.useNonce(nonce, 2, 10_000)).to.equal(true);
    expect(await memory.useNonce(nonce, 2, 10_000)).to.equal(false);
    for (const connection of connections) connection.disconnect();
    expect(await memory.useNonce(nonce, 3, 10_000)).to.equal(true);
    expect(await memory.useNonce(nonce, 3, 10_000)).to.equal(false);
  });

  it('count over all processes', async () => {
    const [key, other] = [newId(), new RedisSipMemory(connections[0]!, connections[1]!, quiet)];
    expect([await memory.count(key, 10_000), await other.count(key, 10_000)]).to.deep.equal([1, 2]);
    await memory.remove(key);
    expect(await other.count(key, 10_000)).to.equal(1);
  });
});
