import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, rootCertificates } from 'node:tls';
import { expect } from 'chai';
import { TlsFiles } from '../../../adapters/embedded/asterisk/tls-files.js';
import { EmbeddedError } from '../../../adapters/embedded/index.js';

const fixture = (name: string): string => join(import.meta.dirname, '../../support/fixtures', name);
const FIRST = { certificateFile: fixture('self-signed.pem'), privateKeyFile: fixture('self-signed-key.pem') };
const SECOND = {
  certificateFile: fixture('self-signed-renewed.pem'),
  privateKeyFile: fixture('self-signed-renewed-key.pem'),
};

describe('the files of TLS of the embedded Asterisk', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hatif-tls-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const files = (options: typeof FIRST & { authoritiesFile?: string }): TlsFiles =>
    new TlsFiles(folder, { port: 5061, ...options });

  it('are one with certificate and key, private, and one with the public authorities', () => {
    const { copied } = files(FIRST);
    expect(files(FIRST).copy()).to.equal(true);
    expect(copied.certificateFile).to.equal(copied.privateKeyFile);
    const pem = readFileSync(copied.certificateFile, 'utf8');
    createSecureContext({ cert: pem, key: pem });
    expect(statSync(copied.certificateFile).mode & 0o777).to.equal(0o600);
    expect(readFileSync(copied.authoritiesFile!, 'utf8').match(/BEGIN/g)).to.have.length(rootCertificates.length);
    expect(files({ ...FIRST, authoritiesFile: fixture('self-signed.pem') }).copy(), 'the same certificate').to.equal(
      false,
    );
    expect(readFileSync(copied.authoritiesFile!, 'utf8')).to.equal(readFileSync(fixture('self-signed.pem'), 'utf8'));
  });

  it('change when the operator’s do', () => {
    files(FIRST).copy();
    expect(files(FIRST).copy()).to.equal(false);
    expect(files(SECOND).copy()).to.equal(true);
  });

  it('stay as they are if the new ones do not fit together or cannot be read', () => {
    files(FIRST).copy();
    const { certificateFile } = files(FIRST).copied;
    const before = readFileSync(certificateFile, 'utf8');
    const mixed = { ...FIRST, privateKeyFile: SECOND.privateKeyFile };
    expect(() => files(mixed).copy()).to.throw(EmbeddedError, 'must hold the certificate of the key');
    expect(() => files({ ...FIRST, certificateFile: '/none.pem' }).copy()).to.throw(
      EmbeddedError,
      'cannot read /none.pem',
    );
    expect(readFileSync(certificateFile, 'utf8')).to.equal(before);
  });
});
