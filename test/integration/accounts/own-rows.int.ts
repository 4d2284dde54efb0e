import { expect } from 'chai';
import type { Route } from '../../../api/http/route.js';
import { callRoutes } from '../../../api/routes/calls/calls.js';
import { callbackRoutes } from '../../../api/routes/calls/callbacks.js';
import { eventRoutes } from '../../../api/routes/webhooks/events.js';
import type { Database } from '../../../core/data/database.js';
import { Callbacks } from '../../../core/data/repositories/calls/callbacks.js';
import { Calls } from '../../../core/data/repositories/calls/calls.js';
import { timelineOf } from '../../../core/data/repositories/calls/timeline.js';
import { Voicemails } from '../../../core/data/repositories/voicemail/voicemails.js';
import type { CallRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import type { CancelCallback } from '../../../core/services/callbacks/cancel.js';
import type { PlaceCallback } from '../../../core/services/callbacks/place.js';
import { ReadCallbacks } from '../../../core/services/callbacks/read.js';
import { CustomerNumbers } from '../../../core/services/calls/customer-numbers.js';
import type { PlaceCall } from '../../../core/services/calls/place.js';
import { ReadCalls } from '../../../core/services/calls/read.js';
import { EventFeed } from '../../../core/services/events/feed.js';
import { EventLog } from '../../../core/services/events/list.js';
import { quiet } from '../../support/logger.js';
import type { TestMember } from '../../support/rows/members.js';
import { recordingRow } from '../../support/rows/recordings.js';
import { callRow, engineRow, eventOf, insertRows, numberRow, type Ground } from '../../support/rows/rows.js';
import { boxRow, messageRow } from '../../support/rows/voicemail-rows.js';
import { codeOf } from '../../support/judges/outcome.js';
import { OrganizationStage, type TestOrganization } from '../../support/stages/accounts/organization-stage.js';

/** Nothing here places or cancels a call. */
const UNUSED: unknown = {};

function readingRoutes(db: Database): Route[] {
  const calls = new Calls(db);
  const read = new ReadCalls(calls, (callId) => timelineOf(db, callId));
  return [
    ...callRoutes({ place: UNUSED as PlaceCall, read }),
    ...callbackRoutes({
      place: UNUSED as PlaceCallback,
      read: new ReadCallbacks(new Callbacks(db), systemClock),
      cancel: UNUSED as CancelCallback,
      calls: read,
    }),
    ...eventRoutes({
      log: new EventLog(db),
      feed: new EventFeed({ db, clock: systemClock, log: quiet, pollMs: 20 }),
      customerNumbers: new CustomerNumbers(calls),
      streamsPerKey: 10,
    }),
  ];
}

describe('A member with the role agent', function () {
  this.timeout(60_000);
  let stage: OrganizationStage;
  let home: TestOrganization;
  let ground: Ground;
  let agent: TestMember;
  let own: CallRow;
  let colleagues: CallRow;

  before(async () => {
    stage = await OrganizationStage.start(readingRoutes);
  });
  beforeEach(async () => {
    const { db } = stage.database;
    home = await stage.organization();
    const engine = engineRow({ name: `engine-${newId()}` });
    await insertRows(db, 'engines', [engine]);
    ground = { organizationId: home.organization.id, projectId: home.project.id, engineId: engine.id };
    agent = await stage.member(home.organization, { role: 'agent', agent: '1001' });
    own = callRow(ground, { agent: '1001' });
    colleagues = callRow(ground, { agent: '1002' });
    await insertRows(db, 'calls', [own, colleagues]);
  });
  after(() => stage.close());

  const idsIn = (data: unknown, name: string): unknown[] =>
    (data as Record<string, unknown>[]).map((each) => each[name]);

  it('sees own calls only', async () => {
    const listed = await stage.as(agent, 'GET', '/v1/calls');
    expect(idsIn(listed.body?.data, 'call_id')).to.deep.equal([own.id]);
    const paged = await stage.as(agent, 'GET', '/v1/calls?page=1');
    expect(paged.body).to.include({ total_count: 1 });
    expect(codeOf(await stage.as(agent, 'GET', `/v1/calls/${own.id}`))).to.equal('200');
    for (const path of [`/v1/calls/${colleagues.id}`, `/v1/calls/${colleagues.id}/timeline`]) {
      expect(codeOf(await stage.as(agent, 'GET', path)), path).to.equal('404 CALL_NOT_FOUND');
    }
    const supervisor = await stage.member(home.organization, { role: 'supervisor', agent: '1001' });
    const all = await stage.as(supervisor, 'GET', '/v1/calls');
    expect(idsIn(all.body?.data, 'call_id')).to.have.members([own.id, colleagues.id]);
  });

  it('without an extension sees nothing', async () => {
    const nobody = await stage.member(home.organization, { role: 'agent' });
    expect((await stage.as(nobody, 'GET', '/v1/calls')).body?.data).to.deep.equal([]);
    expect(codeOf(await stage.as(nobody, 'GET', `/v1/calls/${own.id}`))).to.equal('404 CALL_NOT_FOUND');
  });

  it('places no calls for others', async () => {
    for (const path of ['/v1/calls', '/v1/callback']) {
      const answer = await stage.as(agent, 'POST', path, { to: '+966501234567' });
      expect(codeOf(answer), path).to.equal('403 INSUFFICIENT_ROLE');
    }
  });

  it('sees own callbacks only', async () => {
    const made = ['1001', '1002'].map((extension) => callRow(ground, { kind: 'callback', agent: extension }));
    await insertRows(stage.database.db, 'calls', made);
    const listed = await stage.as(agent, 'GET', '/v1/callbacks');
    expect(idsIn(listed.body?.data, 'callback_id')).to.deep.equal([made[0]?.id]);
    const answer = await stage.as(agent, 'GET', `/v1/callbacks/${made[1]?.id}`);
    expect(codeOf(answer)).to.equal('404 CALLBACK_NOT_FOUND');
  });

  it('reads voicemail of own numbers only', async () => {
    const { db } = stage.database;
    const messages = [];
    for (const [index, extension] of ['1001', '1002'].entries()) {
      const binding = { type: 'agent', target: extension };
      const number = { ...numberRow(ground, `+96611${String(Date.now()).slice(-6)}${index}`), binding };
      const recording = recordingRow(own, { box_id: number.id });
      await insertRows(db, 'numbers', [number]);
      await insertRows(db, 'voicemail_boxes', [boxRow(ground, number.id)]);
      await insertRows(db, 'recordings', [recording]);
      await insertRows(db, 'voicemails', [messageRow(recording, number.id)]);
      messages.push(recording.id);
    }
    const voicemails = new Voicemails(db);
    const scope = { projectId: home.project.id, sandboxOnly: false };
    const seenBy = async (extension: string | null): Promise<string[]> =>
      (await voicemails.list({ ...scope, agent: extension }, {}, null, 10)).map(({ id }) => id);
    expect(await seenBy('1001')).to.deep.equal([messages[0]]);
    expect(await seenBy(null)).to.have.members(messages);
    expect(await voicemails.get({ ...scope, agent: '1001' }, messages[0] ?? '')).not.to.equal(null);
    expect(await voicemails.get({ ...scope, agent: '1001' }, messages[1] ?? '')).to.equal(null);
  });

  /** The stream of a member; `next` resolves with the next message, or null at the end of the stream. */
  async function follow(member: TestMember): Promise<{ next: () => Promise<string | null> }> {
    const response = await fetch(`${stage.api.url}/v1/events/stream`, {
      headers: { authorization: `Bearer ${member.token}` },
    });
    expect(response.status).to.equal(200);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    return {
      async next() {
        for (;;) {
          const found = /data: (\{.*\})\n\n/.exec(text);
          if (found) {
            text = text.slice(found.index + found[0].length);
            return found[1] ?? '';
          }
          const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
          if (done) return null;
          text += value ?? '';
        }
      },
    };
  }

  const record = (call: CallRow, type: 'call.ringing' | 'call.ended' | 'call.recording_ready', sequence: number) =>
    insertRows(stage.database.db, 'events', [eventOf(call, { type, sequence, data: { call_id: call.id, type } })]);

  it('follows the events of own calls, and others follow what their role may see', async () => {
    const viewer = await stage.member(home.organization, { role: 'viewer' });
    const [mine, seen] = [await follow(agent), await follow(viewer)];
    await record(colleagues, 'call.ringing', 1);
    await record(own, 'call.recording_ready', 1);
    await record(own, 'call.ended', 2);
    expect(await mine.next())
      .to.include('call.recording_ready')
      .and.include(own.id);
    expect(await mine.next())
      .to.include('call.ended')
      .and.include(own.id);
    expect(await seen.next())
      .to.include('call.ringing')
      .and.include(colleagues.id);
    expect(await seen.next()).to.include('call.ended');
    const finance = await stage.member(home.organization, { role: 'finance' });
    expect(codeOf(await stage.as(finance, 'GET', '/v1/events/stream'))).to.equal('403 INSUFFICIENT_ROLE');
  });

  it('follows no longer than the session and the role', async () => {
    const supervisor = await stage.member(home.organization, { role: 'supervisor' });
    const [first, second] = [await follow(agent), await follow(supervisor)];
    const path = `/v1/members/${supervisor.user.id}`;
    expect(codeOf(await stage.as(home.owner, 'DELETE', `/v1/members/${agent.user.id}`))).to.equal('204');
    expect(codeOf(await stage.as(home.owner, 'PATCH', path, { role: 'viewer' }))).to.equal('200');
    await stage.clock.advance(1_000);
    expect(await first.next()).to.equal(null);
    expect(await second.next()).to.equal(null);
  });

  it('of named projects sees only callbacks of these', async () => {
    const other = await stage.as(home.owner, 'POST', '/v1/projects', { name: 'elsewhere' });
    const projectId = String(other.body?.id);
    const made = [ground, { ...ground, projectId }].map((of) => callRow(of, { kind: 'callback' }));
    await insertRows(stage.database.db, 'calls', made);
    const limited = await stage.member(home.organization, { role: 'developer', project_ids: [projectId] });
    const listed = await stage.as(limited, 'GET', '/v1/callbacks');
    expect(idsIn(listed.body?.data, 'callback_id')).to.deep.equal([made[1]?.id]);
  });
});
