import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

type SrtpMode = 'off' | 'offered' | 'required';

export interface FreeswitchConfig {
  readonly eventSocket: {
    readonly bind: string;
    readonly port: number;
    readonly password: string;
    /** Networks (CIDR) from which clients may connect, besides this machine. */
    readonly allow?: readonly string[];
  };
  readonly sip: {
    readonly bind: string;
    readonly port: number;
    /** The address that the other side sees, if it differs (NAT). */
    readonly external?: string;
    /** Networks (CIDR) in which the other side sees this engine's own address. Without any: those of this machine. */
    readonly localNetworks?: readonly string[];
  };
  /** SIP over WebSocket, for browsers; only the application may reach it. */
  readonly webSocket?: { readonly bind: string; readonly port: number };
  /** SIP over TLS, with `agent.pem` and `cafile.pem` in the folder. */
  readonly tls?: { readonly port: number; readonly folder: string; readonly minVersion: '1.2' | '1.3' };
  /** Encryption of the audio: of softphones, and of trunks over TLS. */
  readonly srtp?: { readonly phones: SrtpMode; readonly trunks: SrtpMode };
  /** UDP ports that no other engine uses: with shared ports, calls have no audio. */
  readonly rtp: { readonly from: number; readonly to: number };
  /** The API processes, nearest first, from which it requests phones and trunks (docs/reference/freeswitch.md). */
  readonly application: { readonly urls: readonly string[]; readonly user: string; readonly password: string };
  /** Folder with at least one WAV file of 8 kHz: without one, held legs hear no music. */
  readonly musicDir: string;
  /** Folder in which FreeSWITCH records the legs that ended. */
  readonly detailDir: string;
  /**
   * How it does: `file` writes a line for each leg (mod_cdr_csv); `http` posts each to the application, and writes a file
   * about those that no process accepted (mod_json_cdr), which costs both sides more.
   */
  readonly legEnds?: 'file' | 'http';
  /** In order of preference, by FreeSWITCH's names. */
  readonly codecs?: readonly string[];
  /** Incoming calls at the same time, and new ones per second; further ones are rejected with 503. */
  readonly maxCalls?: number;
  readonly maxCallsPerSecond?: number;
  /** Calls to these bypass every limit. */
  readonly emergencyNumbers?: readonly string[];
  /** Maximum duration of an incoming call. */
  readonly maxCallSeconds?: number;
  /** How long an incoming call waits for the application. */
  readonly applicationWaitSeconds?: number;
  /** A call ends if its phone sends no audio for this time. */
  readonly mediaTimeoutSeconds?: number;
  /** Session timers (RFC 4028): the refresh interval, and the shortest one that the other side may ask for. */
  readonly sessionTimers?: { readonly expiresSeconds: number; readonly minSeconds: number };
  /** A Homer that receives copies of SIP messages. FreeSWITCH sends neither a password nor RTCP. */
  readonly hep?: { readonly host: string; readonly port: number; readonly captureId: number };
  readonly logLevel?: 'debug' | 'info' | 'notice' | 'warning' | 'err';
  readonly switchName?: string;
}

const TEMPLATE = new URL('./freeswitch.xml', import.meta.url);
/** Lines that are repeated for each of several values. */
const REPEATED = /^ *\{\{#each (\w+)\}\}\n([\s\S]*?)^ *\{\{\/each\}\}\n/gm;
/** For calls that other engines pass on to softphones. */
const PHONE_VARIABLES = {
  off: '',
  offered: '{rtp_secure_media_outbound=optional}',
  required: '{rtp_secure_media_outbound=mandatory}',
} as const;
const EMERGENCY_NUMBERS = ['911', '997', '998', '999'];
const LEVELS = ['debug', 'info', 'notice', 'warning', 'err', 'crit', 'alert'];

/**
 * Renders the whole configuration (`freeswitch.xml`) of a FreeSWITCH 1.10 for Hatif.
 * @throws Error for a value that the file cannot hold
 */
export function freeswitchConfig(config: FreeswitchConfig): string {
  const { logLevel = 'warning', maxCalls = 1_000, maxCallsPerSecond = 60, hep, tls } = config;
  const { phones, trunks } = config.srtp ?? { phones: 'off', trunks: 'off' };
  const { expiresSeconds, minSeconds } = config.sessionTimers ?? { expiresSeconds: 1_800, minSeconds: 90 };
  const values: Readonly<Record<string, string | number | readonly string[]>> = {
    eslBind: config.eventSocket.bind,
    eslPort: config.eventSocket.port,
    eslPassword: config.eventSocket.password,
    // One list: with several, an address would have to be on each.
    eslAcl: ['127.0.0.0/8', ...(config.eventSocket.allow ?? [])].join(','),
    sipBind: config.sip.bind,
    sipPort: config.sip.port,
    sipExternal: config.sip.external ?? config.sip.bind,
    localNetworks: config.sip.localNetworks?.length ? [config.sip.localNetworks.join(',')] : [],
    webSocket: config.webSocket ? [hostPort(config.webSocket)] : [],
    tls: String(tls !== undefined),
    tlsPort: tls ? [String(tls.port)] : [],
    tlsFolder: tls?.folder ?? '',
    tlsVersions: tls?.minVersion === '1.3' ? 'tlsv1.3' : 'tlsv1.2,tlsv1.3',
    encryptedPhones: phones === 'required' ? [phones] : [],
    encryptedTrunks: trunks === 'required' ? [trunks] : [],
    phoneVariables: PHONE_VARIABLES[phones],
    rtpFrom: config.rtp.from,
    rtpTo: config.rtp.to,
    applicationUrl: config.application.urls,
    applicationUser: config.application.user,
    applicationPassword: config.application.password,
    musicDir: config.musicDir,
    detailDir: config.detailDir,
    endModule: [config.legEnds === 'http' ? 'mod_json_cdr' : 'mod_cdr_csv'],
    codecs: (config.codecs ?? ['PCMA', 'PCMU', 'OPUS', 'G722']).join(','),
    maxCalls,
    maxCallsPerSecond,
    maxCallSeconds: config.maxCallSeconds ?? 14_400,
    // Each incoming call may get a second leg, and emergency calls come on top.
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
      if (typeof many !== 'object') throw new Error(`freeswitch.xml repeats lines for an unknown value "${name}"`);
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

function hostPort({ bind, port }: { readonly bind: string; readonly port: number }): string {
  return `${bind.includes(':') ? `[${bind}]` : bind}:${port}`;
}

/** Matches whole numbers, not prefixes. */
function emergencyPattern(numbers: readonly string[]): string {
  const wrong = numbers.find((number) => !/^\d{2,6}$/.test(number));
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an emergency number`);
  return `^(?:${numbers.join('|')})$`;
}

/** FreeSWITCH expands `$${…}` before it parses the XML. */
function escaped(name: string, value: string): string {
  if (/[\p{Cc}]|\$\$\{/u.test(value)) throw new Error(`FreeSWITCH's configuration cannot hold the value "${name}"`);
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
