import { expect } from 'chai';
import { once } from 'node:events';
import type { CallCommand, CommandOutcome, EngineCommand } from '../../../core/ports/command-bus.js';
import { OWNER_MS } from '../../../core/services/web-calling/pages.js';
import type { Answer } from '../../support/api.js';
import { eventually } from '../../support/eventually.js';
import { codeOf } from '../../support/judges/outcome.js';
import { callRow, insertRows, legRow } from '../../support/rows/rows.js';
import {
  PAGE_OF_PROJECT,
  webCallingEach,
  type WebCallingStage,
} from '../../support/stages/web-calling/web-calling-stage.js';

type Page = Extract<CallCommand, { type: 'browser_left' | 'browser_back' }>;

interface Sip {
  readonly id: string;
  readonly username: string;
  readonly password: string;
}

/** The close code by which a page says that it is being left. */
const PAGE_LEFT = 4001;

describe('A page of web calling', function () {
  this.timeout(60_000);
  let stage: WebCallingStage;
  /** The commands that the owner of the engine got. */
  let told: Page[];
  webCallingEach((made) => (stage = made));

  beforeEach(async () => {
    told = [];
    await stage.bus.serve(await engineId(), (command: EngineCommand) => {
      if (command.type === 'browser_left' || command.type === 'browser_back') told.push(command);
      return Promise.resolve({ result: 'done' });
    });
  });

  const engineId = async (): Promise<string> => {
    const [engine] = await stage.database.db.query<{ id: string }>(`SELECT id FROM engines WHERE name = 'first'`);
    return engine!.id;
  };
  const connected = async (): Promise<Sip> => {
    const { id, token } = await stage.session();
    const { sip } = (await stage.connect(token)).body as { sip: Omit<Sip, 'id'> };
    return { id, username: sip.username, password: sip.password };
  };
  /** A call of the browser. @param ended whether it is over */
  const callOf = async ({ username: aor }: Sip, ended = false): Promise<string> => {
    const { db } = stage.database;
    const status = ended ? 'ended' : 'answered';
    const at = new Date();
    const call = callRow(
      { ...stage.owner, engineId: await engineId() },
      { status, answered_at: at, ended_at: ended ? at : null },
    );
    await insertRows(db, 'calls', [call]);
    await insertRows(db, 'legs', [legRow(call.id, { status, endpoint: { type: 'softphone', aor } })]);
    return call.id;
  };
  const resume = ({ username, password }: Sip, more: object = {}, origin?: string): Promise<Answer> =>
    stage.api.request('POST', '/v1/web-calling/resume', {
      json: { username, password, seconds_since_load: 1.5, ...more },
      headers: origin === undefined ? {} : { origin },
    });
  const close = async ({ id }: Sip, code: number, reason: string): Promise<void> => {
    const socket = stage.socket(id);
    await once(socket, 'open');
    socket.close(code, reason);
    await once(socket, 'close');
    await eventually(() => stage.engineSocket.clients.size === 0, 'the engine’s side closes');
  };

  it('that is left tells the calls of its browser', async () => {
    const sip = await connected();
    const callId = await callOf(sip);
    await callOf(sip, true);
    await close(sip, PAGE_LEFT, sip.password);
    await eventually(() => told.length > 0, 'the owner hears of it');
    expect(told.map(({ type, callId: of, aor }) => [type, of, aor])).to.deep.equal([
      ['browser_left', callId, sip.username],
    ]);
  });

  it('is left only by somebody who knows the account', async () => {
    const [sip, other] = [await connected(), await connected()];
    await callOf(sip);
    await close(sip, PAGE_LEFT, other.password);
    await close(sip, PAGE_LEFT, '');
    await close(sip, 1000, sip.password);
    // Whatever comes after was heard later.
    const callId = await callOf(other);
    await close(other, PAGE_LEFT, other.password);
    await eventually(() => told.length > 0, 'the owner hears of the other');
    expect(told.map(({ callId: of }) => of)).to.deep.equal([callId]);
  });

  it('that is loaded again is rung by its calls', async () => {
    const sip = await connected();
    const calls = [await callOf(sip), await callOf(sip)];
    await callOf(sip, true);
    const answer = await resume(sip, {}, PAGE_OF_PROJECT);
    expect([answer.status, answer.body]).to.deep.equal([200, { calls: 2 }]);
    expect(answer.headers.get('access-control-allow-origin')).to.equal(PAGE_OF_PROJECT);
    expect(told.map(({ callId }) => callId)).to.have.members(calls);
    expect(new Set(told.map(({ type, aor }) => `${type} ${aor}`))).to.deep.equal(
      new Set([`browser_back ${sip.username}`]),
    );
    const agoMs = Date.now() - Date.parse(told[0]!.before);
    expect(agoMs).to.be.within(1_500, 30_000);
    expect((await resume(await connected())).body).to.deep.equal({ calls: 0 });
  });

  it('is refused without the account, of a session that is over, and on other sites', async () => {
    const sip = await connected();
    await callOf(sip);
    expect(codeOf(await resume({ ...sip, password: 'wrong' }))).to.equal('404 WCS_NOT_FOUND');
    expect(codeOf(await resume({ ...sip, username: 'web.unknown' }))).to.equal('404 WCS_NOT_FOUND');
    expect(codeOf(await resume(sip, { seconds_since_load: -1 }))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await resume(sip, {}, 'https://elsewhere.example'))).to.equal('403 ORIGIN_NOT_ALLOWED');
    await stage.ask('DELETE', `/sessions/${sip.id}`);
    expect(codeOf(await resume(sip))).to.equal('401 WCS_REVOKED');
    const old = await connected();
    stage.pass(3_601_000);
    expect(codeOf(await resume(old))).to.equal('401 WCS_EXPIRED');
    expect(told).to.deep.equal([]);
  });

  it('is refused where web calling is off, and if it asks all the time', async () => {
    const sip = await connected();
    const { db } = stage.database;
    const { organizationId } = stage.owner;
    await db.query(`UPDATE organizations SET flags = '{"web_calling": false}' WHERE id = $1`, [organizationId]);
    expect(codeOf(await resume(sip))).to.equal('503 WEB_CALLING_DISABLED');
    await db.query(`UPDATE organizations SET flags = '{}' WHERE id = $1`, [organizationId]);
    const codes = new Set<string>();
    for (let i = 0; i < 121; i++) codes.add(codeOf(await resume(sip)));
    expect([...codes]).to.have.members(['200', '429 RATE_LIMIT_EXCEEDED']);
  });

  it('waits until its calls have an owner again, and does not fail without one', async () => {
    const sip = await connected();
    await callOf(sip);
    let asked = 0;
    const send = stage.bus.send.bind(stage.bus);
    stage.bus.send = (...command) => {
      asked += 1;
      return send(...command);
    };
    await stage.bus.close();
    const waiting = resume(sip);
    await eventually(() => asked > 0, 'the owner is asked');
    // One that has not adopted the call yet, at first.
    const outcomes: CommandOutcome[] = [{ result: 'not_controllable' }, { result: 'done' }];
    await stage.bus.serve(await engineId(), () => Promise.resolve(outcomes.shift()!));
    expect((await waiting).body).to.deep.equal({ calls: 1 });
    expect(outcomes).to.deep.equal([]);
    await stage.bus.close();
    asked = 0;
    const without = resume(sip);
    await eventually(() => asked > 0, 'the owner is asked');
    stage.pass(OWNER_MS);
    expect((await without).body).to.deep.equal({ calls: 0 });
  });
});
