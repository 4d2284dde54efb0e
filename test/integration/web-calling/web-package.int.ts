import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { webPackageRouter } from '../../../api/routes/web-calling/package.js';
import { webPackage } from '../../../main/roles/built-files.js';
import { PAGE, testApi, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

/** With JsSIP. */
const MAX_BYTES = 90_000;
const run = promisify(execFile);

describe('the browser package as the platform serves it', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let api: TestApi;

  before(async () => {
    const built = await webPackage();
    expect(built, 'the package is built').not.to.equal(null);
    database = await testDatabase();
    api = await testApi({ db: database.db, routes: [], routers: [webPackageRouter(built!)] });
  });
  after(async () => {
    await api.close();
    await database.close();
  });

  it('is one small module for any page, with the licences of what is in it', async () => {
    const answer = await fetch(`${api.url}/web/v1.js`, { headers: { origin: PAGE } });
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
    const text = await answer.text();
    expect(gzipSync(text, { level: 9 }).length).to.be.below(MAX_BYTES);
    expect(text).not.to.match(/innerHTML|\beval\(|new Function|document\.write|document\.cookie/);
    const licences = await (await fetch(`${api.url}/web/licences.txt`)).text();
    for (const name of ['jssip', 'debug', 'events', 'sdp-transform'])
      expect(licences).to.match(new RegExp(`^${name} [0-9]`, 'm'));
    expect(licences).to.match(/permission notice shall be\s+included/i);
  });

  it('is what npm installs: modules, and types that a strict compiler accepts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hatif-web-'));
    try {
      const archive = Buffer.from(await (await fetch(`${api.url}/web/hatif-web.tgz`)).arrayBuffer());
      writeFileSync(join(folder, 'hatif-web.tgz'), archive);
      await run('tar', ['xzf', 'hatif-web.tgz'], { cwd: folder });
      const { exports: entries, dependencies } = JSON.parse(
        readFileSync(join(folder, 'package/package.json'), 'utf8'),
      ) as { exports: Record<string, { types: string; default: string }>; dependencies?: object };
      expect(Object.keys(entries)).to.deep.equal(['.', './react']);
      expect(dependencies).to.equal(undefined);
      writeFileSync(join(folder, 'page.ts'), PAGE_OF_A_CUSTOMER);
      const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc');
      const options = ['--strict', '--noEmit', '--lib', 'ES2022,DOM', '--target', 'ES2022', '--skipLibCheck', 'false'];
      const modules = ['--module', 'ESNext', '--moduleResolution', 'bundler'];
      await run(process.execPath, [compiler, ...options, ...modules, 'page.ts'], { cwd: folder }).catch(
        (error: unknown) => {
          throw new Error((error as { stdout: string }).stdout);
        },
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

const PAGE_OF_A_CUSTOMER = `
import { Device, HatifError, type Call } from './package/index.js';
const device = new Device('wcs_1', { baseUrl: 'https://voice.example', ringtone: false });
device.on('incoming', (call) => void call.accept());
device.on('tokenWillExpire', ({ expiresAt }) => console.log(expiresAt.toISOString()));
export async function dial(): Promise<Call> {
  await device.register();
  const call = await device.connect({ to: { agent: '1001' }, variables: { orderId: '1' } });
  call.on('disconnected', ({ code, messageAr }) => console.log(code === 'busy', messageAr));
  call.on('warning', ({ side, hint }) => console.log(side === 'in', hint));
  call.on('sample', ({ mos }) => console.log(mos ?? 0));
  // @ts-expect-error there is no such event
  call.on('nothing', () => undefined);
  return call;
}
export const isOurs = (error: unknown): boolean => error instanceof HatifError && error.code === 'MICROPHONE_DENIED';
`;
