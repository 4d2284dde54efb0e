import { existsSync, readFileSync } from 'node:fs';

import { expect } from 'chai';
import { parse } from 'yaml';

import { REFUSED_NETWORKS } from '../../../adapters/embedded/turn/config.js';
import { SETTING_NAMES } from '../../../config/settings.js';

interface Mount {
  readonly source: string;
  readonly target: string;
  readonly read_only?: boolean;
  readonly volume?: { readonly nocopy?: boolean };
}

interface Service {
  readonly image?: string;
  readonly build?: string | { readonly context: string; readonly dockerfile: string };
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes?: readonly (string | Mount)[];
  readonly ports?: readonly string[];
  readonly network_mode?: string;
  readonly extra_hosts?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
}

const ESL_PASSWORD = 'FREESWITCH_ESL_PASSWORD';
const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: {
    readonly default: {
      readonly ipam: { readonly config: readonly { readonly subnet: string; readonly gateway: string }[] };
    };
  };
}

/** A variable with a default, which contains no other variable. */
const DEFAULTED = /(?<!\$)\$\{\w+:-([^{}]*)\}/g;

/** @param variables false: each has its default */
function parsed(yaml: string, variables = false): Compose {
  // From the inside out.
  const filled = variables ? yaml : yaml.replaceAll(DEFAULTED, '$1').replaceAll(DEFAULTED, '$1');
  return parse(filled.replaceAll('!reset ', ''), { merge: true }) as Compose;
}

const text = read('docker-compose.yml');
const compose = parsed(text);
const published = parsed(read('config/docker/published-ports.yml'));
const services = Object.entries(compose.services);
const { subnet, gateway } = compose.networks.default.ipam.config[0]!;

