import { expect } from 'chai';
import { ipCountries } from '../../../adapters/sip/ip-countries.js';
import { drachtioConfig, type DrachtioConfig } from '../../../config/drachtio/render.js';
import { Arrivals } from '../../../sip/drachtio/arrivals.js';
import { parseContacts } from '../../../sip/drachtio/server.js';

const CONFIG: DrachtioConfig = {
  admin: { bind: '127.0.0.1', port: 9022, secret: 'a "secret" & <more>' },
  sip: { bind: '10.0.0.5', port: 5060 },
};
const contactsOf = (config: DrachtioConfig): string[] =>
  [...drachtioConfig(config).matchAll(/<contact[^>]*>[^<]*<\/contact>/g)].map(([contact]) => contact);

describe('the configuration of drachtio-server', () => {
  it('has its secret, and a contact for the relay beside the one for others', () => {
    expect(drachtioConfig(CONFIG)).to.contain(
      '<admin port="9022" secret="a &quot;secret&quot; &amp; &lt;more&gt;">127.0.0.1</admin>',
    );
    expect(contactsOf(CONFIG)).to.deep.equal([
      '<contact>sip:10.0.0.5:5060;transport=udp,tcp</contact>',
      '<contact>sip:127.0.0.1:5060;transport=udp</contact>',
    ]);
    expect(drachtioConfig(CONFIG)).not.to.contain('<tls>');
  });

  it('listens once where it listens everywhere', () => {
    const everywhere = { ...CONFIG, sip: { bind: '0.0.0.0', port: 5060 } };
    expect(contactsOf(everywhere)).to.deep.equal(['<contact>sip:*:5060;transport=udp,tcp</contact>']);
    const sip = { ...everywhere.sip, external: '203.0.113.5' };
    expect(() => drachtioConfig({ ...CONFIG, sip })).to.throw('one address of this machine');
  });

  it('shows the address outside to all but a local network', () => {
    const sip = { ...CONFIG.sip, external: '203.0.113.5', localNetwork: '10.0.0.0/24' };
    const [first, second] = contactsOf({ ...CONFIG, sip });
    expect(first).to.contain('<contact external-ip="203.0.113.5" local-net="10.0.0.0/24">sip:10.0.0.5:5060');
    expect(second, 'for the relay').to.not.contain('203.0.113.5');
  });

  it('takes TLS and WebSockets with one file, and the scheme of the phones', () => {
    const tls = { port: 5061, wssPort: 5063, folder: '/etc/hatif-drachtio/tls' };
    const shown = contactsOf({ ...CONFIG, tls }).slice(2);
    expect(shown[0]).to.match(/^<contact>sip:10\.0\.0\.5:5061;transport=tls,/);
    expect(shown[1]).to.match(/^<contact>sip:10\.0\.0\.5:5063;transport=wss,/);
    const text = drachtioConfig({ ...CONFIG, tls });
    expect(text.match(/\/etc\/hatif-drachtio\/tls\/agent\.pem/g)).to.have.length(3);
    expect(contactsOf({ ...CONFIG, tls: { port: 5061, folder: '/x' } })).to.have.length(3);
  });

  it('takes browsers from the API without TLS, at an address of their own', () => {
    const browsers = { host: '10.0.0.5', port: 5064 };
    expect(contactsOf({ ...CONFIG, browsers }).at(-1)).to.equal('<contact>sip:10.0.0.5:5064;transport=ws</contact>');
  });

  it('holds no control characters', () => {
    const admin = { ...CONFIG.admin, secret: 'a\nb' };
    expect(() => drachtioConfig({ ...CONFIG, admin })).to.throw('control characters');
  });
});

describe('what drachtio-server says that it listens on', () => {
  it('is read, also with IPv6 and transports that nobody knows', () => {
    expect(parseContacts('tls/192.0.2.1:5061,udp/[2001:db8::1]:5060, sctp/192.0.2.1:5060,nonsense')).to.deep.equal([
      { transport: 'tls', host: '192.0.2.1', port: 5061 },
      { transport: 'udp', host: '2001:db8::1', port: 5060 },
    ]);
  });
});

describe('the countries of addresses', () => {
  it('are unknown until the data are loaded, and then those of the package', async () => {
    const countries = ipCountries();
    expect(countries.of('8.8.8.8')).to.equal(null);
    await Promise.all([countries.load(), countries.load()]);
    expect(countries.of('8.8.8.8')).to.equal('US');
    expect(countries.of('2001:4860:4860::8888')).to.equal('US');
    for (const address of ['10.0.0.1', '127.0.0.1', 'nobody', ''])
      expect(countries.of(address), address).to.equal(null);
  });

  it('cannot be loaded from a file that is none, and can be later', async () => {
    const countries = ipCountries('/nonexistent.mmdb');
    for (const attempt of [1, 2]) {
      const failure = await countries.load().catch((error: unknown) => error);
      expect(failure, `attempt ${attempt}`).to.be.instanceOf(Error);
    }
    expect(countries.of('8.8.8.8')).to.equal(null);
  });
});

describe('the wait of messages from drachtio-server', () => {
  const at = (time: string): number => Date.parse(`2026-01-31T${time}Z`);

  it('is the difference to the quickest one, whatever the clocks', () => {
    const arrivals = new Arrivals();
    // The other clock is 1.5 s ahead.
    expect(arrivals.waitedMs('10:00:01.500000', at('10:00:00.000'))).to.equal(0);
    expect(arrivals.waitedMs('10:00:02.500000', at('10:00:01.400'))).to.be.closeTo(400, 0.1);
    expect(arrivals.waitedMs('10:00:02.600000', at('10:00:01.090'))).to.equal(0);
    expect(arrivals.waitedMs('10:00:03.600000', at('10:00:02.100'))).to.be.closeTo(10, 0.1);
  });

  it('follows clocks that drift, after a minute or two', () => {
    const arrivals = new Arrivals();
    arrivals.waitedMs('10:00:00.000000', at('10:00:00.000'));
    expect(arrivals.waitedMs('10:01:00.000000', at('10:01:00.300'))).to.be.closeTo(300, 0.1);
    expect(arrivals.waitedMs('10:02:00.000000', at('10:02:00.300'))).to.equal(0);
  });

  it('is right around midnight, and nothing for what is no time', () => {
    const arrivals = new Arrivals();
    arrivals.waitedMs('23:59:58.000000', at('23:59:58.000'));
    expect(arrivals.waitedMs('23:59:59.900000', Date.parse('2026-02-01T00:00:00.100Z'))).to.be.closeTo(200, 0.1);
    expect(arrivals.waitedMs('', at('10:00:00.000'))).to.equal(0);
  });
});
