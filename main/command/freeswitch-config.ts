import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FREESWITCH_PATH } from '../../api/routes/platform/freeswitch.js';
import type { FreeswitchConfigRequest } from '../../cli/common/context.js';
import { CliError, EXIT } from '../../cli/common/failure.js';
import { freeswitchConfig, type FreeswitchConfig } from '../../config/freeswitch/render.js';
import type { Settings } from '../../config/settings.js';
import { servesHttps, servesSipTls } from '../../config/tls.js';
import type { Cipher } from '../../core/model/access/cipher.js';
import { engineSecret } from '../../core/services/engines/manage.js';
import { freeswitch } from '../engines/kinds/freeswitch.js';
import { edgeNetwork } from '../install/asterisk-options.js';
import { homer, sessionTimers, sipSecurity } from '../install/engine-settings.js';
import { writeCertificates } from './certificates.js';

/** @throws CliError for a value that the file cannot hold */
function rendered(config: FreeswitchConfig): string {
  try {
    return freeswitchConfig(config);
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error), EXIT.usage);
  }
}

/** Writes the configuration of a FreeSWITCH from the settings and the request. @returns the path of the file */
export async function writeFreeswitchConfig(
  settings: Settings,
  cipher: Cipher,
  request: FreeswitchConfigRequest,
): Promise<string> {
  const { folder, name, mode, applications, eventSocket, webSocket, musicDir, detailDir, legEnds } = request;
  const { SIP_EXTERNAL_ADDRESS: external } = settings;
  const tlsFolder = join(folder, 'tls');
  const content = rendered({
    eventSocket,
    sip: {
      ...{ bind: settings.SIP_BIND, port: settings.SIP_PORT },
      ...(external !== undefined && { external }),
      ...(settings.SIP_EDGE === 'drachtio' && {
        localNetworks: [...settings.SIP_LOCAL_NETWORKS, ...edgeNetwork(settings)],
      }),
    },
    // Behind the SIP edge, drachtio-server takes browsers and TLS.
    ...(settings.SIP_EDGE === 'direct' && { webSocket }),
    ...(servesSipTls(settings) &&
      settings.SIP_EDGE === 'direct' && {
        tls: { port: settings.SIP_TLS_PORT, folder: resolve(tlsFolder), minVersion: settings.SIP_TLS_MIN_VERSION },
      }),
    srtp: sipSecurity(settings),
    rtp: { from: settings.RTP_PORT_FROM, to: settings.RTP_PORT_TO },
    application: {
      urls: (applications ?? [ownAddress(settings)]).map((url) => new URL(FREESWITCH_PATH, url).href),
      user: name,
      password: engineSecret(cipher, name),
    },
    musicDir,
    detailDir,
    legEnds,
    codecs: freeswitch.codecs(settings.CODECS),
    maxCalls: settings.MAX_CALLS,
    ...(settings.MAX_CALLS_PER_SECOND !== undefined && { maxCallsPerSecond: settings.MAX_CALLS_PER_SECOND }),
    emergencyNumbers: settings.EMERGENCY_NUMBERS,
    sessionTimers: sessionTimers(settings),
    ...homer(settings),
    switchName: name,
  });
  const file = join(folder, 'freeswitch.xml');
  await writeCertificates(settings, tlsFolder, mode);
  await mkdir(folder, { recursive: true });
  await writeFile(file, content, { mode });
  await chmod(file, mode);
  return file;
}

/** Where an engine of this machine reaches the application. */
function ownAddress(settings: Settings): string {
  const { PORT, PUBLIC_URL } = settings;
  return servesHttps(settings) && PUBLIC_URL !== undefined ? PUBLIC_URL : `http://127.0.0.1:${PORT}`;
}
