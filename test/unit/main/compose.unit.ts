import { existsSync, readFileSync } from 'node:fs';

import { expect } from 'chai';
import { parse } from 'yaml';

import { SETTING_NAMES } from '../../../config/settings.js';

interface Service {
  readonly image?: string;
  readonly build?: string | { readonly context: string; readonly dockerfile: string };
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
}

const ESL_PASSWORD = 'FREESWITCH_ESL_PASSWORD';
const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
  };
};
const services = Object.entries(compose.services);

/** An image with a tag that contains a number. */
const PINNED = /^[\w./-]+:(?=[\w.-]*\d)(?!latest)[\w.-]+$/;

describe('docker-compose.yml', () => {
  it('has every service of the platform', () => {
    expect(Object.keys(compose.services)).to.include.members([
      'application',
      'postgres',
      'redis',
      'asterisk',
      'freeswitch',
      'drachtio',
      'coturn',
    ]);
  });

  for (const [name, service] of services) {
    it(`pins the image of ${name}`, () => {
      expect(service.image).to.match(PINNED);
      // For a published image, the major version alone is not enough.
      if (service.build === undefined) expect(service.image).to.match(/:\D*\d+\.\d+/);
    });

    it(`has a health check for ${name}, unless it runs once`, () => {
      if (service.restart === 'no') expect(service.healthcheck).to.equal(undefined);
      else expect(service.healthcheck?.test).to.be.an('array').with.length.above(1);
    });

    it(`mounts only existing files and volumes into ${name}`, () => {
      for (const volume of service.volumes ?? []) {
        const source = volume.split(':')[0]!;
        if (source.startsWith('./')) expect(existsSync(new URL(source, root)), source).to.equal(true);
        else expect(compose.volumes).to.have.property(source);
      }
    });
  }

  it('starts a service when its dependencies are healthy or completed', () => {
    for (const [name, service] of services) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const runsOnce = compose.services[other]?.restart === 'no';
        expect(condition, `${name} → ${other}`).to.equal(
          runsOnce ? 'service_completed_successfully' : 'service_healthy',
        );
      }
    }
  });

  it('gives the application and the configuration writers only settings that exist', () => {
    for (const name of ['application', 'asterisk-config', 'freeswitch-config']) {
      // The command reads this one from standard input.
      const given = Object.keys(compose.services[name]?.environment ?? {}).filter((one) => one !== ESL_PASSWORD);
      expect(SETTING_NAMES).to.include.members(given);
    }
  });

  it('publishes distinct SIP and media ports of the engines, and the API on loopback only', () => {
    const taken: number[] = [];
    for (const name of ['asterisk', 'freeswitch']) {
      const { SIP_PORT, RTP_PORT_FROM, RTP_PORT_TO } = compose.services[`${name}-config`]?.environment ?? {};
      const [sip, from, to] = [SIP_PORT ?? 5060, RTP_PORT_FROM, RTP_PORT_TO].map(Number);
      expect(compose.services[name]?.ports).to.have.members([
        ...[`${sip}:${sip}/udp`, `${sip}:${sip}/tcp`],
        `${from}-${to}:${from}-${to}/udp`,
      ]);
      expect(taken.filter((port) => port === sip || (port >= from! && port <= to!))).to.deep.equal([]);
      taken.push(sip!, from!, to!);
    }
    expect(compose.services.application?.ports).to.deep.equal(['127.0.0.1:8080:8080']);
    for (const name of ['postgres', 'redis', 'drachtio']) {
      expect(compose.services[name]?.ports, name).to.equal(undefined);
    }
  });

  it('mounts the same files at the same paths into the application and the engines', () => {
    const mounts = (name: string, volume: string): readonly string[] =>
      (compose.services[name]?.volumes ?? []).filter((mount) => mount.startsWith(`${volume}:`));
    for (const volume of ['media', 'freeswitch-state']) {
      expect(mounts('freeswitch', volume)).to.deep.equal(mounts('application', volume)).and.to.have.length(1);
    }
    expect(mounts('asterisk', 'media')).to.deep.equal(['media:/media:ro']);
    expect(mounts('asterisk', 'asterisk-config')).to.deep.equal(['asterisk-config:/etc/asterisk:ro']);
  });

  it('writes a FreeSWITCH configuration that matches the other services', () => {
    const write = compose.services['freeswitch-config']?.command?.join(' ') ?? '';
    const run = compose.services.freeswitch?.entrypoint?.join(' ') ?? '';
    const folder = /freeswitch-config\s+\\?\s*(\S+)/.exec(write)?.[1];
    expect(run).to.contain(`-conf ${folder ?? 'none'}`);
    expect(compose.services.freeswitch?.volumes).to.include(`freeswitch-config:${folder ?? 'none'}:ro`);
    expect(write).to.contain(`--esl-allow ${compose.networks.default.ipam.config[0]!.subnet}`);
    // The application's port inside the containers' network.
    expect(write).to.contain('--application http://application:8080 ');
    expect(compose.services.application?.environment).to.include({ ASTERISK_SIP_ADDRESS: 'asterisk:5060' });
  });

  it('contains no secret, and example.env lists each required variable', () => {
    const required = [...text.matchAll(/\$\{(\w+):\?/g)].map((match) => match[1]!);
    const listed = [...read('config/docker/example.env').matchAll(/^(\w+)=(.*)$/gm)];
    expect(listed.map((match) => match[1])).to.include.members([...new Set(required)]);
    expect(listed.map((match) => match[2]).join('')).to.equal('');
    for (const [, service] of services) {
      for (const [name, value] of Object.entries(service.environment ?? {})) {
        if (/PASSWORD|SECRET|AUTH/.test(name)) expect(value, name).to.match(/^\$\{\w+:(\?|-\})/);
      }
    }
  });

  it('has a profile for each optional service', () => {
    for (const [name, service] of services) {
      const isUsed = ['application', 'asterisk-config', 'asterisk', 'postgres', 'redis'].includes(name);
      expect(service.profiles ?? [], name).to.have.lengthOf(isUsed ? 0 : 1);
    }
  });
});

describe('Dockerfiles', () => {
  for (const path of ['Dockerfile', 'config/docker/asterisk.Dockerfile']) {
    it(`${path} starts from pinned images and does not run as root`, () => {
      const images = [...read(path).matchAll(/^FROM (\S+)/gm)].map((match) => match[1]!);
      expect(images).to.not.be.empty;
      for (const image of images) expect(image).to.match(/:[\w.-]*\d[\w.-]*$/);
      expect(read(path)).to.match(/^USER (?!root)\w+/m);
    });
  }
});
