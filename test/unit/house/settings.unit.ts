import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';

import { expect } from 'chai';

import { isSignupOpen, readSettings } from '../../../config/read-settings.js';
import { SETTING_NAMES } from '../../../config/settings.js';
import { SettingsError, typedSettings } from '../../../config/settings-error.js';

const example = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');

/** Settings whose values are not shown. */
function isSecret(name: string): boolean {
  return /SECRET|PASSWORD|(DATABASE|REDIS|SMTP)_URL/.test(name);
}

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('are all optional', () => {
    const settings = readSettings({});
    expect(settings.PORT).to.equal(8080);
    expect(settings.HOST).to.equal('127.0.0.1');
    expect(settings.HATIF_ROLES).to.deep.equal(['api', 'engine', 'sip', 'jobs']);
    expect(settings.HATIF_INSTANCE).to.equal(hostname());
    expect(isAbsolute(settings.HATIF_DATA_DIR)).to.equal(true);
    expect(settings.DATABASE_URL).to.equal(undefined);
  });

  it('treat an empty variable as unset', () => {
    expect(readSettings({ PORT: '', DATABASE_URL: '', HATIF_ROLES: '' })).to.deep.equal(readSettings({}));
  });

  it('cannot be changed once read', () => {
    expect(Object.isFrozen(readSettings({}))).to.equal(true);
  });

  it('are parsed into their types', () => {
    const settings = readSettings({
      PORT: '9090',
      HATIF_ROLES: 'api, jobs',
      WEBHOOK_ALLOW_LOOPBACK: 'on',
      PLAY_URL_ALLOW_LOOPBACK: '0',
      TRUST_PROXY: '10.0.0.1, 10.1.0.0/16,',
      CODECS: 'ulaw',
    });
    expect(settings).to.deep.include({
      PORT: 9090,
      HATIF_ROLES: ['api', 'jobs'],
      WEBHOOK_ALLOW_LOOPBACK: true,
      PLAY_URL_ALLOW_LOOPBACK: false,
      TRUST_PROXY: ['10.0.0.1', '10.1.0.0/16'],
      CODECS: ['ulaw'],
    });
  });

  const wrong: Record<string, string> = {
    HATIF_ROLES: 'api,cook',
    HATIF_SECRET: 'short',
    LOG_LEVEL: 'loud',
    LOG_TO: 'printer',
    HOST: 'my host',
    PORT: '70000',
    METRICS_PORT: 'many',
    TRUST_PROXY: 'proxy.example',
    API_ALLOWED_ORIGINS: 'https://a.example,b.example',
    PUBLIC_URL: 'ftp://example.com',
    RATE_LIMIT_SANDBOX_PER_MINUTE: '0',
    RATE_LIMIT_LIVE_PER_MINUTE: '-1',
    RATE_LIMIT_ADDRESS_PER_MINUTE: '1.5',
    WEBHOOK_ALLOW_LOOPBACK: 'perhaps',
    PLAY_URL_ALLOW_LOOPBACK: 'yes please',
    DATABASE_URL: 'mysql://localhost/hatif',
    DATABASE_POOL_SIZE: '1',
    REDIS_URL: 'localhost:6379',
    ASTERISK_ARI_URL: 'asterisk:8088',
    SIP_BIND: 'foo',
    SIP_PORT: '0',
    SIP_EXTERNAL_ADDRESS: 'my address',
    SIP_LOCAL_NETWORKS: '10.0.0.0/33',
    SIP_TLS_PORT: '65536',
    SIP_TLS_MIN_VERSION: '1.1',
    SIP_PHONE_TRANSPORT: 'tcp',
    SIP_PHONE_SRTP: 'dtls',
    ACME_DOMAINS: '*.example.com',
    ACME_DIRECTORY_URL: 'http://authority.example/directory',
    ACME_EMAIL: 'nobody',
    RTP_PORT_FROM: 'x',
    RTP_PORT_TO: '99999',
    CODECS: 'alaw,g729',
    EMERGENCY_NUMBERS: 'nine',
    MAX_CALLS: '0x10',
    MAX_CALLS_PER_SECOND: '0',
    SIP_TRUNK_URI: 'carrier.example',
    RECORDING_STORAGE: 'tape',
    S3_ENDPOINT: 's3.example',
    S3_FORCE_PATH_STYLE: 'please',
    S3_PREFIX: '../hatif',
    S3_ENCRYPTION: 'rot13',
    CALL_PRICES: 'sideways=1',
    NUMBER_RANGES: '+9661-+9662',
    PAYMENT_IBAN: 'SA00',
    SIGNUP: 'perhaps',
    DRAIN_SECONDS: '-1',
    ENGINE_GRACE_SECONDS: '0',
    DEBIAN_MIRROR: 'not a url',
    HATIF_BASE_URL: 'localhost:8080',
  };
  for (const [name, value] of Object.entries(wrong)) {
    it(`report ${name} if it is ${value}`, () => {
      const problems = problemsOf({ [name]: value });
      expect(problems).to.have.lengthOf(1);
      expect(problems[0]).to.match(new RegExp(`^${name}: must [^"]+`));
      if (!isSecret(name)) expect(problems[0]).to.match(/, but is "(.+)"$/);
    });
  }

  it('report the variable, the value and what is allowed', () => {
    expect(problemsOf({ PORT: 'abc' })).to.deep.equal(['PORT: must be a whole number from 0 to 65535, but is "abc"']);
    expect(problemsOf({ SIP_BIND: 'foo' })).to.deep.equal([
      'SIP_BIND: must be an IP address of this machine, or 0.0.0.0 for all of them, but is "foo"',
    ]);
    expect(problemsOf({ CODECS: 'alaw, g729' })).to.deep.equal([
      'CODECS: must be one of alaw, ulaw, opus, g722, but is "g729"',
    ]);
  });

  it('never report a value that contains a secret', () => {
    for (const [name, value] of Object.entries({
      HATIF_SECRET: 's3cret',
      DATABASE_URL: 'hatif:s3cret@localhost/hatif',
      REDIS_URL: 's3cret',
      SMTP_URL: 's3cret',
      NUMBER_PROVIDER_SECRET: 's3cret',
      PAYMENT_GATEWAY_SECRET: 's3cret',
      PUBLIC_URL: 'ftp://user:s3cret@example.com',
    })) {
      const [problem = ''] = problemsOf({ [name]: value });
      expect(problem)
        .to.match(new RegExp(`^${name}: must `))
        .and.match(/; the value is not shown, because it may contain a secret$/)
        .and.not.include('s3cret');
    }
  });

  it('accept networks as addresses, prefixes and masks', () => {
    const networks = '10.0.0.1,192.168.0.0/16,172.16.0.0/255.240.0.0,fd00::/8';
    expect(readSettings({ SIP_LOCAL_NETWORKS: networks }).SIP_LOCAL_NETWORKS).to.deep.equal(networks.split(','));
    expect(readSettings({ TRUST_PROXY: `loopback,${networks}` }).TRUST_PROXY).to.have.lengthOf(5);
  });

  it('open sign-up by themselves only on the loopback, with a mail server', () => {
    const mail = { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'hatif@example.com' };
    const isOpen = (given: Record<string, string>): boolean => isSignupOpen(readSettings(given));
    expect(isOpen({})).to.equal(false);
    expect(isOpen(mail)).to.equal(true);
    expect(isOpen({ ...mail, PUBLIC_URL: 'http://localhost:8080' })).to.equal(true);
    for (const [name, value] of [
      ['PUBLIC_URL', 'https://voice.example.com'],
      ['HOST', '0.0.0.0'],
      ['SIGNUP', 'closed'],
    ] as const) {
      expect(isOpen({ ...mail, [name]: value }), name).to.equal(false);
      if (name !== 'SIGNUP') expect(isOpen({ ...mail, [name]: value, SIGNUP: 'open' }), name).to.equal(true);
    }
    expect(problemsOf({ SIGNUP: 'open' })).to.deep.equal([
      'SMTP_URL: is needed with SIGNUP=open, for the mails that confirm addresses',
    ]);
  });

  it('report all problems at once', () => {
    expect(problemsOf({ PORT: 'x', REDIS_URL: 'x', LOG_TO: 'x' })).to.have.lengthOf(3);
  });

  it('report an unknown HATIF_ name, but not the variables of other programs or of tests', () => {
    expect(problemsOf({ HATIF_ROLE: 'api' })).to.deep.equal(['HATIF_ROLE: is not a setting; .env.example lists all']);
    expect(problemsOf({ PATH: '/usr/bin', HATIF_TEST_REDIS_URL: 'x' })).to.deep.equal([]);
  });

  it('refuse contradictory and incomplete values', () => {
    expect(problemsOf({ ASTERISK_ARI_URL: 'http://asterisk:8088' })[0]).to.match(/^ASTERISK_ARI_PASSWORD:/);
    const both = { ASTERISK_ENABLED: 'false', ASTERISK_ARI_URL: 'http://a:8088', ASTERISK_ARI_PASSWORD: 'x' };
    expect(problemsOf(both)[0]).to.match(/^ASTERISK_ARI_URL:.*ASTERISK_ENABLED/);
    expect(problemsOf({ RTP_PORT_FROM: '20000', RTP_PORT_TO: '10000' })[0]).to.match(/^RTP_PORT_TO:/);
    expect(problemsOf({ SIP_SESSION_MIN_SECONDS: '2000' })[0]).to.match(/^SIP_SESSION_MIN_SECONDS:/);
    expect(problemsOf({ SIP_TLS_CERT: '/cert.pem' })[0]).to.contain('SIP_TLS_KEY');
    expect(problemsOf({ HTTP_TLS_KEY: '/key.pem' })[0]).to.contain('HTTP_TLS_CERT');
    const tls = { HTTP_TLS_CERT: '/cert.pem', HTTP_TLS_KEY: '/key.pem' };
    expect(problemsOf(tls)[0]).to.match(/^PUBLIC_URL: must begin with https:/);
    expect(problemsOf({ ...tls, PUBLIC_URL: 'http://voice.example.com' })[0]).to.match(/^PUBLIC_URL: must begin/);
    expect(problemsOf({ ...tls, PUBLIC_URL: 'https://voice.example.com' })).to.deep.equal([]);
    expect(problemsOf({ RECORDING_STORAGE: 's3', S3_BUCKET: 'recordings', S3_ACCESS_KEY_ID: 'id' })).to.deep.equal([
      'S3_SECRET_ACCESS_KEY: is needed with RECORDING_STORAGE=s3',
    ]);
    expect(problemsOf({ S3_BUCKET: 'recordings' })).to.deep.equal([
      'S3_ACCESS_KEY_ID: is needed with S3_BUCKET',
      'S3_SECRET_ACCESS_KEY: is needed with S3_BUCKET',
    ]);
    const edge = { SIP_EDGE: 'drachtio', SIP_EDGE_ADDRESS: '10.0.0.5:5060' };
    expect(problemsOf({ SIP_EDGE: 'drachtio', DRACHTIO_SECRET: 'x' })[0]).to.match(/^SIP_EDGE_ADDRESS: is needed/);
    expect(problemsOf(edge)[0]).to.match(/^DRACHTIO_SECRET: is needed/);
    expect(problemsOf({ ...edge, HATIF_ROLES: 'api,engine,jobs' })).to.deep.equal([]);
    const whole = { ...edge, DRACHTIO_SECRET: 'x' };
    expect(problemsOf({ ...whole, SIP_WSS_PORT: '5063' })[0]).to.match(
      /^SIP_WSS_PORT: must be unset without SIP_TLS_CERT/,
    );
    const sipTls = { SIP_TLS_CERT: 'cert.pem', SIP_TLS_KEY: 'key.pem' };
    expect(problemsOf({ ...whole, ...sipTls, SIP_WSS_PORT: '5063' })).to.deep.equal([]);
    expect(problemsOf({ ...sipTls, SIP_WSS_PORT: '5063' })[0]).to.match(
      /^SIP_WSS_PORT: must be unset without SIP_EDGE/,
    );
    expect(problemsOf({ ...whole, SIP_EDGE_WS: '10.0.0.5:5064' })).to.deep.equal([]);
    expect(problemsOf({ SIP_EDGE_WS: '10.0.0.5:5064' })[0]).to.match(/^SIP_EDGE_WS: must be unset without SIP_EDGE/);
    expect(problemsOf({ ...whole, ...sipTls, SIP_TLS_MIN_VERSION: '1.3' })[0]).to.match(
      /^SIP_TLS_MIN_VERSION: must be 1.2/,
    );
    expect(problemsOf({ SIP_TRUNK_USERNAME: 'hatif' })[0]).to.contain('SIP_TRUNK_PASSWORD');
  });

  it('refuse encrypted audio without the TLS that carries its keys', () => {
    const tls = { SIP_TLS_CERT: '/cert.pem', SIP_TLS_KEY: '/key.pem' };
    expect(problemsOf({ SIP_PHONE_TRANSPORT: 'tls' })[0]).to.match(/^SIP_PHONE_TRANSPORT: must be any without SIP_TLS/);
    expect(problemsOf({ ...tls, SIP_PHONE_SRTP: 'offered' })).to.deep.equal([
      'SIP_PHONE_SRTP: must be off without SIP_PHONE_TRANSPORT=tls, because the keys are in the signalling, but is "offered"',
    ]);
    expect(problemsOf({ SIP_TRUNK_SRTP: 'required' })[0]).to.match(/^SIP_TRUNK_SRTP: must be off without SIP_TLS_CERT/);
    const secure = { SIP_PHONE_TRANSPORT: 'tls', SIP_PHONE_SRTP: 'required', SIP_TRUNK_SRTP: 'offered' };
    expect(problemsOf({ ...tls, ...secure })).to.deep.equal([]);
  });

  it('refuse an order of a certificate that cannot succeed, or is for a port that has one', () => {
    const acme = {
      ACME_DOMAINS: 'Voice.example.com',
      ACME_TERMS_AGREED: 'true',
      ACME_HTTP_PORT: '80',
      PUBLIC_URL: 'https://voice.example.com',
    };
    expect(problemsOf(acme)).to.deep.equal([]);
    const without = (name: keyof typeof acme): readonly string[] => problemsOf({ ...acme, [name]: '' });
    expect(without('ACME_TERMS_AGREED')[0]).to.match(/^ACME_TERMS_AGREED: must be true/);
    expect(without('ACME_HTTP_PORT')[0]).to.match(/^ACME_HTTP_PORT: is needed/);
    expect(without('PUBLIC_URL')[0]).to.match(/^PUBLIC_URL: must begin with https:.*ACME_DOMAINS/);
    expect(problemsOf({ ...acme, PUBLIC_URL: 'https://other.example.com' })[0]).to.match(
      /^PUBLIC_URL: must have a host/,
    );
    const files = { HTTP_TLS_CERT: '/cert.pem', HTTP_TLS_KEY: '/key.pem' };
    expect(problemsOf({ ...acme, ...files })).to.deep.equal([
      'HTTP_TLS_CERT: must be unset, because ACME_FOR has https',
    ]);
    expect(problemsOf({ ...acme, ...files, ACME_FOR: 'sip' })).to.deep.equal([]);
    expect(problemsOf({ ACME_DOMAINS: 'sip.example.com', ACME_FOR: 'sip', ACME_TERMS_AGREED: 'true' })).to.deep.equal(
      [],
    );
    expect(problemsOf({ ...acme, ACME_EAB_KEY_ID: 'id' })[0]).to.contain('ACME_EAB_HMAC_KEY');
    const tls = { SIP_TLS_CERT: '/cert.pem', SIP_TLS_KEY: '/key.pem' };
    expect(problemsOf({ ...acme, ...tls })).to.deep.equal(['SIP_TLS_CERT: must be unset, because ACME_FOR has sip']);
  });
});

