import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext, rootCertificates } from 'node:tls';
import { errorCodeOf } from '../../../core/model/error-code.js';
import { writePrivate } from '../system/files.js';
import { EmbeddedError } from '../system/types.js';
import type { SipTlsOptions } from '../system/types.js';

/**
 * Asterisk's own copies of the files of TLS. The certificate and its key are in one file, which is replaced at once, so
 * that Asterisk never reads one without the other.
 */
export class TlsFiles {
  readonly #identity: string;
  readonly #authorities: string;

  constructor(
    etcDir: string,
    private readonly options: SipTlsOptions,
  ) {
    this.#identity = join(etcDir, 'tls.pem');
    this.#authorities = join(etcDir, 'authorities.pem');
  }

  /** The options of the configuration, with these files in place of the operator's. */
  get copied(): SipTlsOptions {
    return {
      ...this.options,
      certificateFile: this.#identity,
      privateKeyFile: this.#identity,
      authoritiesFile: this.#authorities,
    };
  }

  /**
   * Copies the operator's files.
   * @returns whether the certificate or its key changed
   * @throws EmbeddedError if a file cannot be read, or the key is not that of the certificate
   */
  copy(): boolean {
    const { certificateFile, privateKeyFile, authoritiesFile } = this.options;
    const [cert, key] = [readPem(certificateFile), readPem(privateKeyFile)];
    try {
      createSecureContext({ cert, key });
    } catch (error) {
      const why = errorCodeOf(error) ?? String(error);
      throw new EmbeddedError(
        'asterisk',
        `${certificateFile} must hold the certificate of the key in ${privateKeyFile} (${why})`,
      );
    }
    const authorities = authoritiesFile === undefined ? rootCertificates.join('\n') : readPem(authoritiesFile);
    writePrivate(this.#authorities, authorities);
    const identity = certificateFile === privateKeyFile ? cert : `${cert.trimEnd()}\n${key}`;
    if (existsSync(this.#identity) && readFileSync(this.#identity, 'utf8') === identity) return false;
    writePrivate(this.#identity, identity);
    return true;
  }
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new EmbeddedError('asterisk', `cannot read ${file} (${errorCodeOf(error) ?? String(error)})`, {
      cause: error,
    });
  }
}
