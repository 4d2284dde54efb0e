import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readSettings } from '../../../config/read-settings.js';
import { SettingsError } from '../../../config/settings-error.js';
import { checkPaths } from '../../../main/install/check-paths.js';

describe('the paths of the settings', () => {
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'hatif-paths-'));
    file = join(folder, 'file');
    writeFileSync(file, '');
  });
  after(() => rmSync(folder, { recursive: true }));

  const problemsOf = (environment: Record<string, string>): readonly string[] => {
    try {
      checkPaths(readSettings({ HATIF_DATA_DIR: folder, ...environment }));
      return [];
    } catch (error) {
      if (error instanceof SettingsError) return error.problems;
      throw error;
    }
  };

  it('are created if they are folders', () => {
    expect(problemsOf({ HATIF_DATA_DIR: join(folder, 'a/b') })).to.deep.equal([]);
    expect(statSync(join(folder, 'a/b')).isDirectory()).to.equal(true);
  });

  it('are all reported with their variable, what is allowed and the value', () => {
    expect(problemsOf({ HATIF_DATA_DIR: file, MEDIA_DIR: join(file, 'media') })).to.deep.equal([
      `HATIF_DATA_DIR: must be a folder that this process can write to, but is "${file}" (EEXIST)`,
      `MEDIA_DIR: must be a folder that this process can write to, but is "${join(file, 'media')}" (ENOTDIR)`,
    ]);
    const none = join(folder, 'none.pem');
    expect(problemsOf({ SIP_TLS_CERT: file, SIP_TLS_KEY: none })).to.deep.equal([
      `SIP_TLS_KEY: must be a file that this process can read, but is "${none}" (ENOENT)`,
    ]);
  });

  it('include a certificate of HTTPS, which must be that of the key', () => {
    const fixture = (name: string): string => join(import.meta.dirname, '../../support/fixtures', name);
    const tls = { HTTP_TLS_CERT: fixture('self-signed.pem'), PUBLIC_URL: 'https://voice.example.com' };
    expect(problemsOf({ ...tls, HTTP_TLS_KEY: fixture('self-signed-key.pem') })).to.deep.equal([]);
    expect(problemsOf({ ...tls, HTTP_TLS_KEY: fixture('self-signed-renewed-key.pem') })[0]).to.match(
      /^HTTP_TLS_CERT: must be a PEM file with the certificate of HTTP_TLS_KEY/,
    );
  });

  it('of another Asterisk or another storage are not checked', () => {
    const tls = { SIP_TLS_CERT: '/none', SIP_TLS_KEY: '/none' };
    expect(problemsOf({ ...tls, ASTERISK_ENABLED: 'false' })).to.deep.equal([]);
    const s3 = { RECORDING_STORAGE: 's3', S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' };
    expect(problemsOf({ ...s3, RECORDING_DIR: file })).to.deep.equal([]);
  });
});