/** Mounts in the long form. */
const mountsOf = (name: string): readonly Mount[] =>
  (compose.services[name]?.volumes ?? []).map((mount) => {
    if (typeof mount !== 'string') return mount;
    const [source = '', target = '', mode] = mount.split(':');
    return { source, target, read_only: mode === 'ro' };
  });

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
      'edge',
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
      for (const { source } of mountsOf(name)) {
        if (source.startsWith('./')) expect(existsSync(new URL(source, root)), source).to.equal(true);
        else expect(compose.volumes).to.have.property(source);
      }
    });
  }

  it('builds each image for one service only, so that all of its containers have the same', () => {
    const built = services.filter(([, { build }]) => build !== undefined).map(([, { image }]) => image);
    expect(built).to.have.members(['hatif:0.1.0', 'hatif-asterisk:22.10.1']);
  });

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
    for (const name of ['application', 'edge', 'drachtio-config', 'asterisk-config', 'freeswitch-config']) {
      // The command reads this one from standard input.
      const given = Object.keys(compose.services[name]?.environment ?? {}).filter((one) => one !== ESL_PASSWORD);
      expect(SETTING_NAMES).to.include.members(given);
    }
  });

  it('publishes distinct SIP and media ports of the servers of SIP, and the API on loopback only', () => {
    const taken: number[] = [5060];
    expect(published.services.drachtio?.ports).to.have.members(['5060:5060/udp', '5060:5060/tcp']);
    const asterisk = { ...compose.services['asterisk-config'], ...published.services['asterisk-config'] };
    const settingsOf = (name: string): Readonly<Record<string, unknown>> => ({
      ...compose.services[`${name}-config`]?.environment,
      ...(name === 'asterisk' && asterisk.environment),
    });
    for (const [name, ports] of [
      ['asterisk', published.services.asterisk?.ports],
      ['freeswitch', compose.services.freeswitch?.ports],
    ] as const) {
      const { SIP_PORT, RTP_PORT_FROM, RTP_PORT_TO } = settingsOf(name);
      const [sip, from, to] = [SIP_PORT ?? 5060, RTP_PORT_FROM, RTP_PORT_TO].map(Number);
      expect(ports).to.have.members([...[`${sip}:${sip}/udp`, `${sip}:${sip}/tcp`], `${from}-${to}:${from}-${to}/udp`]);
      expect(taken.filter((port) => port === sip || (port >= from! && port <= to!))).to.deep.equal([]);
      taken.push(sip!, from!, to!);
    }
    const { RTP_PORT_FROM: onHost } = compose.services['asterisk-config']?.environment ?? {};
    expect(Number(onHost)).to.be.above(Math.max(...taken));
    expect(compose.services.application?.ports).to.deep.equal(['127.0.0.1:8080:8080']);
    for (const name of ['postgres', 'redis', 'drachtio']) {
      expect(compose.services[name]?.ports, name).to.equal(undefined);
    }
  });

  it("runs Asterisk in the host's network, with ARI in the containers' network only", () => {
    expect(compose.services.asterisk).to.include({ network_mode: 'host' }).and.not.have.property('ports');
    expect(subnet).to.equal(gateway.replace(/1$/, '0/24'));
    const { command, environment } = compose.services['asterisk-config'] ?? {};
    expect(command?.join(' ')).to.contain(`--ari-bind ${gateway} `);
    expect(environment).to.include({ SIP_LOCAL_NETWORKS: subnet });
    for (const name of ['application', 'freeswitch']) {
      expect(compose.services[name]?.extra_hosts, name).to.deep.equal([`asterisk:${gateway}`]);
      expect(published.services[name], name).to.have.property('extra_hosts').that.is.empty;
    }
    expect(published.services.asterisk).to.deep.include({ network_mode: null, extra_hosts: [] });
  });

  it('lets phones and carriers in through drachtio-server, with the edge beside it', () => {
    const { drachtio, edge, application, 'drachtio-config': config } = compose.services;
    for (const service of [drachtio, edge]) {
      expect(service).to.include({ network_mode: 'host' }).and.not.have.property('ports');
    }
    expect(edge?.environment).to.include({ SIP_EDGE: 'drachtio', HATIF_ROLES: 'sip', HOST: '127.0.0.1' });
    expect(String(application?.environment?.HATIF_ROLES).split(',')).to.not.include('sip');
    // Engines reach the edge in the containers' network, from which it knows them.
    for (const { environment } of [application, edge, compose.services['asterisk-config']].map((one) => one ?? {})) {
      expect(environment).to.include({ SIP_EDGE: 'drachtio', SIP_EDGE_ADDRESS: `${gateway}:5090` });
    }
    expect(edge?.extra_hosts).to.include(`asterisk:${gateway}`);
    // The port at which a program controls every call.
    expect(config?.command?.join(' ')).to.not.contain('--admin-bind');
    expect(published.services.edge).to.deep.include({ network_mode: 'service:drachtio', extra_hosts: [] });
    const inNetwork = published.services['drachtio-config']?.environment;
    expect(inNetwork?.SIP_EDGE_ADDRESS).to.equal(`${String(inNetwork?.SIP_BIND)}:5090`);
  });

  it('mounts the same files at the same paths into the application and the engines', () => {
    const target = (name: string, volume: string): unknown =>
      mountsOf(name).find(({ source }) => source === volume)?.target;
    for (const volume of ['media', 'freeswitch-state']) {
      expect(target('freeswitch', volume)).to.be.a('string').and.equal(target('application', volume));
    }
    expect(target('asterisk', 'media')).to.equal(target('application', 'media'));
    expect(target('asterisk', 'asterisk-config')).to.equal('/etc/asterisk');
  });

  it('gives each volume the owner of its writer, whichever container is created first', () => {
    const WRITERS: Readonly<Record<string, readonly string[]>> = {
      media: ['application', 'asterisk-config', 'freeswitch-config'],
      'freeswitch-state': ['application', 'freeswitch-config'],
    };
    for (const volume of Object.keys(compose.volumes)) {
      const users = services
        .map(([name]) => name)
        .filter((name) => mountsOf(name).some(({ source }) => source === volume));
      const copying = users.filter(
        (name) => mountsOf(name).find(({ source }) => source === volume)?.volume?.nocopy !== true,
      );
      if (WRITERS[volume] === undefined) expect(copying, volume).to.have.length(1);
      else expect(copying, volume).to.have.members(WRITERS[volume]);
    }
  });

  it('keeps the recordings of Asterisk in a volume', () => {
    const folder = mountsOf('asterisk').find(({ source }) => source === 'asterisk-recordings')?.target;
    expect(folder).to.equal('/var/spool/asterisk/recording');
    // Asterisk does not create it, and the volume takes its owner.
    expect(read('config/docker/asterisk.Dockerfile')).to.match(
      new RegExp(`install --directory --owner=asterisk [^&]*${folder}`),
    );
  });

  it('writes a FreeSWITCH configuration that matches the other services', () => {
    const write = compose.services['freeswitch-config']?.command?.join(' ') ?? '';
    const run = compose.services.freeswitch?.entrypoint?.join(' ') ?? '';
    const folder = /freeswitch-config\s+\\?\s*(\S+)/.exec(write)?.[1];
    expect(run).to.contain(`-conf ${folder ?? 'none'}`);
    expect(mountsOf('freeswitch').find(({ source }) => source === 'freeswitch-config')).to.include({ target: folder });
    expect(write).to.contain(`--esl-allow ${subnet}`);
    // The application's port inside the containers' network.
    expect(write).to.contain('--application http://application:8080 ');
    expect(compose.services.application?.environment).to.include({ ASTERISK_SIP_ADDRESS: 'asterisk:5080' });
  });

  it('contains no secret, and example.env lists each required variable', () => {
    const required = [...text.matchAll(/\$\{(\w+):\?/g)].map((match) => match[1]!);
    const listed = [...read('config/docker/example.env').matchAll(/^(\w+)=(.*)$/gm)];
    expect(listed.map((match) => match[1])).to.include.members([...new Set(required)]);
    expect(listed.map((match) => match[2]).join('')).to.equal('');
    for (const service of Object.values(parsed(text, true).services)) {
      for (const [name, value] of Object.entries(service.environment ?? {})) {
        if (/PASSWORD|SECRET|AUTH/.test(name)) expect(value, name).to.match(/^\$\{\w+:(\?|-\})/);
      }
    }
  });

  it('has a TURN server that refuses what the embedded one refuses, except the address of the engine', () => {
    const [, , command = ''] = compose.services.coturn?.entrypoint ?? [];
    const denied = [...command.matchAll(/--denied-peer-ip=(\S+)/g)].map((match) => match[1]);
    expect(denied).to.have.members(REFUSED_NETWORKS.map(([from, to]) => `${from}-${to}`));
    expect([...command.matchAll(/--allowed-peer-ip=(\S+)/g)].map((match) => match[1])).to.deep.equal([
      '$${ENGINE_ADDRESS}',
    ]);
    for (const option of ['no-cli', 'no-tcp-relay', 'no-multicast-peers', 'user-quota=12', 'total-quota=1200'])
      expect(command).to.contain(`--${option}`);
  });

  it('has a profile for each optional service', () => {
    for (const [name, service] of services) {
      const isUsed = !['freeswitch-config', 'freeswitch', 'coturn'].includes(name);
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
