import { expect } from 'chai';
import type { TurnOptions } from '../../../adapters/embedded/system/types.js';
import { turnConfig } from '../../../adapters/embedded/turn/config.js';
import { readSettings } from '../../../config/read-settings.js';
import { hasOwnTurn, turnOptions, turnUrl } from '../../../main/install/turn.js';

const OPTIONS: TurnOptions = { bind: '0.0.0.0', port: 3478, relay: { from: 20_000, to: 20_999 }, peers: ['10.0.0.7'] };

describe('the configuration of the TURN server', () => {
  it('refuses private networks, except engines, and takes only time-limited credentials', () => {
    const lines = turnConfig(OPTIONS, 'secret', '/data/turn').split('\n');
    expect(lines).to.include.members([
      ...['listening-port=3478', 'min-port=20000', 'max-port=20999', 'use-auth-secret', 'static-auth-secret=secret'],
      ...['denied-peer-ip=10.0.0.0-10.255.255.255', 'denied-peer-ip=169.254.0.0-169.254.255.255', 'no-cli'],
      ...['allowed-peer-ip=10.0.0.7', 'no-multicast-peers'],
    ]);
    expect(lines.filter((line) => /^(listening|relay|external)-ip/.test(line))).to.deep.equal([]);
  });

  it('names its addresses if it has some of its own', () => {
    const lines = turnConfig({ ...OPTIONS, bind: '192.0.2.7', externalAddress: '198.51.100.7' }, 's', '/d').split('\n');
    expect(lines).to.include.members(['listening-ip=192.0.2.7', 'relay-ip=192.0.2.7', 'external-ip=198.51.100.7']);
  });

  it('takes no address that would add a line', () => {
    expect(() => turnConfig({ ...OPTIONS, peers: ['10.0.0.7\ncli'] }, 's', '/d')).to.throw('is not an address');
  });
});

describe('an installation', () => {
  const isOn = (environment: Record<string, string>): boolean => hasOwnTurn(readSettings(environment));

  it('runs a TURN server if it is reached from outside, or asked to', () => {
    expect(isOn({})).to.equal(false);
    expect(isOn({ TURN_EMBEDDED: 'on' })).to.equal(true);
    expect(isOn({ SIP_BIND: '0.0.0.0' })).to.equal(true);
    expect(isOn({ SIP_BIND: '0.0.0.0', TURN_EMBEDDED: 'off' })).to.equal(false);
    const other = { TURN_SERVERS: 'turn:turn.example.com', TURN_SECRET: 'a secret of TURN servers' };
    expect(isOn({ SIP_BIND: '0.0.0.0', ...other })).to.equal(false);
    const external = { ASTERISK_ARI_URL: 'http://192.0.2.9:8088', ASTERISK_ARI_PASSWORD: 'x' };
    expect(isOn({ SIP_BIND: '0.0.0.0', ...external })).to.equal(false);
  });

  it('shows browsers the address outside', () => {
    const settings = readSettings({ SIP_BIND: '0.0.0.0', SIP_EXTERNAL_ADDRESS: '198.51.100.7', TURN_PORT: '3479' });
    expect(turnUrl(settings, 3479)).to.equal('turn:198.51.100.7:3479');
    expect(turnOptions(settings).peers).to.include('198.51.100.7');
  });

  it('relays to the media of its other engines, and to nothing that is no address', () => {
    const settings = readSettings({ SIP_BIND: '0.0.0.0', TURN_PEERS: '10.0.0.7, 10.0.0.8' });
    expect(turnOptions(settings).peers).to.include.members(['10.0.0.7', '10.0.0.8']);
    expect(() => readSettings({ TURN_PEERS: '10.0.0.0/8' })).to.throw('TURN_PEERS');
    expect(() => readSettings({ TURN_PEERS: 'pbx.example.com' })).to.throw('TURN_PEERS');
  });
});
