import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';

/** How a page connects: the answer of `POST /v1/web-calling/connect`. */
export interface BrowserAccount {
  readonly sip: { readonly uri: string; readonly username: string; readonly password: string };
  readonly ws_url: string;
  readonly ice_servers: readonly object[];
}

/** Audio begins without a click. */
export const PHONE_ARGUMENTS = ['--autoplay-policy=no-user-gesture-required'];

/** JsSIP, and functions of the page around it. It runs in the browser, so it is text here. */
const PAGE_SCRIPT = `
import JsSIP from 'jssip';
const context = new AudioContext();
// Without a reference, the source of a tone would be collected, and the page would send nothing.
const state = window.phone = { events: [], session: null, spectrum: null, tones: [] };
const note = (event) => state.events.push(event);
const tone = (hz) => {
  const [oscillator, out] = [context.createOscillator(), context.createMediaStreamDestination()];
  oscillator.frequency.value = hz;
  oscillator.connect(out);
  oscillator.start();
  void context.resume();
  state.tones.push([oscillator, out]);
  return out.stream;
};
const listen = (connection) => connection.addEventListener('track', ({ streams: [stream] }) => {
  const element = new Audio();
  element.srcObject = stream;
  element.muted = true;
  element.play();
  const analyser = context.createAnalyser();
  analyser.fftSize = 8192;
  context.createMediaStreamSource(stream).connect(analyser);
  state.spectrum = analyser;
});
const follow = (session, hz, isIncoming) => {
  state.session = session;
  for (const name of ['progress', 'accepted', 'confirmed']) session.on(name, () => note(name));
  for (const name of ['ended', 'failed']) session.on(name, ({ cause }) => note(name + ' ' + cause));
  if (isIncoming) session.on('peerconnection', ({ peerconnection }) => listen(peerconnection));
  else listen(session.connection);
};
window.start = ({ sip, ws_url, ice_servers }, hz) => {
  state.hz = hz;
  state.ice = ice_servers;
  state.ua = new JsSIP.UA({
    sockets: [new JsSIP.WebSocketInterface(ws_url)],
    uri: sip.uri,
    authorization_user: sip.username,
    password: sip.password,
    register_expires: 120,
    session_timers: false,
    connection_recovery_min_interval: 1,
  });
  for (const name of ['connected', 'disconnected', 'registered', 'unregistered']) state.ua.on(name, () => note(name));
  state.ua.on('registrationFailed', ({ response }) => note('refused ' + (response?.status_code ?? 0)));
  state.ua.on('newRTCSession', ({ originator, session }) => {
    if (originator !== 'remote') return;
    note('ringing');
    follow(session, hz, true);
  });
  state.ua.start();
};
window.dial = (target, headers) => {
  const options = { mediaStream: tone(state.hz), pcConfig: { iceServers: state.ice }, extraHeaders: headers };
  follow(state.ua.call('sip:' + target + '@web', options), state.hz, false);
};
window.answer = () => state.session.answer({ mediaStream: tone(state.hz), pcConfig: { iceServers: state.ice } });
window.media = async () => {
  const found = [];
  for (const one of (await state.session.connection.getStats()).values()) {
    const { type, packetsSent, packetsReceived, dtlsState, iceState, nominated, state: pair } = one;
    if (type === 'outbound-rtp' || type === 'inbound-rtp') found.push([type, packetsSent ?? packetsReceived]);
    if (type === 'transport') found.push([type, dtlsState, iceState]);
    if (type === 'candidate-pair') found.push([type, pair, nominated]);
  }
  return JSON.stringify([context.state, ...found]);
};
window.codec = async () => {
  const all = await state.session.connection.getStats();
  const sent = [...all.values()].find(({ type }) => type === 'outbound-rtp');
  return all.get(sent?.codecId)?.mimeType ?? '';
};
window.hangUp = () => state.session.terminate();
window.heardHz = () => {
  const { spectrum } = state;
  if (!spectrum) return 0;
  const bins = new Float32Array(spectrum.frequencyBinCount);
  spectrum.getFloatFrequencyData(bins);
  const loudest = bins.indexOf(Math.max(...bins));
  return bins[loudest] < -60 ? 0 : (loudest * context.sampleRate) / spectrum.fftSize;
};
`;