describe('settings as they are typed before a command', () => {
  it('are those of the environment that no file holds, quoted for a shell and without secrets', () => {
    const environment = {
      PORT: '8090',
      HOST: '0.0.0.0',
      SIP_PORT: '',
      NUMBER_RANGES: "+966125551000-+966125551009, it's",
      HATIF_SECRET: 'a secret of this installation, long enough',
      DATABASE_URL: 'postgres://hatif:secret@db/hatif',
      HATIF_ADMIN_TOKEN: 'of an administrator',
      HOME: '/root',
    };
    const typed = typedSettings(environment, SETTING_NAMES, { HOST: '0.0.0.0', PORT: '8080' });
    expect([...typed].sort()).to.deep.equal([
      'DATABASE_URL=…',
      'HATIF_ADMIN_TOKEN=…',
      'HATIF_SECRET=…',
      "NUMBER_RANGES='+966125551000-+966125551009, it'\\''s'",
      'PORT=8090',
    ]);
  });
});

describe('.env.example', () => {
  const lines = example.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const given = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));

  it('lists every setting once and nothing else', () => {
    expect(lines.map((line) => line.split('=')[0])).to.have.members([...SETTING_NAMES]);
  });

  it('shows the defaults', () => {
    expect(readSettings(given)).to.deep.equal(readSettings({}));
  });
});
