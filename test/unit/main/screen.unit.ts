import { expect } from 'chai';

import { readSettings } from '../../../config/read-settings.js';
import type { Bootstrap } from '../../../main/install/bootstrap.js';
import type { Parts } from '../../../main/install/parts.js';
import { readyScreen } from '../../../main/install/screen.js';

const URL = 'http://localhost:8080';
const sip = { host: '192.0.2.1', port: 5060 };
const bootstrap = {
  base_url: URL,
  line_number: '+966115550100',
  sip: { ...sip, agents: [{ agent: '1001', number: '+966115550101', password: 'secret' }] },
} as unknown as Bootstrap;
const parts = { embedded: {}, sip } as unknown as Parts;

const screen = (environment: Readonly<Record<string, string>>, setup: string | null = null): string =>
  readyScreen(bootstrap, parts, readSettings({ HATIF_DATA_DIR: '/data', ...environment }), URL, null, 0, setup);

describe('the start screen', () => {
  it('shows commands for the terminal that it is shown in', () => {
    const text = screen({});
    expect(text).to.contain('\n    /data/bootstrap.json\n');
    expect(text).to.contain(`$(node -p "require('/data/bootstrap.json').live_key")`);
    expect(text).to.contain(' npx hatif listen\n').and.contain('Ctrl-C');
    expect(text).to.contain(`${URL}/ (health, phones, `);
  });

  it('shows commands that work outside of its container', () => {
    const text = screen({ HATIF_COMMAND_PREFIX: 'docker compose exec application' });
    expect(text).to.contain('\n    docker compose exec application cat /data/bootstrap.json\n');
    expect(text).to.contain(`$(docker compose exec application node -p "require('/data/bootstrap.json').live_key")`);
    expect(text).to.contain(' docker compose exec application hatif listen\n');
    expect(text).to.not.match(/npx|npm|Ctrl-C/);
    // The operator's view is for browsers on the same machine.
    expect(text).to.contain(`${URL}/ (health)\n`);
  });

  it('shows where phones register over TLS', () => {
    const tls = { SIP_TLS_CERT: '/cert.pem', SIP_TLS_KEY: '/key.pem' };
    expect(screen({})).to.contain('192.0.2.1:5060 (udp, tcp)\n');
    expect(screen(tls)).to.contain('192.0.2.1:5060 (udp, tcp), 192.0.2.1:5061 (tls)\n');
    expect(screen({ ...tls, SIP_EXTERNAL_ADDRESS: 'sip.example.com' })).to.contain(', sip.example.com:5061 (tls)\n');
  });

  it('shows how to make the first administrator until there is one', () => {
    const code = 'AAAAA-BBBBB-CCCCC-DDDDD';
    expect(screen({}, code))
      .to.contain(`POST ${URL}/v1/setup with the set-up code ${code}`)
      .and.contain('npx hatif admin create');
    expect(screen({ HATIF_COMMAND_PREFIX: 'docker compose exec application' }, code)).to.contain(
      'docker compose exec application hatif admin create',
    );
    expect(screen({})).to.not.contain('admin create');
  });
});
