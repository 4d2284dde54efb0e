import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { moduleLines } from '../../../adapters/embedded/asterisk/layout.js';
import { renderTemplate, renderTemplates } from '../../../adapters/embedded/asterisk/render.js';
import { templateValues, usableCodecs } from '../../../adapters/embedded/asterisk/values.js';
import { EmbeddedError } from '../../../adapters/embedded/index.js';
import type { AsteriskOptions } from '../../../adapters/embedded/index.js';

const TEMPLATES = resolve('config/asterisk');
const MODULES = ['load = codec_alaw.so', 'load = codec_ulaw.so', 'load = codec_opus_open_source.so'];
const LAYOUT = {
  etcDir: '/d/etc',
  modulesDir: '/p/modules',
  libDir: '/d/lib',
  dataDir: '/d/share',
  spoolDir: '/d/spool',
  runDir: '/d/run',
  logDir: '/d/log',
  musicDir: '/d/share/moh',
  musicMode: 'files',
};
const OPTIONS: AsteriskOptions = { sip: { bind: '127.0.0.1', port: 5070 }, rtp: { from: 10_000, to: 10_100 } };

async function render(options: AsteriskOptions): Promise<Map<string, string>> {
  const values = templateValues(options, LAYOUT, MODULES, { port: 8088, user: 'hatif', password: 'secret' });
  return renderTemplates(TEMPLATES, values);
}

/** Returns the lines of a section. */
function section(text: string, name: string): string[] {
  // A section header may inherit from another section in parentheses.
  const after = text.split(new RegExp(`\\n\\[${name}\\](?:\\(.*\\))?\\n`))[1];
  return after === undefined ? [] : (after.split('\n[')[0] ?? '').split('\n');
}

