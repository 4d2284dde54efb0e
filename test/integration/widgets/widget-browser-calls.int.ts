import { expect } from 'chai';
import type { WebSessionRow } from '../../../core/data/rows.js';
import { codeOf } from '../../support/judges/outcome.js';
import { widgetEach, type WidgetStage } from '../../support/stages/widget-stage.js';

const TO_AGENT = { type: 'agent', target: '1001' } as const;

describe('Calls from the browser by a widget', function () {
  this.timeout(60_000);
  let stage: WidgetStage;
  widgetEach((made) => (stage = made));

  const begin = (key: string, json: object = {}) => stage.ask('POST', 'calls', key, json);
  const isOffered = async (key: string): Promise<unknown> =>
    (await stage.ask('GET', 'settings', key)).body?.browser_calls;
  const sessions = (): Promise<WebSessionRow[]> =>
    stage.callbacks.database.db.query<WebSessionRow>(
      'SELECT * FROM web_calling_sessions WHERE project_id = $1 ORDER BY id',
      [stage.callbacks.phones.ground.projectId],
    );

  it('begin with a session that reaches the destination and nothing else', async () => {
    const { key, name, allowed_origins } = await stage.widget({ browser_calls: true, destination: TO_AGENT });
    expect(await isOffered(key)).to.equal(true);
    const answer = await begin(key);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.body?.dial).to.equal('agent.1001');
    expect(answer.body?.token).to.match(/^wcs_/);
    const session = (await sessions()).at(-1)!;
    expect(session.rights).to.deep.equal({
      ...{ incoming: false, outgoing: ['agent'], numbers: [], caller_id_number: null },
      ...{ only: TO_AGENT, origins: allowed_origins },
    });
    expect([session.agent, session.metadata]).to.deep.equal([null, { widget: name }]);
    expect(session.expires_at.getTime() - session.created_at.getTime()).to.equal(600_000);
  });

  it('are refused unless the owner wants them and the destination is inside', async () => {
    for (const wanted of [
      { destination: TO_AGENT },
      { browser_calls: true, destination: { type: 'number', target: '+966501234517' } },
      { browser_calls: true, destination: { type: 'echo', target: null } },
      { browser_calls: true, destination: TO_AGENT, sandbox: true },
    ]) {
      const { key } = await stage.widget(wanted);
      expect(await isOffered(key), JSON.stringify(wanted)).to.equal(false);
      expect(codeOf(await begin(key)), JSON.stringify(wanted)).to.equal('503 WEB_CALLING_DISABLED');
    }
  });

  it('are refused where web calling is off', async () => {
    const { db } = stage.callbacks.database;
    const { organizationId } = stage.callbacks.phones.ground;
    const { key } = await stage.widget({ browser_calls: true, destination: TO_AGENT });
    await db.query(`UPDATE organizations SET flags = '{"web_calling": false}' WHERE id = $1`, [organizationId]);
    try {
      expect(codeOf(await begin(key))).to.equal('503 WEB_CALLING_DISABLED');
    } finally {
      await db.query(`UPDATE organizations SET flags = '{}' WHERE id = $1`, [organizationId]);
    }
  });

  it('need a proof of work if the widget asks for one, and a page of its origins', async () => {
    const { key } = await stage.widget({ browser_calls: true, destination: TO_AGENT, captcha: true });
    expect(codeOf(await begin(key))).to.equal('400 CAPTCHA_FAILED');
    const proof = await stage.proof(key);
    expect(codeOf(await begin(key, { captcha: proof }))).to.equal('201');
    expect(codeOf(await begin(key, { captcha: proof }))).to.equal('400 CAPTCHA_FAILED');
    const elsewhere = await stage.ask('POST', 'calls', key, {}, 'https://elsewhere.example');
    expect(codeOf(elsewhere)).to.equal('403 WIDGET_ORIGIN_NOT_ALLOWED');
  });

  it('are limited by address, and by the hourly limits of the widget, without the reason', async () => {
    Object.assign(stage.limits, { perAddress: 1 });
    const { key } = await stage.widget({ browser_calls: true, destination: TO_AGENT });
    expect(codeOf(await begin(key))).to.equal('201');
    expect(codeOf(await begin(key))).to.equal('429 RATE_LIMIT_EXCEEDED');
    Object.assign(stage.limits, { perAddress: 100 });
    const small = await stage.widget({ browser_calls: true, destination: TO_AGENT, calls_per_hour: 1 });
    expect(codeOf(await begin(small.key))).to.equal('201');
    expect(codeOf(await begin(small.key))).to.equal('502 CALL_FAILED');
  });

  it('are refused without the reason if the project has no session left', async () => {
    Object.assign(stage.limits, { perAddress: 100 });
    const { key } = await stage.widget({ browser_calls: true, destination: TO_AGENT });
    const codes = new Set<string>();
    for (let i = 0; i < 6; i++) codes.add(codeOf(await begin(key)));
    expect([...codes]).to.deep.equal(['201', '502 CALL_FAILED']);
  });
});
