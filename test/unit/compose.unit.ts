import { existsSync, readFileSync } from 'node:fs';

import { expect } from 'chai';
import { parse } from 'yaml';

import { SETTING_NAMES } from '../../config/settings.js';

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
}

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const text = read('docker-compose.yml');
const compose = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const services = Object.entries(compose.services);

/** A tag with a number in it that is not only the major version of something others publish. */
const PINNED = /^[\w./-]+:(?=[\w.-]*\d)(?!latest)[\w.-]+$/;

describe('docker-compose.yml', () => {
  it('has every part of the platform', () => {
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
      if (service.build === undefined) expect(service.image).to.match(/:\D*\d+\.\d+/);
    });

    it(`knows how ${name} is, or ends it by itself`, () => {
      if (service.restart === 'no') expect(service.healthcheck).to.equal(undefined);
      else expect(service.healthcheck?.test).to.be.an('array').with.length.above(1);
    });

    it(`mounts into ${name} what there is`, () => {
      for (const volume of service.volumes ?? []) {
        const source = volume.split(':')[0]!;
        if (source.startsWith('./')) expect(existsSync(new URL(source, root)), source).to.equal(true);
        else expect(compose.volumes).to.have.property(source);
      }
    });
  }

  it('waits for what it depends on to be healthy or done', () => {
    for (const [name, service] of services) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const runsOnce = compose.services[other]?.restart === 'no';
        expect(condition, `${name} → ${other}`).to.equal(
          runsOnce ? 'service_completed_successfully' : 'service_healthy',
        );
      }
    }
  });

  it('gives the application and the configuration writer settings that exist', () => {
    for (const name of ['application', 'asterisk-config']) {
      const given = Object.keys(compose.services[name]?.environment ?? {});
      expect(SETTING_NAMES).to.include.members(given);
    }
  });

  it('publishes the media ports that Asterisk uses, and the API on this machine only', () => {
    const media = compose.services['asterisk-config']?.environment;
    expect(compose.services.asterisk?.ports).to.include(
      `${String(media?.RTP_PORT_FROM)}-${String(media?.RTP_PORT_TO)}:${String(media?.RTP_PORT_FROM)}-${String(media?.RTP_PORT_TO)}/udp`,
    );
    expect(compose.services.application?.ports).to.deep.equal(['127.0.0.1:8080:8080']);
    for (const name of ['postgres', 'redis', 'freeswitch', 'drachtio']) {
      expect(compose.services[name]?.ports, name).to.equal(undefined);
    }
  });

  it('holds no secret, and lists in example.env every one that must be set', () => {
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

  it('runs the parts that the application does not use yet under profiles of their own', () => {
    for (const [name, service] of services) {
      const isUsed = ['application', 'asterisk-config', 'asterisk', 'postgres', 'redis'].includes(name);
      expect(service.profiles ?? [], name).to.have.lengthOf(isUsed ? 0 : 1);
    }
  });
});

describe('Dockerfiles', () => {
  for (const path of ['Dockerfile', 'config/docker/asterisk.Dockerfile']) {
    it(`${path} begins from pinned images and does not run as root`, () => {
      const images = [...read(path).matchAll(/^FROM (\S+)/gm)].map((match) => match[1]!);
      expect(images).to.not.be.empty;
      for (const image of images) expect(image).to.match(/:[\w.-]*\d[\w.-]*$/);
      expect(read(path)).to.match(/^USER (?!root)\w+/m);
    });
  }
});
