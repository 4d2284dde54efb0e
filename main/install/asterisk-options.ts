import type { AsteriskOptions } from '../../adapters/embedded/index.js';
import type { Settings } from '../../config/settings.js';
import { homer, sessionTimers } from './engine-settings.js';

/** The settings of an Asterisk whose configuration Hatif writes. */
export function asteriskOptions(settings: Settings): AsteriskOptions {
  const {
    SIP_EXTERNAL_ADDRESS: externalAddress,
    SIP_TLS_CERT: certificateFile,
    SIP_TLS_KEY: privateKeyFile,
  } = settings;
  return {
    sip: {
      bind: settings.SIP_BIND,
      port: settings.SIP_PORT,
      localNetworks: settings.SIP_LOCAL_NETWORKS,
      ...(externalAddress !== undefined && { externalAddress }),
      ...(certificateFile !== undefined &&
        privateKeyFile !== undefined && { tls: { port: settings.SIP_TLS_PORT, certificateFile, privateKeyFile } }),
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
