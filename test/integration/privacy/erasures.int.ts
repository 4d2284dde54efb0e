import { expect } from 'chai';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import { newId } from '../../../core/model/ids.js';
import { erasureOf } from '../../../core/model/privacy/columns.js';
import { codeOf } from '../../support/judges/outcome.js';
import { columnsWith, insertPerson } from '../../support/rows/person.js';
import { recordingRow } from '../../support/rows/recordings.js';
import { callRow, insertRows, legRow, type Ground } from '../../support/rows/rows.js';
import type { TestOrganization } from '../../support/stages/accounts/organization-stage.js';
import { newPerson } from '../../support/rows/new-person.js';
import { PrivacyStage, type ShownRequest } from '../../support/stages/privacy/privacy-stage.js';

const DAY_MS = 86_400_000;

const of = ({ report }: ShownRequest, category: string) => report.find((entry) => entry.category === category);

describe('Erasures of personal data', function () {
  this.timeout(60_000);
  let stage: PrivacyStage;
  let home: TestOrganization;
  let ground: Ground;

  before(async () => {
    stage = await PrivacyStage.open({ KEEP_CDR_YEARS: '2' });
  });
  after(() => stage.close());
  beforeEach(async () => {
    home = await stage.members.organization();
    ground = await stage.groundOf(home);
  });

  it('leave a number only where the table says that it stays', async () => {
    const who = newPerson();
    await insertPerson(stage.db, ground, who);
    const done = await stage.done('erasures', home, 'phone', who.phone);
    expect(done).to.include({ status: 'completed', problem: null });
    const left = await columnsWith(stage.db, who.phone);
    const stays = left.filter((name) => {
      const [table = '', column = ''] = name.split('.');
      return ['cdr', 'billing', 'audit', 'block', 'in_use', 'expires'].includes(erasureOf(table, column) ?? '');
    });
    expect(left).to.deep.equal(stays);
    expect(left).to.have.members([
      'calls.customer_number',
      'calls.caller_id_number',
      'legs.number',
      'legs.endpoint',
      'charges.number',
      'blocked_callers.number',
      'consents.address',
    ]);
  });

  it('say what was erased, what stays, why, and until when', async () => {
    const who = newPerson();
    const { call, storageKeys } = await insertPerson(stage.db, ground, who);
    for (const key of storageKeys) await stage.store(key, 'the voice');
    const done = await stage.done('erasures', home, 'phone', who.phone);
    expect(of(done, 'recordings')).to.include({ found: 2, erased: 2 });
    expect(of(done, 'voicemails')).to.include({ erased: 1 });
    expect(of(done, 'transcripts')).to.include({ erased: 1 });
    expect(of(done, 'verifications')).to.include({ erased: 1 });
    expect(of(done, 'messages')).to.include({ erased: 2 });
    expect(of(done, 'message_threads')).to.include({ erased: 1 });
    expect(of(done, 'virtual_numbers')).to.include({ anonymised: 1 });
    const until = new Date(call.created_at);
    until.setUTCFullYear(until.getUTCFullYear() + 2);
    expect(of(done, 'calls')).to.deep.nested.include({
      found: 1,
      anonymised: 0,
      'kept[0].reason': 'cdr',
      'kept[0].count': 1,
    });
    expect(of(done, 'calls')?.kept[0]?.until).to.equal(until.toISOString());
    expect(done.kept_until).to.equal(until.toISOString());
    expect(of(done, 'blocked_callers')?.kept[0]).to.deep.include({ reason: 'block', count: 1 });
    expect(of(done, 'opt_outs')?.kept[0]).to.deep.include({ reason: 'opt_out', count: 1 });
    expect(of(done, 'contacts')).to.include({ erased: 1 });
    expect(await Promise.all(storageKeys.map((key) => stage.isStored(key)))).to.deep.equal([false, false]);
    const [number] = await stage.db.query<{ state: string }>(
      `SELECT state FROM numbers WHERE id = (SELECT number_id FROM virtual_numbers WHERE organization_id = $1)`,
      [home.organization.id],
    );
    expect(number?.state).to.equal('quarantined');
    const deleted = await stage.db.query(
      `SELECT 1 FROM audit_log WHERE route = 'privacy erasure' AND organization_id = $1`,
      [home.organization.id],
    );
    expect(deleted).to.have.length(2);
  });

  it('erase what the law keeps when its years end, and then forget who it was', async () => {
    const who = newPerson();
    await insertPerson(stage.db, ground, who);
    const { id } = await stage.done('erasures', home, 'phone', who.phone);
    const [before] = await stage.db.query<{ amount: string }>(
      'SELECT number AS amount FROM charges WHERE number = $1',
      [who.phone],
    );
    expect(before).to.not.equal(undefined);
    await stage.clock.advance(2 * 366 * DAY_MS);
    await stage.work();
    expect(await columnsWith(stage.db, who.phone)).to.deep.equal(['blocked_callers.number', 'consents.address']);
    // What a call cost can still be computed.
    const [charge] = await stage.db.query<{ number: string }>(`SELECT number FROM charges WHERE project_id = $1`, [
      home.project.id,
    ]);
    expect(charge?.number).to.equal(who.phone.slice(0, -4));
    const [job] = await stage.db.query('SELECT subject, due_at, kept_until FROM privacy_jobs WHERE id = $1', [id]);
    expect(job).to.deep.equal({ subject: null, due_at: null, kept_until: null });
    expect(await stage.db.query('SELECT 1 FROM privacy_calls WHERE job_id = $1', [id])).to.deep.equal([]);
    const fresh = await stage.members.member(home.organization);
    const shown = await stage.read('erasures', fresh, id);
    expect(of(shown, 'calls')).to.deep.include({ anonymised: 1, kept: [] });
  });

  it('leave an address, and the organization’s own identifier, nowhere', async () => {
    const who = newPerson();
    await insertPerson(stage.db, ground, who);
    await stage.db.query(
      `INSERT INTO invites (id, organization_id, email, role, locale, token_hash, status, created_at, sent_at, expires_at, decided_at)
       VALUES ($1, $2, $3, 'viewer', 'en', $4, 'revoked', now(), now(), now(), now())`,
      [newId(), home.organization.id, who.email, newId()],
    );
    await stage.done('erasures', home, 'email', who.email);
    expect(await columnsWith(stage.db, who.email)).to.deep.equal([]);
    await stage.done('erasures', home, 'external_id', who.externalId);
    expect(await columnsWith(stage.db, who.externalId)).to.deep.equal([]);
  });

  it('erase project events that name the person', async () => {
    const who = newPerson();
    const event = { id: newId(), organization_id: home.organization.id, project_id: home.project.id, call_id: null };
    const rest = { sequence: null, type: 'webhook.disabled', sandbox: false, recovered: false, created_at: new Date() };
    await insertRows(stage.db, 'events', [{ ...event, ...rest, data: { sent: { to: who.phone } } }]);
    const done = await stage.done('erasures', home, 'phone', who.phone);
    expect(of(done, 'events')).to.include({ found: 1, erased: 1 });
  });

  it('keep recordings under legal hold, and say so', async () => {
    const who = newPerson();
    const { storageKeys } = await insertPerson(stage.db, ground, who);
    for (const key of storageKeys) await stage.store(key, 'the voice');
    await stage.db.query('UPDATE recordings SET legal_hold = true WHERE storage_key = $1', [storageKeys[0]]);
    const done = await stage.done('erasures', home, 'phone', who.phone);
    expect(of(done, 'recordings')).to.deep.nested.include({ found: 2, erased: 1, 'kept[0].reason': 'legal_hold' });
    expect(await stage.isStored(storageKeys[0])).to.equal(true);
  });

  it('erase only the own leg of a call of somebody else', async () => {
    const who = newPerson();
    const customer = '+966500009999';
    const ended = { status: 'ended', ended_at: new Date(), created_at: new Date('2020-01-01') } as const;
    const call = callRow(ground, { ...ended, customer_number: customer });
    const own = legRow(call.id, { status: 'ended', number: customer });
    const joined = legRow(call.id, { status: 'ended', role: 'transfer', number: who.phone });
    await insertRows(stage.db, 'calls', [call]);
    await insertRows(stage.db, 'legs', [own, joined]);
    const recordings = [
      recordingRow(call, { leg_id: own.id }),
      recordingRow(call, { leg_id: joined.id, leg: 'transfer' }),
    ];
    await insertRows(stage.db, 'recordings', recordings);
    const done = await stage.done('erasures', home, 'phone', who.phone);
    expect(of(done, 'recordings')).to.deep.nested.include({ found: 2, erased: 1, 'kept[0].reason': 'other_person' });
    expect(of(done, 'legs')).to.include({ anonymised: 1 });
    expect(await columnsWith(stage.db, who.phone)).to.deep.equal([]);
    const [left] = await stage.db.query('SELECT customer_number, metadata FROM calls WHERE id = $1', [call.id]);
    expect(left).to.deep.equal({ customer_number: customer, metadata: call.metadata });
  });

  it('wait for a call that is not over', async () => {
    const who = newPerson();
    const call = callRow(ground, { status: 'answered', customer_number: who.phone });
    await insertRows(stage.db, 'calls', [call]);
    const { body } = await stage.ask('erasures', home.owner, 'phone', who.phone);
    await stage.work();
    const waiting = await stage.read('erasures', home.owner, String(body?.id));
    expect(waiting).to.include({ status: 'running', problem: 'live_calls' });
    await stage.db.query(`UPDATE calls SET status = 'ended', ended_at = now() WHERE id = $1`, [call.id]);
    await stage.clock.advance(61_000);
    await stage.work();
    expect((await stage.read('erasures', home.owner, String(body?.id))).status).to.equal('completed');
    const [erased] = await stage.db.query('SELECT metadata FROM calls WHERE id = $1', [call.id]);
    expect(erased).to.deep.equal({ metadata: {} });
  });

  it('leave other organizations, and later calls, alone', async () => {
    const who = newPerson();
    const other = await stage.members.organization();
    const theirs = { ...ground, organizationId: other.organization.id, projectId: other.project.id };
    const { storageKeys } = await insertPerson(stage.db, theirs, { ...who, externalId: `${who.externalId}-theirs` });
    for (const key of storageKeys) await stage.store(key, 'the voice');
    const { body } = await stage.ask('erasures', home.owner, 'phone', who.phone);
    const later = callRow(ground, {
      customer_number: who.phone,
      created_at: new Date(stage.clock.now().getTime() + DAY_MS),
    });
    await insertRows(stage.db, 'calls', [later]);
    await stage.work();
    const done = await stage.read('erasures', home.owner, String(body?.id));
    expect(done).to.deep.include({ status: 'completed', report: [] });
    expect(await stage.isStored(storageKeys[0])).to.equal(true);
    expect(codeOf(await stage.members.as(other.owner, 'GET', `/v1/privacy/erasures/${done.id}`))).to.equal(
      '404 NOT_FOUND',
    );
    expect(codeOf(await stage.members.as(home.owner, 'GET', `/v1/privacy/exports/${done.id}`))).to.equal(
      '404 NOT_FOUND',
    );
  });

  describe('of a member', () => {
    it('remove the user with sessions, invitations and mails; the audit log stays', async () => {
      const member = await stage.members.member(home.organization, { role: 'admin', name: 'Huda', agent: '1001' });
      const { id, email } = member.user;
      const mobile = '+966501230987';
      await stage.db.query(
        `INSERT INTO agents (id, project_id, organization_id, agent, aor, display_name, sip_password, forwarding)
         VALUES ($1, $2, $3, '1001', $4, 'Huda', 'sealed', $5)`,
        [
          ...[newId(), home.project.id, home.organization.id, newId()],
          JSON.stringify({ ...NO_FORWARDING, always: { type: 'number', target: mobile } }),
        ],
      );
      // Leaves a row with the address in the audit log.
      await stage.members.as(member, 'POST', '/v1/privacy/exports', {});
      await stage.members.api.audit.flush();
      const done = await stage.done('erasures', home, 'user', id);
      expect(done).to.include({ status: 'completed', kept_until: null });
      expect(of(done, 'users')).to.include({ erased: 1 });
      expect(of(done, 'sessions')).to.include({ erased: 1 });
      expect(of(done, 'agents')).to.include({ anonymised: 1 });
      expect(of(done, 'audit_log')?.kept[0]).to.deep.include({ reason: 'audit', count: 1 });
      expect(await columnsWith(stage.db, email)).to.deep.equal(['audit_log.actor']);
      expect(await columnsWith(stage.db, 'Huda')).to.deep.equal([]);
      expect(await columnsWith(stage.db, mobile)).to.deep.equal([]);
      await stage.members.clock.advance(2_001);
      expect(codeOf(await stage.members.as(member, 'GET', '/v1/organization'))).to.equal('401 INVALID_ACCESS_TOKEN');
    });

    it('need the role of an owner for owners, and one owner stays', async () => {
      const admin = await stage.members.member(home.organization, { role: 'admin' });
      const byAdmin = await stage.ask('erasures', admin, 'user', home.owner.user.id);
      expect(codeOf(byAdmin)).to.equal('403 INSUFFICIENT_ROLE');
      const last = await stage.ask('erasures', home.owner, 'user', home.owner.user.id);
      expect(codeOf(last)).to.equal('409 LAST_OWNER');
    });

    it('fail, and change nothing, if the member has become the last owner meanwhile', async () => {
      const second = await stage.members.member(home.organization);
      const { body } = await stage.ask('erasures', second, 'user', home.owner.user.id);
      await stage.db.query(`UPDATE users SET role = 'viewer' WHERE id = $1`, [second.user.id]);
      await stage.work();
      await stage.db.query(`UPDATE users SET role = 'owner' WHERE id = $1`, [second.user.id]);
      const failed = await stage.read('erasures', home.owner, String(body?.id));
      expect(failed).to.include({ status: 'failed', problem: 'LAST_OWNER' });
      const [job] = await stage.db.query('SELECT subject, due_at FROM privacy_jobs WHERE id = $1', [body?.id]);
      expect(job).to.deep.equal({ subject: null, due_at: null });
    });
  });
});
