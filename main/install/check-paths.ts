import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Settings } from '../../config/settings.js';
import { settingProblem, SettingsError } from '../../config/settings-error.js';
import { errorCodeOf } from '../../core/model/error-code.js';

/** Checks the folders and files that settings name, and creates missing folders. @throws SettingsError naming each */
export function checkPaths(settings: Settings): void {
  const { HTTP_TLS_CERT, HTTP_TLS_KEY, SIP_TLS_CERT, SIP_TLS_KEY, SIP_TLS_CA_FILE } = settings;
  const { MEDIA_DIR, HATIF_DATA_DIR } = settings;
  const recordings = settings.RECORDING_STORAGE === 'local' ? settings.RECORDING_DIR : undefined;
  // The paths of another Asterisk are paths of its own machine.
  const isEmbedded = settings.ASTERISK_ENABLED && settings.ASTERISK_ARI_URL === undefined;
  const problems = [
    ...Object.entries({ HATIF_DATA_DIR, MEDIA_DIR, RECORDING_DIR: recordings }).map(([name, path]) =>
      problemOf(name, path, 'must be a folder that this process can write to', () => {
        mkdirSync(path ?? '', { recursive: true });
        accessSync(path ?? '', constants.W_OK | constants.X_OK);
      }),
    ),
    ...Object.entries({ ...(isEmbedded && { SIP_TLS_KEY, SIP_TLS_CA_FILE }), HTTP_TLS_KEY }).map(([name, path]) =>
      problemOf(name, path, 'must be a file that this process can read', () => accessSync(path ?? '', constants.R_OK)),
    ),
    certificateProblem('HTTP_TLS', HTTP_TLS_CERT, HTTP_TLS_KEY),
    isEmbedded ? certificateProblem('SIP_TLS', SIP_TLS_CERT, SIP_TLS_KEY) : null,
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new SettingsError(problems);
}

function certificateProblem(prefix: string, cert: string | undefined, key: string | undefined): string | null {
  // A missing key is a problem of its own.
  if (key === undefined || !existsSync(key)) return null;
  const allowed = `must be a PEM file with the certificate of ${prefix}_KEY`;
  return problemOf(`${prefix}_CERT`, cert, allowed, () =>
    createSecureContext({ cert: readFileSync(cert ?? ''), key: readFileSync(key) }),
  );
}

function problemOf(name: string, path: string | undefined, allowed: string, check: () => void): string | null {
  if (path === undefined) return null;
  try {
    check();
    return null;
  } catch (error) {
    return `${settingProblem(name, allowed, path)} (${errorCodeOf(error) ?? String(error)})`;
  }
}
