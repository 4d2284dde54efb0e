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
const PAGES = 5;

/** Devices of several sessions in one page; each sends its own tone. It runs in the browser, so it is text here. */
const CROWD = `
web.register = async (sessions) => {
  const { Device } = await import(sessions[0].baseUrl + '/web/v1.js');
  web.members = sessions.map(({ token, baseUrl, hz }) => {
    const device = new Device(token, { baseUrl, resume: false, ringtone: false });
    return { hz, device, call: null, spectrum: null };
  });
  return Promise.all(web.members.map(async ({ device }) => {
    const since = performance.now();
    await device.register();
    return performance.now() - since;
  }));
};
web.callAll = (to) => Promise.all(web.members.map(async (member) => {
  member.call = await member.device.connect({ to, stream: web.tone(member.hz) });
  await new Promise((resolve, reject) => {
    member.call.once('connected', resolve);
    member.call.once('disconnected', ({ code }) => reject(new Error(member.hz + ' Hz: ' + code)));
  });
  member.spectrum = web.context.createAnalyser();
  member.spectrum.fftSize = 8192;
  web.context.createMediaStreamSource(member.call.remoteStream).connect(member.spectrum);
}));
web.heard = ({ spectrum }) => {
  const bins = new Float32Array(spectrum.frequencyBinCount);
  spectrum.getFloatFrequencyData(bins);
  const loudest = bins.indexOf(Math.max(...bins));
  return bins[loudest] < -60 ? 0 : Math.round((loudest * web.context.sampleRate) / spectrum.fftSize);
};
/** Those that do not hear their own tone, and only theirs. */
web.strangers = () => web.members.flatMap((member) => {
  const { hz, call } = member;
  const heard = web.heard(member);
  if (call.state === 'connected' && Math.abs(heard - hz) < 15) return [];
  const { code, by } = call.cause ?? {};
  const seconds = Math.round(((call.endedAt ?? new Date()) - call.startedAt) / 1000);
  return [hz + ' Hz: ' + [call.state, code, by, 'after', seconds, 's, hears', heard].join(' ') + ' Hz'];
});
`;

/** A refused registration is tried again by another WebSocket. */
const COUNTED = `
window.opened = 0;
window.WebSocket = class extends WebSocket {
  constructor(...args) { super(...args); window.opened += 1; }
};`;

/**
 * All are registered at the same time. They call ten at a time: one processor core cannot encode and decode the audio
 * of fifty browsers, and that of their engines.
 */
describe('fifty browsers at two processes with two engines', function () {
  this.timeout(300_000);
  let stage: PoolStage;
  let applications: readonly Application[];
  let site: Website;
  let browser: Browser;
  let pages: WebPhone[];

  before(async function () {
    const program = browserProgram();
    if (program === null) skipBecause(this, 'there is no Chromium on this machine');
    site = await Website.start();
    site.show('<h1>Calls</h1>');
    browser = await openBrowser(program, MICROPHONE_ARGUMENTS);
    const settings = { CODECS: 'ulaw', WEB_SESSIONS_PER_PROJECT: String(LIMIT), WEB_SESSIONS_PER_IDENTITY: '1' };
    stage = await PoolStage.start(settings);
    const first = await stage.application();
    applications = [first, await stage.application()];
    await stage.addSecond();
    await stage.shared();
    await stage.db.query('UPDATE projects SET allowed_origins = $1', [[site.origin]]);
    const page = { origin: site.origin, platformUrl: first.bootstrap.base_url, before: COUNTED };
    pages = await Promise.all(Array.from({ length: PAGES }, () => WebPhone.open(browser, page)));
    for (const one of pages) await one.run(CROWD);
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
  const onAllPages = async <T>(expression: string): Promise<T[]> =>
    (await Promise.all(pages.map((page) => page.run<T[]>(expression)))).flat();

  /** The echo service plays what each browser of the page says, once it has greeted them. */
  const hearEchoes = (page: WebPhone): Promise<boolean> => {
    const isHeard = async (): Promise<boolean> => (await page.run<string[]>('web.strangers()')).length === 0;
    return eventually(isHeard, 'all hear their own tone', 60_000).catch(async (error: unknown) => {
      throw new Error((await page.run<string[]>('web.strangers()')).join('\n'), { cause: error });
    });
  };

  it('never exceed the limit, register at once, none is refused, and hear their own tone, ten at a time', async () => {
    const answers = await Promise.all(Array.from({ length: ASKED }, (_, at) => newSession(at, `person-${at}`)));
    expect(answers.map(codeOf).sort()).to.deep.equal([
      ...Array.from({ length: LIMIT }, () => '201'),
      ...Array.from({ length: ASKED - LIMIT }, () => '429 WEBRTC_CONCURRENCY_LIMIT'),
    ]);
    const sessions = answers.flatMap(({ status, body }, at) =>
      status === 201 ? [{ token: String(body?.token), baseUrl: urlOf(at) }] : [],
    );
    const members = sessions.map((session, at) => ({ ...session, hz: 500 + 40 * at }));
    const registered = await Promise.all(
      pages.map((page, at) => {
        const own = members.filter((_, member) => member % PAGES === at);
        return page.run<number[]>(`web.register(${JSON.stringify(own)})`);
      }),
    );
    expect(registered.flat()).to.have.lengthOf(LIMIT);
    expect(await onAllPages('[window.opened]'), 'nobody was refused').to.deep.equal(pages.map(() => LIMIT / PAGES));
    const known = `SELECT FROM softphone_registrations WHERE aor LIKE 'web.%'`;
    await eventually(async () => (await stage.db.query(known)).length === LIMIT, 'the platform knows all browsers');

    const { line_number: line } = applications[0]!.bootstrap;
    for (const [before, page] of pages.entries()) {
      await page.run(`web.callAll(${JSON.stringify(line)})`);
      await hearEchoes(page);
      expect(await countOf('answered')).to.equal(LIMIT / PAGES);
      await page.run('web.members.forEach(({ call }) => call.hangup())');
      const over = ((before + 1) * LIMIT) / PAGES;
      await eventually(async () => (await countOf('ended')) === over, `${over} calls are over`);
    }
    expect(await onAllPages('web.members.map(({ device }) => device.state)')).to.deep.equal(
      sessions.map(() => 'registered'),
    );
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
