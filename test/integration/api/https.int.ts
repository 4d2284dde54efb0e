import { cp, mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect, TLSSocket, type ConnectionOptions } from 'node:tls';
import { expect } from 'chai';
import express from 'express';
import { Lifecycle } from '../../../api/http/lifecycle.js';
import { readCertificate } from '../../../api/server/certificate.js';
import { startServer, type RunningServer } from '../../../api/server/server.js';
import { ApiClient } from '../../../cli/common/api-client.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { eventually } from '../../support/eventually.js';
import { collecting } from '../../support/logger.js';

const FIXTURES = join(import.meta.dirname, '../../support/fixtures');
const LOOK_MS = 20;

describe('the API over HTTPS', () => {
  let folder: string;
  let server: RunningServer;
  const files = { cert: '', key: '' };
  const { logger, lines } = collecting();

  /** Replaces a file by one of the fixtures. */
  const put = (file: keyof typeof files, fixture: string): Promise<void> => cp(join(FIXTURES, fixture), files[file]);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-https-'));
    Object.assign(files, { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') });
    await put('cert', 'self-signed.pem');
    await put('key', 'self-signed-key.pem');
    const app = express().use((req, res) => res.json({ secure: req.secure }));
    server = await startServer(app, {
      ...{ host: '127.0.0.1', port: 0, lifecycle: new Lifecycle(), publicUrl: () => 'https://voice.example.com' },
      tls: { files, logger, lookMs: LOOK_MS },
    });
  });
  after(async () => {
    await server.close(0);
    await rm(folder, { recursive: true });
  });

  /** The answer on a new connection, and the certificate that the server showed. */
  async function ask(): Promise<{ body: string; shown: string }> {
    const asked = request({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, agent: false }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if (!(response.socket instanceof TLSSocket)) throw new Error('the connection is not secure');
    const shown = response.socket.getPeerCertificate().fingerprint256;
    const chunks = (await response.toArray()) as Buffer[];
    return { body: Buffer.concat(chunks).toString(), shown };
  }

  const fingerprint = (fixture: string): string =>
    new X509Certificate(readFileSync(join(FIXTURES, fixture))).fingerprint256;

  it('is a secure connection with the certificate of the files', async () => {
    expect(await ask()).to.deep.equal({ body: '{"secure":true}', shown: fingerprint('self-signed.pem') });
  });

  it('does not answer plain HTTP', async () => {
    const error = await failureOf(fetch(`http://127.0.0.1:${server.port}/`));
    expect(error).to.be.instanceOf(TypeError);
  });

  it('is refused by the command with the name of the fault, not as an API that does not answer', async () => {
    const client = new ApiClient(`https://127.0.0.1:${server.port}`, 'key');
    expect(await failureOf(client.get('/')))
      .property('message')
      .to.match(/certificate of https:.* is not trusted: self-signed/);
  });

  it('keeps the certificate until the new one has its key, then shows the new one', async () => {
    await put('cert', 'self-signed-renewed.pem');
    await eventually(
      () => lines.some((line) => String(line.at(-1)).includes('the previous one stays')),
      'the log reports it',
    );
    expect((await ask()).shown).to.equal(fingerprint('self-signed.pem'));
    await put('key', 'self-signed-renewed-key.pem');
    await eventually(
      async () => (await ask()).shown === fingerprint('self-signed-renewed.pem'),
      'the new certificate is shown',
    );
  });

  it('takes TLS 1.2 and 1.3 only, with forward secrecy, also after a renewal', async () => {
    /** The version and the suite that the server agreed to, or why it did not. */
    const agreed = async (options: ConnectionOptions): Promise<string> => {
      const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false, ...options });
      try {
        await once(socket, 'secureConnect');
        return `${socket.getProtocol()} ${socket.getCipher().name}`;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? '';
      } finally {
        socket.destroy();
      }
    };
    const old = { ciphers: 'DEFAULT:@SECLEVEL=0', minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
    expect(await agreed({})).to.equal('TLSv1.3 TLS_AES_256_GCM_SHA384');
    expect(await agreed({ maxVersion: 'TLSv1.2' })).to.equal('TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384');
    expect(await agreed(old)).to.match(/PROTOCOL_VERSION|HANDSHAKE_FAILURE/);
    // The certificate of the test is for such suites, too, and Node.js takes them by default.
    for (const ciphers of ['ECDHE-ECDSA-AES256-SHA384', 'ECDHE-ECDSA-AES128-SHA']) {
      expect(await agreed({ maxVersion: 'TLSv1.2', ciphers }), ciphers).to.contain('HANDSHAKE_FAILURE');
    }
  });

  it('needs files that fit together', async () => {
    const mixed = { cert: join(FIXTURES, 'self-signed.pem'), key: join(FIXTURES, 'self-signed-renewed-key.pem') };
    expect(await failureOf(readCertificate(mixed))).to.have.property('code', 'ERR_OSSL_X509_KEY_VALUES_MISMATCH');
  });
});
