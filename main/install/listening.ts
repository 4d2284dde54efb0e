import { settingProblem, SettingsError } from '../../config/settings-error.js';
import { hasCode } from '../../core/model/error-code.js';

/** A port of the settings cannot be listened on. `message` names the setting, `startWith` is one that avoids the port. */
export class PortUnavailable extends Error {
  override readonly name = 'PortUnavailable';
  constructor(
    message: string,
    readonly startWith: string,
  ) {
    super(message);
  }
}

/** The settings that an HTTP server listens on. */
export interface ListeningSettings {
  readonly HOST: string;
  readonly port: { readonly name: 'PORT' | 'METRICS_PORT' | 'ACME_HTTP_PORT'; readonly value: number };
  /** The process of Hatif that already runs with the same data folder, which may be the one that has the port. */
  readonly running?: number | null;
}

/** Runs `listen`, and names the setting if its address or port is not available. @throws SettingsError, PortUnavailable */
export async function listening<T>(
  { HOST, port, running = null }: ListeningSettings,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    if (hasCode(error, 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL')) {
      throw new SettingsError([settingProblem('HOST', 'must be an address of this machine, or 0.0.0.0 for all', HOST)]);
    }
    const why = hasCode(error, 'EADDRINUSE')
      ? 'is used by another program'
      : hasCode(error, 'EACCES')
        ? 'needs root, as all ports below 1024 do'
        : null;
    if (why === null) throw error;
    const other = port.value < 1024 ? port.value + 8000 : port.value + 1;
    const choose =
      running === null
        ? 'Choose another port'
        : `Hatif already runs with this data folder (process ${running}): to start it again, stop that process first. ` +
          'To replace it while calls are live, choose another port';
    throw new PortUnavailable(
      `${port.name}: ${HOST}:${port.value} ${why}. ${choose}`,
      `${port.name}=${Math.min(other, 65_535)}`,
    );
  }
}

/** A wildcard address can be listened on but not connected to. */
export function addressOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
