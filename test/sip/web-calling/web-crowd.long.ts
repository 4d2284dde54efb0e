import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { ask, type Answer } from '../../support/api.js';
import { eventually } from '../../support/eventually.js';
import { codeOf } from '../../support/judges/outcome.js';
import { MICROPHONE_ARGUMENTS, WebPhone } from '../../support/phones/web-phone.js';
import { browserProgram, openBrowser, Website } from '../../support/platform/browser.js';
import { skipBecause } from '../../support/skip.js';
import { PoolStage, type Application } from '../../support/stages/pool-stage.js';

const LIMIT = 50;
/** Asked for at once, of both processes in turn. */
const ASKED = 70;

/** Devices of several sessions in one page, and their calls. It runs in the browser, so it is text here. */
const CROWD = `
web.crowd = async (sessions) => {
  const { Device } = await import(sessions[0].baseUrl + '/web/v1.js');
  web.devices = sessions.map(({ token, baseUrl }) => new Device(token, { baseUrl, resume: false, ringtone: false }));
  await Promise.all(web.devices.map((device) => device.register()));
};
web.callAll = async (to) => {
  web.calls = [];
  for (const device of web.devices) {
    const call = await device.connect({ to });
    web.calls.push(call);
    await new Promise((resolve, reject) => {
      call.once('connected', resolve);
      call.once('disconnected', ({ code }) => reject(new Error(code)));
    });
  }
};
web.quiet = () => web.calls.filter(({ state, quality }) => state !== 'connected' || !(quality?.packetsIn > 100)).length;
`;

describe('fifty browsers at two processes', function () {
  this.timeout(300_000);
  let stage: PoolStage;
  let applications: readonly Application[];
  let site: Website;
  let browser: Browser;
  let phone: WebPhone;

  before(async function () {
    const program = browserProgram();
    if (program === null) skipBecause(this, 'there is no Chromium on this machine');
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    stage = await PoolStage.start({ WEB_SESSIONS_PER_PROJECT: String(LIMIT), WEB_SESSIONS_PER_IDENTITY: '1' });
    const first = await stage.application();
    await stage.addSecond();
    await stage.ownedBy(first);
    const second = await stage.application();
    await stage.shared();
    applications = [first, second];
    await stage.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
    phone = await WebPhone.open(browser, { origin: site.origin, platformUrl: first.bootstrap.base_url });
    await phone.run(CROWD);
  });
  after(async () => {
    await (browser as Browser | undefined)?.close();
    await (site as Website | undefined)?.close();
    await (stage as PoolStage | undefined)?.close();
  });

  const newSession = (at: number, identity: string): Promise<Answer> => {
    const { base_url: url, live_key: key } = applications[at % applications.length]!.bootstrap;
    const json = { identity, allow: { outgoing: ['number'] } };
    return ask(url, 'POST', '/v1/web-calling/sessions', { key, json });
  };
  const live = async (): Promise<number> => {
    const query = `SELECT FROM calls WHERE kind = 'web' AND status = 'answered'`;
    return (await stage.db.query(query)).length;
  };

  it('never exceed the limit, register, and are all in a call at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: ASKED }, (_, at) => newSession(at, `person-${at}`)));
    const codes = answers.map(codeOf);
    expect(codes.filter((code) => code === '201')).to.have.lengthOf(LIMIT);
    expect(codes.filter((code) => code === '429 WEBRTC_CONCURRENCY_LIMIT')).to.have.lengthOf(ASKED - LIMIT);
    const sessions = answers.flatMap(({ status, body }, at) =>
      status === 201
        ? [{ token: String(body?.token), baseUrl: applications[at % applications.length]!.bootstrap.base_url }]
        : [],
    );
    await phone.run(`web.crowd(${JSON.stringify(sessions)})`);
    expect(await phone.run(`web.devices.filter(({ state }) => state === 'registered').length`)).to.equal(LIMIT);
    const registered = async (): Promise<number> =>
      (await stage.db.query(`SELECT FROM softphone_registrations WHERE aor LIKE 'web.%'`)).length;
    await eventually(async () => (await registered()) === LIMIT, 'the platform knows all browsers');

    const { line_number: line } = applications[0]!.bootstrap;
    await phone.run(`web.callAll(${JSON.stringify(line)})`);
    expect(await live()).to.equal(LIMIT);
    // The echo service plays what each of them says.
    await phone.page.waitForFunction('web.quiet() === 0', undefined, { timeout: 60_000 });
    await phone.run('web.calls.forEach((call) => call.hangup())');
    await eventually(async () => (await live()) === 0, 'all calls are over');
    const failed = await stage.db.query(`SELECT status FROM calls WHERE kind = 'web' AND status <> 'ended'`);
    expect(failed).to.deep.equal([]);
  });

  it('have room again as soon as sessions are revoked', async () => {
    expect(codeOf(await newSession(0, 'one-more'))).to.equal('429 WEBRTC_CONCURRENCY_LIMIT');
    const { base_url: url, live_key: key } = applications[1]!.bootstrap;
    const { body } = await ask(url, 'GET', '/v1/web-calling/sessions?limit=1', { key });
    const [oldest] = body?.data as { session_id: string }[];
    await ask(url, 'DELETE', `/v1/web-calling/sessions/${oldest!.session_id}`, { key });
    const both = await Promise.all([newSession(0, 'late-1'), newSession(1, 'late-2')]);
    expect(both.map(codeOf).sort()).to.deep.equal(['201', '429 WEBRTC_CONCURRENCY_LIMIT']);
  });
});
