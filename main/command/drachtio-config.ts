import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { DrachtioConfigRequest } from '../../cli/common/context.js';
import { CliError, EXIT } from '../../cli/common/failure.js';
import { drachtioConfig, type DrachtioConfig } from '../../config/drachtio/render.js';
import type { Settings } from '../../config/settings.js';
import { servesSipTls } from '../../config/tls.js';
import { parseSipAddress } from '../../core/model/host-port.js';
import { writeCertificates } from './certificates.js';

/** Writes the configuration of a drachtio-server, with its certificate. @returns the path of the file. @throws CliError */
export async function writeDrachtioConfig(settings: Settings, request: DrachtioConfigRequest): Promise<string> {
  const { folder, adminBind, mode } = request;
  const { DRACHTIO_SECRET: secret, SIP_EXTERNAL_ADDRESS: external, SIP_BIND: bind, SIP_WSS_PORT: wssPort } = settings;
  if (secret === undefined) throw new CliError('DRACHTIO_SECRET is not set.', EXIT.usage);
  const [localNetwork] = settings.SIP_LOCAL_NETWORKS;
  const tlsFolder = settings.DRACHTIO_TLS_DIR ?? resolve(folder, 'tls');
  const content = rendered({
    admin: { bind: adminBind, port: settings.DRACHTIO_PORT, secret },
    sip: {
      ...{ bind, port: settings.SIP_EDGE_PORT },
      ...(external !== undefined && external !== bind && { external }),
      ...(localNetwork !== undefined && { localNetwork }),
    },
    ...(settings.SIP_EDGE_WS !== undefined && { browsers: parseSipAddress(settings.SIP_EDGE_WS) }),
    ...(servesSipTls(settings) && {
      tls: { port: settings.SIP_TLS_PORT, ...(wssPort !== undefined && { wssPort }), folder: tlsFolder },
    }),
  });
  const file = join(folder, 'drachtio.conf.xml');
  await writeCertificates(settings, tlsFolder, mode);
  await mkdir(folder, { recursive: true });
  await writeFile(file, content, { mode });
  await chmod(file, mode);
  return file;
}

/** @throws CliError for a value that the file cannot hold */
function rendered(config: DrachtioConfig): string {
  try {
    return drachtioConfig(config);
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error), EXIT.usage);
  }
}
