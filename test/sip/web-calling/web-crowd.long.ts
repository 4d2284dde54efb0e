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

/** Devices of several sessions in one page; each sends a tone of its own. It runs in the browser, so it is text here. */
const CROWD = `
web.crowd = async (sessions) => {
  const { Device } = await import(sessions[0].baseUrl + '/web/v1.js');
  web.devices = sessions.map(({ token, baseUrl }) => new Device(token, { baseUrl, resume: false, ringtone: false }));
  await Promise.all(web.devices.map((device) => device.register()));
};
web.hzOf = (index) => 500 + 40 * index;
web.callAll = async (to) => {
  web.calls = [];
  for (const [index, device] of web.devices.entries()) {
    const call = await device.connect({ to, stream: web.tone(web.hzOf(index)) });
    await new Promise((resolve, reject) => {
      call.once('connected', resolve);
      call.once('disconnected', ({ code }) => reject(new Error(code)));
    });
    const spectrum = web.context.createAnalyser();
    spectrum.fftSize = 8192;
    web.context.createMediaStreamSource(call.remoteStream).connect(spectrum);
    web.calls.push({ call, spectrum });
  }
};
/** Those that do not hear their own tone, and only theirs. */
web.strangers = () => web.calls.flatMap(({ call, spectrum }, index) => {
  const bins = new Float32Array(spectrum.frequencyBinCount);
  spectrum.getFloatFrequencyData(bins);
  const loudest = bins.indexOf(Math.max(...bins));
  const hz = bins[loudest] < -60 ? 0 : (loudest * web.context.sampleRate) / spectrum.fftSize;
  const hears = call.state === 'connected' && Math.abs(hz - web.hzOf(index)) < 15;
  return hears ? [] : [web.hzOf(index) + ' Hz: ' + call.state + ', ' + hz + ' Hz'];
});
`;

describe('fifty browsers at two processes with one engine', function () {
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
    // One codec for all: this machine could not encode fifty streams of Opus twice.
    const settings = { CODECS: 'ulaw', WEB_SESSIONS_PER_PROJECT: String(LIMIT), WEB_SESSIONS_PER_IDENTITY: '1' };
    stage = await PoolStage.start(settings);
    const first = await stage.application();
    applications = [first, await stage.application()];
    await stage.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
    phone = await WebPhone.open(browser, { origin: site.origin, platformUrl: first.bootstrap.base_url });
    await phone.run(CROWD);
  });
  after(async () => {
    await (browser as Browser | undefined)?.close();
    await (site as Website | undefined)?.close();
    await (stage as PoolStage | undefined)?.close();
  });

  const urlOf = (at: number): string => applications[at % applications.length]!.bootstrap.base_url;
  const newSession = (at: number, identity: string): Promise<Answer> => {
    const { live_key: key } = applications[0]!.bootstrap;
    const json = { identity, allow: { outgoing: ['number'] } };
    return ask(urlOf(at), 'POST', '/v1/web-calling/sessions', { key, json });
  };
  const countOf = async (status: string): Promise<number> =>
    (await stage.db.query(`SELECT FROM calls WHERE kind = 'web' AND status = $1`, [status])).length;

  it('never exceed the limit, register, and all hear their own tone at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: ASKED }, (_, at) => newSession(at, `person-${at}`)));
    const codes = answers.map(codeOf).sort();
    expect(codes).to.deep.equal([
      ...Array.from({ length: LIMIT }, () => '201'),
      ...Array.from({ length: ASKED - LIMIT }, () => '429 WEBRTC_CONCURRENCY_LIMIT'),
    ]);
    const sessions = answers.flatMap(({ status, body }, at) =>
      status === 201 ? [{ token: String(body?.token), baseUrl: urlOf(at) }] : [],
    );
    await phone.run(`web.crowd(${JSON.stringify(sessions)})`);
    expect(await phone.run(`web.devices.filter(({ state }) => state === 'registered').length`)).to.equal(LIMIT);
    const registered = async (): Promise<number> =>
      (await stage.db.query(`SELECT FROM softphone_registrations WHERE aor LIKE 'web.%'`)).length;
    await eventually(async () => (await registered()) === LIMIT, 'the platform knows all browsers');

    const { line_number: line } = applications[0]!.bootstrap;
    await phone.run(`web.callAll(${JSON.stringify(line)})`);
    expect(await countOf('answered')).to.equal(LIMIT);
    // The echo service plays what each of them says.
    const options = { timeout: 60_000, polling: 1_000 };
    await phone.page
      .waitForFunction('web.strangers().length === 0', undefined, options)
      .catch(async (error: unknown) => {
        throw new Error((await phone.run<string[]>('web.strangers()')).join('; '), { cause: error });
      });
    await phone.run('web.calls.forEach(({ call }) => call.hangup())');
    await eventually(async () => (await countOf('ended')) === LIMIT, 'all calls are over');
  });

  it('have room again as soon as a session is revoked', async () => {
    expect(codeOf(await newSession(0, 'one-more'))).to.equal('429 WEBRTC_CONCURRENCY_LIMIT');
    const { live_key: key } = applications[0]!.bootstrap;
    const { body } = await ask(urlOf(1), 'GET', '/v1/web-calling/sessions?limit=1', { key });
    const [newest] = body?.data as { session_id: string }[];
    await ask(urlOf(1), 'DELETE', `/v1/web-calling/sessions/${newest!.session_id}`, { key });
    const both = await Promise.all([newSession(0, 'late-1'), newSession(1, 'late-2')]);
    expect(both.map(codeOf).sort()).to.deep.equal(['201', '429 WEBRTC_CONCURRENCY_LIMIT']);
  });
});