let script: Promise<string> | undefined;

function pageScript(): Promise<string> {
  script ??= build({
    stdin: { contents: PAGE_SCRIPT, resolveDir: process.cwd(), loader: 'js' },
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser', logLevel: 'silent' },
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? '');
  return script;
}

/** A page with a telephone, which sends a tone. */
export class BrowserPhone {
  private constructor(readonly page: Page) {}

  /**
   * The page may use the microphone, as every telephone's. Without that, Chromium sends from one socket for all addresses:
   * an answer to an engine on the loopback then has another source than the address that was asked, and ICE fails.
   * @param origin of the page: a website that runs
   */
  static async open(browser: Browser, origin: string): Promise<BrowserPhone> {
    const page = await browser.newPage({ permissions: ['microphone'] });
    await page.goto(origin);
    await page.addScriptTag({ content: await pageScript() });
    return new BrowserPhone(page);
  }

  /** Exchanges a token as a page does. @returns the status and the body of the answer */
  exchange(url: string, token: string): Promise<{ status: number; body: BrowserAccount }> {
    return this.page.evaluate(
      async ([address, json]) => {
        const headers = { 'Content-Type': 'application/json' };
        const answer = await fetch(address!, { method: 'POST', headers, body: json! });
        return { status: answer.status, body: (await answer.json()) as BrowserAccount };
      },
      [`${url}/v1/web-calling/connect`, JSON.stringify({ token })],
    );
  }

  async start(account: BrowserAccount, hz: number): Promise<void> {
    await this.#run(`start(${JSON.stringify(account)}, ${hz})`);
  }

  async dial(target: string, headers: readonly string[] = []): Promise<void> {
    await this.#run(`dial(${JSON.stringify(target)}, ${JSON.stringify(headers)})`);
  }

  async answer(): Promise<void> {
    await this.#run('answer()');
  }

  async hangUp(): Promise<void> {
    await this.#run('hangUp()');
  }

  /** Resolves when the page has noted an event that begins so, as often as this. */
  async until(event: string, times = 1): Promise<void> {
    await this.page
      .waitForFunction(
        ([name, count]) =>
          (globalThis as unknown as Paged).phone.events.filter((one) => one.startsWith(String(name))).length >=
          Number(count),
        [event, times],
        { timeout: 30_000 },
      )
      .catch(async () => {
        throw new Error(`no "${event}" after ${JSON.stringify(await this.#run('phone.events'))}`);
      });
  }

  /** Resolves when the loudest tone that the page hears is this one. */
  async untilHears(hz: number): Promise<void> {
    await this.page
      .waitForFunction((wanted) => Math.abs((globalThis as unknown as Paged).heardHz() - wanted) < 15, hz, {
        timeout: 20_000,
      })
      .catch(async () => {
        throw new Error(`hears ${String(await this.#run('heardHz()'))} Hz instead of ${hz} Hz`);
      });
  }

  /** What the browser says of its media: packets, states of DTLS and ICE. */
  media(): Promise<string> {
    return this.page.evaluate('media()');
  }

  /** The codec of what it sends, as a media type. */
  codec(): Promise<string> {
    return this.page.evaluate('codec()');
  }

  close(): Promise<void> {
    return this.page.close();
  }

  #run(expression: string): Promise<unknown> {
    return this.page.evaluate(
      `(() => { const result = ${expression}; return result instanceof Object && !Array.isArray(result) ? null : result; })()`,
    );
  }
}

interface Paged {
  readonly phone: { readonly events: readonly string[] };
  heardHz(): number;
}
