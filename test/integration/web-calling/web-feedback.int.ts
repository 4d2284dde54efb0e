import { expect } from 'chai';
import { codeOf } from '../../support/judges/outcome.js';
import {
  PAGE_OF_PROJECT,
  webCallingEach,
  type WebCallingStage,
} from '../../support/stages/web-calling/web-calling-stage.js';
import type { Answer } from '../../support/api.js';
import { callRow, insertRows, legRow } from '../../support/rows/rows.js';

const SAID = { score: 2, issue: 'one_way_audio', comment: 'Only I spoke.', seconds_since_start: 40, mos: 3.9 };

interface Sip {
  readonly username: string;
  readonly password: string;
}

describe('Feedback of a browser', function () {
  this.timeout(60_000);
  let stage: WebCallingStage;
  webCallingEach((made) => (stage = made));

  const connected = async (key?: string): Promise<Sip & { id: string }> => {
    const { id, token } = await stage.session({}, key);
    const { sip } = (await stage.connect(token)).body as { sip: Sip };
    return { id, username: sip.username, password: sip.password };
  };
  const send = ({ username, password }: Sip, more: object = {}, origin?: string): Promise<Answer> =>
    stage.api.request('POST', '/v1/web-calling/feedback', {
      json: { username, password, ...SAID, ...more },
      headers: origin === undefined ? {} : { origin },
    });
  /** Calls of the browser that began this number of seconds ago. @returns their ids */
  const callsOf = async (aor: string, secondsAgo: readonly number[]): Promise<string[]> => {
    const { db } = stage.database;
    const [engine] = await db.query<{ id: string }>('SELECT id FROM engines LIMIT 1');
    const rows = secondsAgo.map((seconds) => {
      const created_at = new Date(Date.now() - seconds * 1_000);
      const call = callRow({ ...stage.owner, engineId: engine!.id }, { status: 'ended', created_at });
      const endpoint = { type: 'softphone', aor };
      return { call, leg: legRow(call.id, { status: 'ended', created_at, endpoint }) };
    });
    await insertRows(
      db,
      'calls',
      rows.map(({ call }) => call),
    );
    await insertRows(
      db,
      'legs',
      rows.map(({ leg }) => leg),
    );
    return rows.map(({ call }) => call.id);
  };
  const eventsOf = ({ id }: { id: string }): Promise<{ data: Record<string, unknown>; sandbox: boolean }[]> =>
    stage.database.db.query(
      `SELECT data, sandbox FROM events WHERE type = 'web_calling.feedback' AND data->>'session_id' = $1`,
      [id],
    );

  it('reaches the project as an event with the call that it is about', async () => {
    const sip = await connected();
    const calls = await callsOf(sip.username, [300, 42]);
    const answer = await send(sip, {}, PAGE_OF_PROJECT);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.body).to.deep.equal({ call_id: calls[1] });
    expect(answer.headers.get('access-control-allow-origin')).to.equal(PAGE_OF_PROJECT);
    const [event] = await eventsOf(sip);
    const { seconds_since_start, ...said } = SAID;
    expect(event?.sandbox).to.equal(false);
    expect(event?.data).to.deep.include({ ...said, session_id: sip.id, call_id: calls[1], identity: 'reem' });
    expect(JSON.stringify(event)).not.to.contain(sip.password);
    expect(seconds_since_start).to.equal(40);
  });

  it('names no call if there was none, and is sandbox data for a sandbox key', async () => {
    const sip = await connected(stage.sandboxKey);
    expect((await send(sip)).body).to.deep.equal({ call_id: null });
    expect((await eventsOf(sip))[0]?.sandbox).to.equal(true);
  });

  it('is refused without the account, of a session that is over, and from other pages', async () => {
    const sip = await connected();
    expect(codeOf(await send({ ...sip, password: 'wrong' }))).to.equal('404 WCS_NOT_FOUND');
    expect(codeOf(await send({ ...sip, username: 'web.unknown' }))).to.equal('404 WCS_NOT_FOUND');
    expect(codeOf(await send(sip, { score: 6 }))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await send(sip, {}, 'https://elsewhere.example'))).to.equal('403 ORIGIN_NOT_ALLOWED');
    await stage.ask('DELETE', `/sessions/${sip.id}`);
    expect(codeOf(await send(sip))).to.equal('401 WCS_REVOKED');
    const old = await connected();
    stage.pass(3_601_000);
    expect(codeOf(await send(old))).to.equal('401 WCS_EXPIRED');
    expect([...(await eventsOf(sip)), ...(await eventsOf(old))]).to.deep.equal([]);
  });

  it('is refused where web calling is off, or the organization suspended', async () => {
    const sip = await connected();
    const { organizationId } = stage.owner;
    const { db } = stage.database;
    await db.query(`UPDATE organizations SET flags = '{"web_calling": false}' WHERE id = $1`, [organizationId]);
    expect(codeOf(await send(sip))).to.equal('503 WEB_CALLING_DISABLED');
    await db.query(`UPDATE organizations SET flags = '{}', suspended_at = now() WHERE id = $1`, [organizationId]);
    expect(codeOf(await send(sip))).to.equal('403 INSUFFICIENT_PERMISSIONS');
  });

  it('is limited, so that nobody floods a project with events', async () => {
    const sip = await connected();
    const codes = new Map<string, number>();
    for (let i = 0; i < 62; i++) {
      const code = codeOf(await send(sip));
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect(Object.fromEntries(codes)).to.deep.equal({ '201': 60, '429 RATE_LIMIT_EXCEEDED': 2 });
  });
});
