import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { EMERGENCY_NUMBERS } from '../../../core/model/phone-numbers.js';
import { EmbeddedError } from '../system/types.js';
import type { AsteriskOptions, HepOptions, SipOptions } from '../system/types.js';
import type { AsteriskLayout } from './layout.js';
import type { TemplateValues } from './render.js';

const DEFAULT_CODECS = ['alaw', 'ulaw', 'opus', 'g722'];

export interface AriAccess {
  /** The address that ARI listens on. Default 127.0.0.1: any client that can log in controls the calls. */
  readonly bind?: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** Returns the values for the templates of `config/asterisk`. */
export function templateValues(
  options: AsteriskOptions,
  layout: AsteriskLayout,
  modules: readonly string[],
  ari: AriAccess,
): TemplateValues {
  const maxCalls = options.maxCalls ?? 1000;
  const emergency = options.emergencyNumbers ?? EMERGENCY_NUMBERS;
  return {
    ...layout,
    musicDir: options.holdMusicDir ?? layout.musicDir,
    modules: options.hep ? modules : modules.filter((line) => !line.includes('res_hep')),
    ariBind: ari.bind ?? '127.0.0.1',
    ariPort: ari.port,
    ariUser: ari.user,
    ariPassword: ari.password,
    sipBind: sipHost(options.sip.bind),
    sipPort: options.sip.port,
    addressTranslation: addressTranslation(options.sip),
    iceCandidates: iceCandidates(options.sip),
    tlsTransport: tlsTransport(options.sip),
    codecs: usableCodecs(options, modules).join(','),
    rtpFrom: options.rtp.from,
    rtpTo: options.rtp.to,
    maxCalls,
    maxCallsPerSecond: options.maxCallsPerSecond ?? 150,
    // Above the dialplan's limit, because it also counts Local channels (one per echoed call) and emergency calls.
    hardMaxCalls: maxCalls * 2 + 100,
    maxFiles: 65_536,
    maxCallSeconds: options.maxCallSeconds ?? 14_460,
    applicationWaitSeconds: options.applicationWaitSeconds ?? 15,
    ...hepValues(options.hep),
    sessionExpiresSeconds: options.sessionTimers?.expiresSeconds ?? 1_800,
    sessionMinSeconds: options.sessionTimers?.minSeconds ?? 90,
    emergencyTrunk: emergency.flatMap((number) => emergencyLines(number, 'trunk')),
    emergencyAgent: emergency.flatMap((number) => emergencyLines(number, 'agent')),
  };
}

/**
 * Returns the wanted codecs, in order, that this build can transcode: prompts must be playable whichever codec a call
 * negotiates.
 */
export function usableCodecs(options: AsteriskOptions, modules: readonly string[]): string[] {
  const wanted = options.codecs ?? DEFAULT_CODECS;
  const usable = wanted.filter((name) => modules.some((line) => line.includes(`codec_${name}`)));
  if (usable.length === 0)
    throw new EmbeddedError('asterisk', `this build has none of the codecs ${wanted.join(', ')}`);
  return usable;
}

/** An exact extension takes precedence over every pattern, so it bypasses the limits. */
function emergencyLines(number: string, from: 'trunk' | 'agent'): string[] {
  if (!/^\d{2,6}$/.test(number)) throw new EmbeddedError('asterisk', `"${number}" is not an emergency number`);
  return [
    `exten => ${number},1,Set(HATIF_TO=\${EXTEN})`,
    ` same => n,Set(HATIF_FROM=${from})`,
    ' same => n,Goto(hatif-enter,s,1)',
  ];
}

function hepValues(hep: HepOptions | undefined): TemplateValues {
  const { host = '127.0.0.1', port = 9060, captureId = 0, password } = hep ?? {};
  return {
    hepEnabled: hep ? 'yes' : 'no',
    hepAddress: `${sipHost(host, 'HEP address')}:${port}`,
    hepCaptureId: captureId,
    hepPassword: password === undefined ? [] : [`capture_password = ${oneLine('HEP password', password)}`],
  };
}

function addressTranslation(sip: SipOptions): string[] {
  if (sip.externalAddress === undefined || sip.externalAddress === '') return [];
  const address = oneWord('external address', sip.externalAddress);
  return [
    `external_signaling_address = ${address}`,
    `external_signaling_port = ${sip.port}`,
    `external_media_address = ${address}`,
    ...(sip.localNetworks ?? []).map((network) => `local_net = ${oneWord('local network', network)}`),
  ];
}

/**
 * The addresses that Asterisk offers to browsers beside its own (`local => offered`): where it is reached from outside,
 * or the loopback, which it leaves out by itself.
 */
function iceCandidates({ bind, externalAddress = '' }: SipOptions): string[] {
  const offered = externalAddress === '' ? bind : externalAddress;
  const isWildcard = offered === '0.0.0.0' || offered === '::';
  if (isWildcard || isIP(offered) === 0) return [];
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ family, internal, address }) => family === `IPv${isIP(offered)}` && !internal && address !== offered)
    .map(({ address }) => `${address} => ${offered},include_local_address`);
}

/** The public authorities on Debian. */
const PUBLIC_AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
/** Asterisk's names. None of them stands for several versions from 1.2 on. */
const TLS_METHODS = { '1.2': 'tlsv1_2', '1.3': 'tlsv1_3' } as const;

/** Although a reload may not change the transport, it makes Asterisk read files with changed content again. */
function tlsTransport(sip: SipOptions): string[] {
  if (!sip.tls) return [];
  const { port, certificateFile, privateKeyFile, authoritiesFile = PUBLIC_AUTHORITIES, version = '1.2' } = sip.tls;
  return [
    '',
    '[tls]',
    'type = transport',
    'protocol = tls',
    `bind = ${sipHost(sip.bind)}:${port}`,
    'allow_reload = no',
    `cert_file = ${oneLine('path of the TLS certificate', certificateFile)}`,
    `priv_key_file = ${oneLine('path of the TLS key', privateKeyFile)}`,
    `ca_list_file = ${oneLine('path of the authorities', authoritiesFile)}`,
    // Of carriers, to which Asterisk connects; phones connect to Asterisk and need no certificate.
    'verify_server = yes',
    `method = ${TLS_METHODS[version]}`,
    ...addressTranslation(sip).map((line) =>
      line.startsWith('external_signaling_port') ? `external_signaling_port = ${port}` : line,
    ),
  ];
}

function sipHost(host: string, what = 'SIP bind address'): string {
  const address = oneWord(what, host);
  return isIP(address) === 6 ? `[${address}]` : address;
}

function oneWord(what: string, text: string): string {
  if (!/^[\w.:/[\]%-]+$/.test(text)) throw new EmbeddedError('asterisk', `"${text}" is not a valid ${what}`);
  return text;
}

function oneLine(what: string, text: string): string {
  if (/[\r\n;]/.test(text)) throw new EmbeddedError('asterisk', `the ${what} contains an invalid character`);
  return text;
}
