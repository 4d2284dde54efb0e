import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PHONE_ARGUMENTS } from './browser-phone.js';
import { sourceFile } from './baresip-config.js';

/** Chromium's microphone sends this tone. */
export const MICROPHONE_HZ = 1500;

/** Chromium with a microphone that it may use without asking, and that sends this tone. */
export function microphone(toneHz: number): readonly string[] {
  return [
    ...PHONE_ARGUMENTS,
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${sourceFile({ toneHz })}`,
  ];
}

export const MICROPHONE_ARGUMENTS = microphone(MICROPHONE_HZ);

/** A device of the package, and what happened to it. It runs in the browser, so it is text here. */
export const PAGE_SCRIPT = `
window.web = { events: [], device: null, call: null, last: null };
web.note = (name, detail) => web.events.push(detail === undefined ? name : name + ' ' + JSON.stringify(detail));
web.follow = (call) => {
  web.last = call;
  web.call = call;
  for (const name of ['ringing', 'connected', 'reconnecting', 'reconnected', 'muted', 'held', 'remoteHeld', 'warningCleared'])
    call.on(name, (detail) => web.note('call ' + name, detail));
  call.on('warning', ({ name, reason }) => web.note('call warning', { name, reason }));
  call.on('disconnected', ({ code, by }) => web.note('call disconnected', { code, by }));
  return call;
};
web.start = async (token, options) => {
  const { Device } = await import(options.baseUrl + '/web/v1.js');
  web.Device = Device;
  const device = new Device(token, options);
  web.device = device;
  for (const name of ['registered', 'reconnecting', 'reconnected']) device.on(name, () => web.note(name));
  device.on('unregistered', (error) => web.note('unregistered', error?.code ?? null));
  device.on('tokenWillExpire', () => web.note('tokenWillExpire'));
  device.on('ringtoneBlocked', (isBlocked) => web.note('ringtoneBlocked', isBlocked));
  device.on('resumed', (call) => { web.note('resumed', call.remote); web.follow(call); });
  device.on('incoming', (call) => { web.note('incoming', call.remote); web.follow(call); });
  await web.outcome(() => device.register());
  return web.result;
};
/** The code of the error that it threw, or null. */
web.outcome = async (run) => {
  try { web.value = await run(); web.result = null; }
  catch (error) { web.error = error; web.result = error.code ?? String(error); }
  return web.result;
};
/** A stream of this tone, in place of the microphone. */
web.tone = (hz) => {
  web.context ??= new AudioContext();
  const [oscillator, out] = [web.context.createOscillator(), web.context.createMediaStreamDestination()];
  oscillator.frequency.value = hz;
  oscillator.connect(out);
  oscillator.start();
  // Without a reference, the source would be collected.
  web.sources = [...(web.sources ?? []), [oscillator, out]];
  return out.stream;
};
web.connect = (to, more) => web.outcome(async () => web.follow(await web.device.connect({ to, ...more })));
web.hear = () => {
  const stream = web.call?.remoteStream;
  if (!stream) return 0;
  web.context ??= new AudioContext();
  if (web.heard !== stream) {
    web.heard = stream;
    web.spectrum = web.context.createAnalyser();
    web.spectrum.fftSize = 8192;
    web.context.createMediaStreamSource(stream).connect(web.spectrum);
  }
  web.bins = new Float32Array(web.spectrum.frequencyBinCount);
  web.spectrum.getFloatFrequencyData(web.bins);
  const loudest = web.bins.indexOf(Math.max(...web.bins));
  return web.bins[loudest] < -60 ? 0 : (loudest * web.context.sampleRate) / web.spectrum.fftSize;
};
/** Those of the tones that are heard now. */
web.tones = (all) => {
  if (web.hear() === 0) return [];
  const levels = all.map((hz) => {
    const at = Math.round((hz * web.spectrum.fftSize) / web.context.sampleRate);
    return Math.max(...web.bins.slice(at - 2, at + 3));
  });
  return all.filter((_, i) => levels[i] > Math.max(-65, Math.max(...levels) - 25));
};
/** Whether exactly these of the tones have been heard for a second. */
web.hearsOnly = (expected, all) => {
  const isIt = String(web.tones(all)) === String(expected);
  web.since = isIt ? (web.since ?? performance.now()) : null;
  return isIt && performance.now() - web.since > 1000;
};
`;

/** Sends the WebSocket of the page through this port. */
const detour = (port: number): string => `
window.WebSocket = class extends WebSocket {
  constructor(url, protocols) { super(String(url).replace(/^(wss?:\\/\\/[^/]+?):\\d+/, '$1:${port}'), protocols); }
};`;

export interface WebPhoneOptions {
  /** A page of the project, which is a website that runs. */
  readonly origin: string;
  readonly platformUrl: string;
  /** A proxy in front of the platform that the WebSocket passes. */
  readonly webSocketPort?: number;
  /** Options of the package's device. */
  readonly device?: object;
  /** A script that runs before all others of the page. */
  readonly before?: string;
}

/** A page with a device of the package `@hatif/web`. */
export class WebPhone {
  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    private readonly options: WebPhoneOptions,
  ) {}

  static async open(browser: Browser, options: WebPhoneOptions): Promise<WebPhone> {
    const context = await browser.newContext();
    const { webSocketPort: port, before = '' } = options;
    await context.addInitScript({ content: before + PAGE_SCRIPT + (port === undefined ? '' : detour(port)) });
    const page = await context.newPage();
    await page.goto(options.origin);
    return new WebPhone(context, page, options);
  }

  /** Another tab, with a copy of this one's session storage, as the browser makes when a tab is duplicated. */
  async duplicate(): Promise<WebPhone> {
    const stored = await this.run<string>(`sessionStorage.getItem('hatif.web')`);
    const page = await this.context.newPage();
    await page.goto(this.options.origin);
    await page.evaluate(
      ([text]) => (globalThis as unknown as Tab).sessionStorage.setItem('hatif.web', text!),
      [stored],
    );
    return new WebPhone(this.context, page, this.options);
  }

  /** Registers a device. @param token null to continue the session of this tab @returns the error's code, or null */
  start(token: string | null): Promise<string | null> {
    const options = { baseUrl: this.options.platformUrl, ...this.options.device };
    return this.run(`web.start(${JSON.stringify(token)}, ${JSON.stringify(options)})`);
  }

  /** Calls somebody. @returns the error's code, or null */
  connect(to: object | string, more: object = {}): Promise<string | null> {
    return this.run(`web.connect(${JSON.stringify(to)}, ${JSON.stringify(more)})`);
  }

  /** An expression of `web.device` or `web.call`. @returns the code of the error that it threw, or null */
  outcome(expression: string): Promise<string | null> {
    return this.run(`web.outcome(() => ${expression})`);
  }

  /** The value of an expression of the page. */
  run<T>(expression: string): Promise<T> {
    return this.page.evaluate<T>(expression);
  }

  events(): Promise<string[]> {
    return this.run('web.events');
  }

  /** Resolves when the page has noted an event that begins so, as often as this. */
  async until(event: string, times = 1, timeout = 30_000): Promise<void> {
    const seen = `web.events.filter((one) => one.startsWith(${JSON.stringify(event)})).length >= ${times}`;
    await this.page.waitForFunction(seen, undefined, { timeout }).catch(async () => {
      throw new Error(`no "${event}" after ${JSON.stringify(await this.events())}`);
    });
  }

  /** Resolves when the loudest tone that the page hears is this one. */
  async untilHears(hz: number): Promise<void> {
    const isHeard = `Math.abs(web.hear() - ${hz}) < 15`;
    await this.page.waitForFunction(isHeard, undefined, { timeout: 20_000 }).catch(async () => {
      throw new Error(`hears ${String(await this.run('web.hear()'))} Hz instead of ${hz} Hz`);
    });
  }

  /** Resolves when, for a second, the page hears these of the tones and no others. */
  async untilHearsOnly(expected: readonly number[], all: readonly number[]): Promise<void> {
    const isIt = `web.hearsOnly(${JSON.stringify(expected)}, ${JSON.stringify(all)})`;
    await this.page.waitForFunction(isIt, undefined, { timeout: 20_000, polling: 100 }).catch(async () => {
      const heard = await this.run<number[]>(`web.tones(${JSON.stringify(all)})`);
      throw new Error(`hears ${heard.join(', ')} Hz instead of ${expected.join(', ')} Hz`);
    });
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

interface Tab {
  readonly sessionStorage: { setItem(name: string, value: string): void };
}
