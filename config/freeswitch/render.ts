import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface FreeswitchConfig {
  readonly eventSocket: {
    readonly bind: string;
    readonly port: number;
    readonly password: string;
    /** Networks (CIDR) from which it may be connected to, besides this machine. */
    readonly allow?: readonly string[];
  };
  readonly sip: {
    readonly bind: string;
    readonly port: number;
    /** What the other side sees, where that is another address (NAT). */
    readonly external?: string;
  };
  /** UDP ports of its own: shared with another engine, calls would be without sound. */
  readonly rtp: { readonly from: number; readonly to: number };
  /** Where it asks who may register and call in (see docs/reference/freeswitch.md): each process of the application, the nearest first. */
  readonly application: { readonly urls: readonly string[]; readonly user: string; readonly password: string };
  /** Of wav files, 8 kHz. At least one: without, there is no music for held legs. */
  readonly musicDir: string;
  /** For a small file about each leg that ended while the application was away. */
  readonly detailDir: string;
  /** In order of preference, in FreeSWITCH's names. */
  readonly codecs?: readonly string[];
  /** Calls in at once, and new ones a second; what is above is refused with 503. */
  readonly maxCalls?: number;
  readonly maxCallsPerSecond?: number;
  /** Let in past every limit. */
  readonly emergencyNumbers?: readonly string[];
  /** How long a call waits for an application that is away. */
  readonly applicationWaitSeconds?: number;
  /** A phone that sends no audio for so long is taken for gone. */
  readonly mediaTimeoutSeconds?: number;
  /** How often a call is refreshed, and the shortest time that the other side may ask for (RFC 4028). */
  readonly sessionTimers?: { readonly expiresSeconds: number; readonly minSeconds: number };
  /** Where Homer takes copies of SIP messages. FreeSWITCH sends no password, and no RTCP. */
  readonly hep?: { readonly host: string; readonly port: number; readonly captureId: number };
  readonly logLevel?: 'debug' | 'info' | 'notice' | 'warning' | 'err';
  readonly switchName?: string;
}

const TEMPLATE = new URL('./freeswitch.xml', import.meta.url);
/** Lines that stand there once for each of several values. */
const REPEATED = /^ *\{\{#each (\w+)\}\}\n([\s\S]*?)^ *\{\{\/each\}\}\n/gm;
const EMERGENCY_NUMBERS = ['911', '997', '998', '999'];
const LEVELS = ['debug', 'info', 'notice', 'warning', 'err', 'crit', 'alert'];

/**
 * The whole configuration (`freeswitch.xml`) of a FreeSWITCH 1.10 for Hatif.
 * @throws Error for a value that cannot stand in it.
 */
export function freeswitchConfig(config: FreeswitchConfig): string {
  const { logLevel = 'warning', maxCalls = 1_000, maxCallsPerSecond = 60, hep } = config;
  const { expiresSeconds, minSeconds } = config.sessionTimers ?? { expiresSeconds: 1_800, minSeconds: 90 };
  const values: Readonly<Record<string, string | number | readonly string[]>> = {
    eslBind: config.eventSocket.bind,
    eslPort: config.eventSocket.port,
    eslPassword: config.eventSocket.password,
    // Written out: of several lists an address would have to be on each.
    eslAcl: ['127.0.0.0/8', ...(config.eventSocket.allow ?? [])].join(','),
    sipBind: config.sip.bind,
    sipPort: config.sip.port,
    sipExternal: config.sip.external ?? config.sip.bind,
    rtpFrom: config.rtp.from,
    rtpTo: config.rtp.to,
    applicationUrl: config.application.urls,
    applicationUser: config.application.user,
    applicationPassword: config.application.password,
    musicDir: config.musicDir,
    detailDir: config.detailDir,
    codecs: (config.codecs ?? ['PCMA', 'PCMU', 'OPUS', 'G722']).join(','),
    maxCalls,
    maxCallsPerSecond,
    // Each call in may be connected to another leg, and emergency calls come on top.
    hardMaxSessions: 2 * maxCalls + 100,
    hardMaxSessionsPerSecond: 2 * maxCallsPerSecond + 100,
    emergencyNumbers: emergencyPattern(config.emergencyNumbers ?? EMERGENCY_NUMBERS),
    applicationWaitSeconds: config.applicationWaitSeconds ?? 30,
    mediaTimeoutMs: (config.mediaTimeoutSeconds ?? 60) * 1_000,
    sessionExpiresSeconds: expiresSeconds,
    sessionMinSeconds: minSeconds,
    sipCapture: hep ? 'yes' : 'no',
    captureServer: hep ? `udp:${hep.host}:${hep.port};hep=3;capture_id=${hep.captureId}` : '',
    logLevel,
    logLevels: LEVELS.slice(LEVELS.indexOf(logLevel)).join(','),
    switchName: config.switchName ?? 'hatif',
  };
  const template = readFileSync(fileURLToPath(TEMPLATE), 'utf8').replaceAll(
    REPEATED,
    (_all, name: string, lines: string) => {
      const many = values[name];
      if (typeof many !== 'object') throw new Error(`freeswitch.xml repeats for an unknown value "${name}"`);
      return many.map((_one, index) => lines.replaceAll(`{{${name}}}`, `{{${name}.${index}}}`)).join('');
    },
  );
  return template.replaceAll(/\{\{(\w+)(?:\.(\d+))?\}\}/g, (_all, name: string, index?: string) => {
    const all = values[name];
    const value = typeof all === 'object' ? all[Number(index)] : all;
    if (value === undefined) throw new Error(`freeswitch.xml asks for an unknown value "${name}"`);
    return escaped(name, String(value));
  });
}

/** As a whole: nothing that only begins so. */
function emergencyPattern(numbers: readonly string[]): string {
  const wrong = numbers.find((number) => !/^\d{2,6}$/.test(number));
  if (wrong !== undefined) throw new Error(`"${wrong}" is no emergency number`);
  return `^(?:${numbers.join('|')})$`;
}

/** FreeSWITCH expands `$${…}` before it reads the XML. */
function escaped(name: string, value: string): string {
  if (/[\p{Cc}]|\$\$\{/u.test(value)) throw new Error(`The value "${name}" cannot stand in FreeSWITCH's configuration`);
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