describe('configuration of the embedded Asterisk', () => {
  it('fills in a value and escapes semicolons', () => {
    expect(renderTemplate('x.conf', 'a = {{one}}', { one: 'b;c' })).to.equal('a = b\\;c');
  });

  it('renders a list as several lines', () => {
    expect(renderTemplate('x.conf', 'top\n{{lines}}\nend', { lines: ['a = 1', 'b = 2'] })).to.equal(
      'top\na = 1\nb = 2\nend',
    );
  });

  it('rejects a value with a line break', () => {
    expect(() => renderTemplate('x.conf', 'a = {{one}}', { one: 'b\n[evil]' })).to.throw(EmbeddedError, 'line break');
  });

  it('rejects a template that uses an unknown value', () => {
    expect(() => renderTemplate('x.conf', '{{nothing}}', {})).to.throw(EmbeddedError, '"nothing"');
  });

  it('fills in every template completely', async () => {
    const config = await render(OPTIONS);
    expect([...config.keys()]).to.include.members(['asterisk.conf', 'pjsip.conf', 'extensions.conf', 'ari.conf']);
    for (const [name, text] of config) expect(text, name).not.to.match(/\{\{|undefined|\[object/);
  });

  it('serves ARI on loopback only', async () => {
    const http = (await render(OPTIONS)).get('http.conf')!;
    expect(http)
      .to.match(/^bindaddr = 127\.0\.0\.1$/m)
      .and.to.match(/^bindport = 8088$/m);
  });

  it('binds SIP to the configured address, without NAT or TLS unless set', async () => {
    const pjsip = (await render(OPTIONS)).get('pjsip.conf')!;
    expect(section(pjsip, 'udp')).to.include('bind = 127.0.0.1:5070');
    // The media of browsers is bound to it.
    expect(section(pjsip, 'ws')).to.include('bind = 127.0.0.1');
    const outside = await render({ ...OPTIONS, sip: { bind: '0.0.0.0', port: 5070 } });
    expect(section(outside.get('pjsip.conf')!, 'ws')).to.include('bind = 0.0.0.0');
    expect(pjsip).not.to.include('external_').and.not.to.include('[tls]');
  });

  it('announces its external address and port, and those of TLS', async () => {
    const sip = {
      bind: '0.0.0.0',
      port: 5060,
      externalAddress: '203.0.113.7',
      localNetworks: ['10.0.0.0/8', '192.168.0.0/16'],
      tls: { port: 5061, certificateFile: '/c.pem', privateKeyFile: '/k.pem' },
    };
    const pjsip = (await render({ ...OPTIONS, sip })).get('pjsip.conf')!;
    expect(section(pjsip, 'udp')).to.include.members([
      'external_signaling_address = 203.0.113.7',
      'external_media_address = 203.0.113.7',
      'external_signaling_port = 5060',
      'local_net = 10.0.0.0/8',
      'local_net = 192.168.0.0/16',
    ]);
    expect(section(pjsip, 'tls')).to.include.members([
      'bind = 0.0.0.0:5061',
      'cert_file = /c.pem',
      'external_signaling_port = 5061',
      'method = tlsv1_2',
      'verify_server = yes',
      'ca_list_file = /etc/ssl/certs/ca-certificates.crt',
    ]);
    const newer = { ...sip, tls: { ...sip.tls, authoritiesFile: '/a.pem', version: '1.3' as const } };
    expect(section((await render({ ...OPTIONS, sip: newer })).get('pjsip.conf')!, 'tls')).to.include.members([
      'method = tlsv1_3',
      'ca_list_file = /a.pem',
    ]);
  });

  it('brackets an IPv6 address', async () => {
    const pjsip = (await render({ ...OPTIONS, sip: { bind: '::1', port: 5060 } })).get('pjsip.conf')!;
    expect(section(pjsip, 'tcp')).to.include('bind = [::1]:5060');
  });

  for (const [what, sip] of [
    ['bind address', { bind: '127.0.0.1\nx', port: 5060 }],
    ['external address', { bind: '127.0.0.1', port: 5060, externalAddress: 'a b' }],
    ['local network', { bind: '127.0.0.1', port: 5060, externalAddress: 'a', localNetworks: ['10.0.0.0/8;'] }],
  ] as const) {
    it(`rejects an invalid ${what}`, () => {
      expect(() =>
        templateValues({ ...OPTIONS, sip }, LAYOUT, MODULES, { port: 1, user: 'u', password: 'p' }),
      ).to.throw(EmbeddedError, what);
    });
  }

  it('sends copies to Homer only if its address is set', async () => {
    const modules = [...MODULES, 'load = res_hep.so', 'load = res_hep_pjsip.so'];
    const valuesOf = (hep: Pick<AsteriskOptions, 'hep'>): ReturnType<typeof templateValues> =>
      templateValues({ ...OPTIONS, ...hep }, LAYOUT, modules, { port: 1, user: 'u', password: 'p' });
    const without = await renderTemplates(TEMPLATES, valuesOf({}));
    expect(without.get('modules.conf')).not.to.include('res_hep');
    expect(without.get('hep.conf')).to.match(/^enabled = no$/m);
    const hep = { host: '2001:db8::7', port: 9060, captureId: 42, password: 'a secret' };
    const sent = await renderTemplates(TEMPLATES, valuesOf({ hep }));
    expect(sent.get('modules.conf')).to.include('load = res_hep.so').and.to.include('load = res_hep_pjsip.so');
    expect(section(`\n${sent.get('hep.conf')!}`, 'general')).to.include.members([
      'enabled = yes',
      'capture_address = [2001:db8::7]:9060',
      'capture_id = 42',
      'capture_password = a secret',
    ]);
    expect(() => valuesOf({ hep: { ...hep, host: 'a b' } })).to.throw(EmbeddedError, 'HEP address');
    expect(() => valuesOf({ hep: { ...hep, password: 'a\n[b]' } })).to.throw(EmbeddedError, 'HEP password');
  });

  it('applies the configured session timers to calls to SIP URIs', async () => {
    const timers = async (options: AsteriskOptions): Promise<string[]> =>
      section((await render(options)).get('pjsip.conf')!, 'hatif-direct').filter((line) => line.startsWith('timers'));
    expect(await timers(OPTIONS)).to.deep.equal(['timers = yes', 'timers_sess_expires = 1800', 'timers_min_se = 90']);
    const configured = await timers({ ...OPTIONS, sessionTimers: { expiresSeconds: 600, minSeconds: 120 } });
    expect(configured).to.deep.equal(['timers = yes', 'timers_sess_expires = 600', 'timers_min_se = 120']);
  });

  it('exempts emergency numbers from the limits, from trunks and softphones', async () => {
    const dialplan = (await render({ ...OPTIONS, emergencyNumbers: ['911'] })).get('extensions.conf')!;
    for (const context of ['hatif-trunk', 'hatif-agent', 'hatif-tls-trunk', 'hatif-tls-agent']) {
      const lines = section(dialplan, context);
      const first = lines.findIndex((line) => line.startsWith('exten => 911,1,'));
      expect(first, context).to.be.at.least(0);
      expect(lines.slice(first, first + 3).join('\n'), context)
        .to.include('Goto(hatif-enter,s,1)')
        .and.not.include('admit');
    }
    expect(dialplan).not.to.include('exten => 999');
  });

  it('offers only codecs that the build can transcode, in the configured order', () => {
    expect(usableCodecs(OPTIONS, MODULES)).to.deep.equal(['alaw', 'ulaw', 'opus']);
    expect(usableCodecs({ ...OPTIONS, codecs: ['opus', 'g722', 'alaw'] }, MODULES)).to.deep.equal(['opus', 'alaw']);
    expect(() => usableCodecs({ ...OPTIONS, codecs: ['g722'] }, MODULES)).to.throw(EmbeddedError, 'g722');
  });

  it('rejects a build without a required module', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'hatif-modules-'));
    try {
      const error = await moduleLines(join(TEMPLATES, 'modules.list'), empty).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(EmbeddedError).with.property('message').that.includes('res_sorcery_config');
    } finally {
      await rm(empty, { recursive: true });
    }
  });
});
