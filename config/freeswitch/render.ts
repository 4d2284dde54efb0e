import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface FreeswitchConfig {
  readonly eventSocket: {
    readonly bind: string;
    readonly port: number;
    readonly password: string;
    /** Networks (CIDR) that may connect, in addition to this machine. */
    readonly allow?: readonly string[];
  };
  readonly sip: {
    readonly bind: string;
    readonly port: number;
    /** The public address, if it differs (NAT). */
    readonly external?: string;
  };
  /** UDP ports for this engine alone: calls would have no audio if another engine used the same ports. */
  readonly rtp: { readonly from: number; readonly to: number };
  /** Where FreeSWITCH requests accounts and addresses (see docs/reference/freeswitch.md): each application process, nearest first. */
  readonly application: { readonly urls: readonly string[]; readonly user: string; readonly password: string };
  /** A directory of 8 kHz WAV files. Without at least one file, held legs hear no music. */
  readonly musicDir: string;
  /** The directory for the CDRs of legs that ended while no application process was reachable. */
  readonly detailDir: string;
  /** In order of preference, with FreeSWITCH's names. */
  readonly codecs?: readonly string[];
  /** Maximum concurrent inbound calls and new calls per second; excess calls are refused with 503. */
  readonly maxCalls?: number;
  readonly maxCallsPerSecond?: number;
  /** Exempt from all limits. */
  readonly emergencyNumbers?: readonly string[];
  /** How long a call waits while the application is unreachable. */
  readonly applicationWaitSeconds?: number;
  /** A leg that sends no RTP for this long is hung up. */
  readonly mediaTimeoutSeconds?: number;
  /** The session refresh interval, and the minimum that the remote side may request (RFC 4028). */
  readonly sessionTimers?: { readonly expiresSeconds: number; readonly minSeconds: number };
  /** The Homer server that receives copies of SIP messages. FreeSWITCH sends neither a password nor RTCP. */
  readonly hep?: { readonly host: string; readonly port: number; readonly captureId: number };
  readonly logLevel?: 'debug' | 'info' | 'notice' | 'warning' | 'err';
  readonly switchName?: string;
}

const TEMPLATE = new URL('./freeswitch.xml', import.meta.url);
/** Blocks that are repeated for each value of a list. */
const REPEATED = /^ *\{\{#each (\w+)\}\}\n([\s\S]*?)^ *\{\{\/each\}\}\n/gm;
const EMERGENCY_NUMBERS = ['911', '997', '998', '999'];
const LEVELS = ['debug', 'info', 'notice', 'warning', 'err', 'crit', 'alert'];

/**
 * Renders the complete configuration (`freeswitch.xml`) of FreeSWITCH 1.10 for Hatif.
 * @throws Error for an invalid value
 */
export function freeswitchConfig(config: FreeswitchConfig): string {
  const { logLevel = 'warning', maxCalls = 1_000, maxCallsPerSecond = 60, hep } = config;
  const { expiresSeconds, minSeconds } = config.sessionTimers ?? { expiresSeconds: 1_800, minSeconds: 90 };
  const values: Readonly<Record<string, string | number | readonly string[]>> = {
    eslBind: config.eventSocket.bind,
    eslPort: config.eventSocket.port,
    eslPassword: config.eventSocket.password,
    // Written as a single list: with several lists, an address would have to be on each of them.
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
    // Each inbound call may be connected to a second leg, and emergency calls are not limited.
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
      if (typeof many !== 'object') throw new Error(`freeswitch.xml repeats a block for an unknown value "${name}"`);
      return many.map((_one, index) => lines.replaceAll(`{{${name}}}`, `{{${name}.${index}}}`)).join('');
    },
  );
  return template.replaceAll(/\{\{(\w+)(?:\.(\d+))?\}\}/g, (_all, name: string, index?: string) => {
    const all = values[name];
    const value = typeof all === 'object' ? all[Number(index)] : all;
    if (value === undefined) throw new Error(`freeswitch.xml uses an unknown value "${name}"`);
    return escaped(name, String(value));
  });
}

/** Matches whole numbers, not prefixes. */
function emergencyPattern(numbers: readonly string[]): string {
  const wrong = numbers.find((number) => !/^\d{2,6}$/.test(number));
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an emergency number`);
  return `^(?:${numbers.join('|')})$`;
}

/** FreeSWITCH expands `$${…}` before it parses the XML. */
function escaped(name: string, value: string): string {
  if (/[\p{Cc}]|\$\$\{/u.test(value))
    throw new Error(`The value "${name}" contains characters that FreeSWITCH's configuration does not allow`);
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
