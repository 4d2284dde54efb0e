import { isIP } from 'node:net';
import type { AsteriskOptions, SipTlsOptions } from '../../adapters/embedded/index.js';
import type { Settings } from '../../config/settings.js';
import { parseSipAddress } from '../../core/model/host-port.js';
import { sipTlsFiles } from './certificate-files.js';
import { homer, sessionTimers } from './engine-settings.js';

/** The settings of an Asterisk whose configuration Hatif writes. */
export function asteriskOptions(settings: Settings): AsteriskOptions {
  const { SIP_EXTERNAL_ADDRESS: externalAddress } = settings;
  return {
    sip: {
      bind: settings.SIP_BIND,
      port: settings.SIP_PORT,
      localNetworks: [...settings.SIP_LOCAL_NETWORKS, ...edgeNetwork(settings)],
      ...(externalAddress !== undefined && { externalAddress }),
      ...tlsOptions(settings),
    },
    rtp: { from: settings.RTP_PORT_FROM, to: settings.RTP_PORT_TO },
    codecs: settings.CODECS,
    maxCalls: settings.MAX_CALLS,
    ...(settings.MAX_CALLS_PER_SECOND !== undefined && { maxCallsPerSecond: settings.MAX_CALLS_PER_SECOND }),
    ...(settings.HOLD_MUSIC_DIR !== undefined && { holdMusicDir: settings.HOLD_MUSIC_DIR }),
    emergencyNumbers: settings.EMERGENCY_NUMBERS,
    sessionTimers: sessionTimers(settings),
    ...homer(settings),
  };
}

/** The SIP edge needs the address that the engine has inside: it shows phones the one outside. */
export function edgeNetwork({ SIP_EDGE, SIP_EDGE_ADDRESS: address }: Settings): readonly string[] {
  if (SIP_EDGE === 'direct' || address === undefined) return [];
  const { host } = parseSipAddress(address);
  return isIP(host) === 0 ? [] : [`${host}/${isIP(host) === 4 ? 32 : 128}`];
}

/** Behind the SIP edge, drachtio-server takes TLS. */
function tlsOptions(settings: Settings): { readonly tls?: SipTlsOptions } {
  const files = sipTlsFiles(settings);
  if (!files || settings.SIP_EDGE === 'drachtio') return {};
  const { SIP_TLS_CA_FILE: authoritiesFile } = settings;
  return {
    tls: {
      port: settings.SIP_TLS_PORT,
      certificateFile: files.cert,
      privateKeyFile: files.key,
      version: settings.SIP_TLS_MIN_VERSION,
      ...(authoritiesFile !== undefined && { authoritiesFile }),
    },
  };
}
